"""``tools``, ``search`` and ``why`` while no gateway runs, and what ``call`` makes of its arguments."""

from typing import Any

import pytest

from switchboard_tray.cli.tools import result_text
from tests.cli.running import Cli

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "servers": {"one": {"builtin": "demo"}, "two": {"builtin": "demo", "env": {"A": "1"}}},
    "profiles": {
        "all": {"servers": ["one"], "exclude": ["one.c"], "overrides": {"one.b": {"name": "bee"}}},
        "other": {"servers": ["two"]},
    },
    "defaultProfile": "all",
}


@pytest.fixture
def listed(cli: Cli) -> Cli:
    cli.write(DOCUMENT)
    cli.list_tools(one=["a", "b", "c"])
    return cli


def test_tools_are_those_of_the_default_profile(listed: Cli) -> None:
    assert listed.done("tools").out.splitlines() == ["TOOL   WHAT", "one.a  Does a.", "one.b  Does b."]


def test_json_of_tools_has_the_shape_of_the_admin_api(listed: Cli) -> None:
    tools = listed.done("tools", "--json").json()

    assert tools[1] == {
        "ref": "one.b",
        "wireName": "bee",
        "description": "Does b.",
        "inputSchema": {"type": "object"},
        "server": "one",
        "state": "stopped",
    }


def test_as_client_shows_the_names_that_clients_see(listed: Cli) -> None:
    tools = listed.done("tools", "--as-client", "--json").json()

    assert [tool["name"] for tool in tools] == ["one__a", "bee"]
    assert listed.done("tools", "--as-client").out.splitlines()[1] == "one__a  Does a."


def test_a_profile_without_known_tools_says_why(listed: Cli) -> None:
    outcome = listed.done("tools", "--profile", "OTHER")

    assert outcome.out == ""
    assert outcome.err.splitlines() == [
        "The profile has no tools.",
        "Not listed yet, so their tools are still to come: two",
    ]


@pytest.mark.parametrize("words", [["tools"], ["why", "one.a"]])
def test_an_unknown_profile_is_named_with_the_near_ones(words: list[str], listed: Cli) -> None:
    outcome = listed(*words, "--profile", "othr")

    assert outcome.status == 1
    assert outcome.err == "There is no profile 'othr'.\nDid you mean other?\n"


def test_search_shows_what_fits_best_first(listed: Cli) -> None:
    assert listed.done("search", "does b").out.splitlines()[:2] == ["TOOL   WHAT", "one.b  Does b."]
    (found,) = listed.done("search", "bee", "--json", "--limit", "1").json()
    assert (found["ref"], found["wireName"], found["summary"]) == ("one.b", "bee", "Does b.")
    assert found["signature"] in listed.done("search", "bee", "--limit", "1", "--signature").out


def test_limit_holds_for_the_tools_of_a_server_too(listed: Cli) -> None:
    assert [one["ref"] for one in listed.done("search", "one", "--json").json()] == ["one.a", "one.b"]
    assert [one["ref"] for one in listed.done("search", "one", "--json", "--limit", "1").json()] == ["one.a"]


def test_search_that_finds_nothing_says_so_beside_the_result(listed: Cli) -> None:
    outcome = listed.done("search", "qqzzqq")

    assert outcome.out == ""
    assert outcome.err.splitlines() == ["No match for 'qqzzqq' among 2 tools of 1 server.", "Servers: one"]
    assert listed.done("search", "one.c", "--json").json() == []


@pytest.mark.parametrize("words", [[" "], ["x", "--limit", "0"], ["x", "--limit", "51"], ["x", "--limit", "many"]])
def test_search_without_a_query_or_with_a_wild_limit_is_a_slip(words: list[str], listed: Cli) -> None:
    assert listed("search", *words).status == 2


def test_show_of_a_profile_tells_what_each_surface_costs(listed: Cli) -> None:
    lines = listed.done("profile", "show", "all").out.splitlines()

    assert any(line.startswith("  passthrough: 2 tools, about ") and line.endswith(" (in force now)") for line in lines)
    assert any(line.startswith("  meta: 3 tools, about ") for line in lines)
    assert listed.done("profile", "show", "all", "--json").json()["surfaceNow"] == "passthrough"


def test_without_a_default_a_profile_has_to_be_named(listed: Cli) -> None:
    listed.done("config", "set", "defaultProfile", "")

    outcome = listed("tools")

    assert outcome.status == 1
    assert outcome.err.startswith("There is no default profile.\nUse --profile NAME")


@pytest.mark.parametrize(
    ("ref", "said"),
    [
        (
            "one.a",
            ["one.a is in profile all, where clients see it as one__a.", "The profile has the whole server one."],
        ),
        ("bee", ["one.b is in profile all, where clients see it as bee.", "An override names it bee."]),
        ("one.c", ["one.c is not in profile all.", "The exclude pattern 'one.c', which always wins, fits it."]),
        ("two.a", ["two.a is not in profile all.", "Server two was never listed: its tools are not known yet."]),
        ("six.a", ["six.a is not in profile all.", "There is no server 'six' in the config."]),
    ],
)
def test_why_gives_the_reasons(ref: str, said: list[str], listed: Cli) -> None:
    outcome = listed.done("why", ref)

    lines = [line.strip() for line in outcome.out.splitlines()]
    assert lines[0] == said[0]
    assert any(line.startswith(said[1]) for line in lines[1:])
    assert listed.done("why", ref, "--json").json()["isIncluded"] is (" is in " in said[0])


def test_why_refuses_what_is_no_reference(listed: Cli) -> None:
    assert listed("why", "nothing").status == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("{", "the arguments are no JSON: "),
        ("[1]", "the arguments are no JSON object"),
        ("", "the arguments are no JSON"),
    ],
)
def test_arguments_that_are_no_json_object_are_a_usage_error(arguments: str, said: str, cli: Cli) -> None:
    outcome = cli("call", "one.a", arguments)

    assert outcome.status == 2
    assert said in outcome.err


def test_call_needs_the_gateway(cli: Cli) -> None:
    assert cli("call", "one.a").status == 3


@pytest.mark.parametrize(
    ("block", "shown"),
    [
        ({"type": "text", "text": "two\nlines"}, "two\nlines"),
        ({"type": "image", "mimeType": "image/png", "data": "aGVsbG8="}, "[image image/png 5 bytes]"),
        ({"type": "audio", "mimeType": "audio/wav", "data": "aGVsbG8h"}, "[audio audio/wav 6 bytes]"),
        ({"type": "resource", "resource": {"uri": "file:///a"}}, "[resource file:///a]"),
        ({"type": "resource_link", "uri": "file:///b", "name": "b"}, "[resource file:///b]"),
        ({"type": "hologram"}, "[hologram]"),
        ({"type": "text"}, "[text]"),
    ],
)
def test_text_of_a_result_is_shown_as_it_is_and_the_rest_as_notes(block: dict[str, Any], shown: str) -> None:
    assert result_text({"content": [block]}) == shown


def test_a_result_of_structured_content_alone_is_shown_as_json() -> None:
    assert result_text({"content": [], "structuredContent": {"n": 2**70}}) == f'{{\n  "n": {2**70}\n}}'
