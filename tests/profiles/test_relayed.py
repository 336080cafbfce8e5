"""Prompts and resources that a profile passes on: what they are called, and whose they are."""

import json
from typing import Any

import pytest

from switchboard_tray.catalog.model import Named, ServerTools
from switchboard_tray.config.model import Profile
from switchboard_tray.profiles.relayed import Relayed, build_relayed

ALL = ("tools", "prompts", "resources")


def named(key: str, *names: str) -> tuple[Named, ...]:
    return tuple(Named(name, json.dumps({"name": name, key: name, "x": 2**70}).encode()) for name in names)


def server(
    prompts: tuple[str, ...] = (), resources: tuple[str, ...] = (), templates: tuple[str, ...] = ()
) -> ServerTools:
    return ServerTools(
        prompts=named("name", *prompts), resources=named("uri", *resources), templates=named("uriTemplate", *templates)
    )


def relayed(relay: tuple[str, ...] = ALL, **servers: ServerTools | None) -> Relayed:
    return build_relayed(Profile("p", servers=tuple(servers), relay=relay), servers.items())


def names(listed: bytes, key: str) -> list[str]:
    return [item[key] for item in json.loads(listed)]


def test_a_profile_relays_tools_alone_unless_it_says_more() -> None:
    assert relayed(("tools",), a=server(("p",), ("r:1",), ("t:{x}",))) == Relayed()


def test_prompts_and_resources_are_relayed_each_for_itself() -> None:
    everything = server(("p",), ("r:1",), ("t:{x}",))

    prompts, resources = relayed(("tools", "prompts"), a=everything), relayed(("tools", "resources"), a=everything)

    assert (names(prompts.prompts, "name"), prompts.resources, prompts.servers) == (["p"], b"[]", ())
    assert (resources.prompts, names(resources.resources, "uri")) == (b"[]", ["r:1"])
    assert names(resources.templates, "uriTemplate") == ["t:{x}"]


def test_what_is_unique_in_the_profile_stays_the_bytes_it_was() -> None:
    one, other = server(("p",), ("r:1",)), server(("q",), ("r:2",))

    found = relayed(a=one, b=other)

    assert found.prompts == b"[" + one.prompts[0].raw + b"," + other.prompts[0].raw + b"]"
    assert found.resources == b"[" + one.resources[0].raw + b"," + other.resources[0].raw + b"]"
    assert found.prompt_origins == {"p": ("a", "p"), "q": ("b", "q")}


def test_what_two_servers_share_is_told_apart_by_the_servers_name() -> None:
    found = relayed(a=server(("p", "own"), ("r:1",), ("t:{x}",)), b=server(("p",), ("r:1",), ("t:{x}",)))

    assert names(found.prompts, "name") == ["a__p", "own", "b__p"]
    assert names(found.resources, "uri") == ["switchboard://a/r:1", "switchboard://b/r:1"]
    assert names(found.templates, "uriTemplate") == ["switchboard://a/t:{x}", "switchboard://b/t:{x}"]
    assert found.prompt_origins["b__p"] == ("b", "p")
    assert json.loads(found.resources)[0]["x"] == 2**70
    assert json.loads(found.resources)[0]["name"] == "r:1"


def test_a_prompt_called_like_the_distinct_name_of_another_does_not_take_its_place() -> None:
    found = relayed(a=server(("p",)), b=server(("p",)), c=server(("a__p",)))

    assert found.prompt_origins["a__p"] == ("a", "p")
    assert names(found.prompts, "name") == ["a__p", "b__p"]


def test_servers_that_were_never_listed_or_give_single_tools_relay_nothing() -> None:
    profile = Profile("p", servers=("a", "b"), relay=ALL)

    found = build_relayed(profile, [("a", None), ("b", server(("p",))), ("c", server(("q",), ("r:1",)))])

    assert (names(found.prompts, "name"), found.resources, found.servers) == (["p"], b"[]", ())


@pytest.mark.parametrize(
    ("uri", "origin"),
    [
        ("r:1", ("a", "r:1")),
        ("switchboard://a/shared:1", ("a", "shared:1")),
        ("switchboard://b/shared:1", ("b", "shared:1")),
        ("switchboard://b/unlisted:9", ("b", "unlisted:9")),
        ("file:///x/log.txt", ("b", "file:///x/log.txt")),
        ("file:///log.md", None),
        ("http://x", None),
        ("shared:1", None),
        ("switchboard://c/r:1", None),
        ("", None),
    ],
)
def test_a_resource_belongs_to_the_server_that_lists_it_or_whose_template_it_fits(uri: str, origin: Any) -> None:
    found = relayed(
        a=server(resources=("r:1", "shared:1")), b=server(resources=("shared:1",), templates=("file:///{path}.txt",))
    )

    assert found.find_resource(uri) == origin


def test_any_uri_belongs_to_the_only_server_with_resources() -> None:
    found = relayed(a=server(resources=("r:1",)), b=server(("p",)))

    assert found.servers == ("a",)
    assert found.find_resource("anything:else") == ("a", "anything:else")


@pytest.mark.parametrize(
    ("template", "uri", "fits"),
    [
        ("a:{x}", "a:1", True),
        ("a:{x}", "a:", True),
        ("a:{x}", "b:1", False),
        ("a:{x}/b/{y}", "a:1/b/2", True),
        ("a:{x}/b/{y}", "a:1/c/2", False),
        ("a:{x}.txt", "a:1.txt", True),
        ("a:{x}.txt", "a:1.txt.md", False),
        ("a:{x}.t{y}.t", "a:1.t", False),
        ("{x}", "anything", True),
        ("plain:1", "plain:1", True),
        ("plain:1", "plain:12", False),
    ],
)
def test_a_uri_fits_a_template_by_what_is_fixed_in_it(template: str, uri: str, fits: bool) -> None:
    # Two servers, so that no URI belongs to the only one.
    found = relayed(a=server(templates=(template,)), b=server(resources=("other:1",)))

    assert (found.find_resource(uri) is not None) is fits


def test_completion_finds_a_template_by_its_own_text_or_as_a_resource() -> None:
    found = relayed(a=server(templates=("t:{x}",)), b=server(resources=("r:1",)))

    assert found.find_template("t:{x}") == ("a", "t:{x}")
    assert found.find_template("r:1") == ("b", "r:1")
    assert found.find_template("t2:{x}") is None
