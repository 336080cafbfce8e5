"""One value from config and catalog: what each profile offers, and what stays when something else changes."""

import json
from dataclasses import replace
from typing import Any

import pytest
from msgspec import Raw

from switchboard_tray.catalog.model import Catalog, Named, ServerTools, server_key
from switchboard_tray.config.model import Config
from switchboard_tray.names import ToolRef
from switchboard_tray.protocol.eras import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED
from switchboard_tray.snapshot import Offer, Snapshot, build_snapshot
from switchboard_tray.surfaces.instructions import PASSTHROUGH
from switchboard_tray.surfaces.plan import Invoke, Unknown
from tests.profiles.samples import catalog_of, config_of, tool_of

PROFILES: dict[str, Any] = {
    "work": {"servers": ["github"], "overrides": {"github.search": {"name": "find"}}},
    "home": {"servers": ["notes"], "include": ["github.issue*"]},
}
CONFIG = config_of(servers={"github": None, "notes": None}, profiles=PROFILES)
TOOLS = {"github": ["search", "issues.get"], "notes": ["search"]}
CATALOG = catalog_of(CONFIG, TOOLS, {"github": "Use it.", "notes": "Notes."})
SNAPSHOT = build_snapshot(CONFIG, CATALOG, Snapshot())


def edited(**document: Any) -> Config:
    return config_of(**{"servers": {"github": None, "notes": None}, "profiles": PROFILES, **document})


def kept(config: Config, catalog: Catalog) -> set[str]:
    """The profiles whose offer is the very object it was before."""
    now = build_snapshot(config, catalog, SNAPSHOT)
    return {name for name, offer in now.offers.items() if offer is SNAPSHOT.offers.get(name)}


def names(offer: Offer) -> list[str]:
    return [tool["name"] for tool in json.loads(offer.display.tools)]


def fingerprint_of(snapshot: Snapshot, profile: str) -> str:
    return snapshot.offers[profile].fingerprints[TOOLS_CHANGED]


def test_a_fresh_snapshot_offers_nothing() -> None:
    assert dict(Snapshot().offers) == {}
    assert Snapshot().warnings == ()


def test_each_profile_offers_its_tools_under_its_names() -> None:
    assert names(SNAPSHOT.offers["work"]) == ["find", "github__issues_get"]
    assert names(SNAPSHOT.offers["home"]) == ["github__issues_get", "notes__search"]
    assert SNAPSHOT.version == 1


def test_a_tool_has_one_name_in_every_profile_whatever_else_the_profile_has() -> None:
    config = config_of(
        servers={"a": None, "b": None},
        profiles={"both": {"servers": ["a"]}, "one": {"include": ["a.x.y"]}},
    )
    snapshot = build_snapshot(config, catalog_of(config, {"a": ["x.y", "x_y"], "b": ["z"]}), Snapshot())

    [alone] = names(snapshot.offers["one"])
    assert names(snapshot.offers["both"]) == [alone, "a__x_y"]
    assert alone != "a__x_y"


def test_a_call_is_planned_by_the_names_that_are_listed() -> None:
    offer = SNAPSHOT.offers["work"]
    params = {"arguments": Raw(b"{}")}

    assert offer.display.plan("find", params) == Invoke(ToolRef("github", "search"), params)
    assert offer.display.plan("notes__search", params) == Unknown("notes__search")


def test_an_unchanged_profile_keeps_its_offer() -> None:
    assert kept(CONFIG, CATALOG) == {"work", "home"}
    assert build_snapshot(CONFIG, CATALOG, SNAPSHOT).version == 2


def test_a_list_that_was_read_again_with_the_same_outcome_changes_nothing() -> None:
    key = server_key(CONFIG.servers["github"])
    again = CATALOG.with_list(key, replace(CATALOG.lists[key], listed_at=99))

    assert kept(CONFIG, again) == {"work", "home"}


def test_a_profile_keeps_its_offer_when_another_one_is_edited() -> None:
    assert kept(edited(profiles={**PROFILES, "work": {"servers": ["github"]}}), CATALOG) == {"home"}
    assert kept(edited(profiles={"home": PROFILES["home"]}), CATALOG) == {"home"}
    assert kept(edited(profiles={"new": PROFILES["work"], **PROFILES}), CATALOG) == {"work", "home"}


@pytest.mark.parametrize("config", [edited(defaultProfile="work"), edited(clients=[{"match": "*", "profile": "work"}])])
def test_offers_do_not_change_with_who_gets_them(config: Config) -> None:
    assert kept(config, CATALOG) == {"work", "home"}


def test_a_changed_list_changes_the_profiles_that_have_its_server() -> None:
    changed = catalog_of(CONFIG, {**TOOLS, "notes": [tool_of("search", title="New")]}, {"github": "Use it."})

    assert kept(CONFIG, changed) == {"work"}


def test_changed_instructions_change_what_a_client_is_told() -> None:
    changed = catalog_of(CONFIG, TOOLS, {"github": "Use it.", "notes": "Other."})

    assert kept(CONFIG, changed) == {"work"}
    assert "Other." in build_snapshot(CONFIG, changed, SNAPSHOT).offers["home"].instructions


def test_a_server_that_is_disabled_is_gone_from_its_profiles() -> None:
    config = edited(servers={"github": None, "notes": {"command": "notes", "enabled": False}})

    assert kept(config, CATALOG) == {"work"}
    assert names(build_snapshot(config, CATALOG, SNAPSHOT).offers["home"]) == ["github__issues_get"]


def test_a_name_that_changes_through_a_tool_of_another_server_changes_the_offer() -> None:
    servers = {"a": None, "a_": None}
    config = config_of(servers=servers, profiles={"p": {"servers": ["a_"]}})
    before = build_snapshot(config, catalog_of(config, {"a_": ["b"]}), Snapshot())

    now = build_snapshot(config, catalog_of(config, {"a_": ["b"], "a": ["_b"]}), before)

    assert names(before.offers["p"]) == ["a___b"]
    assert names(now.offers["p"]) != ["a___b"]


def test_a_tool_of_another_server_that_clashes_with_none_changes_nothing() -> None:
    more = catalog_of(CONFIG, {**TOOLS, "notes": ["search", "more"]}, {"github": "Use it."})

    assert "work" in kept(CONFIG, more)


def test_the_fingerprint_is_of_what_is_listed_and_of_nothing_else() -> None:
    described = edited(profiles={**PROFILES, "work": {**PROFILES["work"], "description": "At work."}})

    now = build_snapshot(described, CATALOG, SNAPSHOT)

    assert now.offers["work"] is not SNAPSHOT.offers["work"]
    assert fingerprint_of(now, "work") == fingerprint_of(SNAPSHOT, "work")
    assert fingerprint_of(now, "work") != fingerprint_of(now, "home")


def test_a_change_of_the_order_or_of_a_description_is_one_that_a_client_sees() -> None:
    reordered = [tool_of("issues.get"), tool_of("search")]
    described = [tool_of("search"), tool_of("issues.get", description="Gets.")]
    for tools in (reordered, described):
        now = build_snapshot(CONFIG, catalog_of(CONFIG, {**TOOLS, "github": tools}), SNAPSHOT)
        assert fingerprint_of(now, "work") != fingerprint_of(SNAPSHOT, "work")


def test_servers_that_were_never_listed_are_known_by_profile() -> None:
    snapshot = build_snapshot(CONFIG, catalog_of(CONFIG, {"github": []}), Snapshot())

    assert snapshot.offers["home"].unlisted == ("notes",)
    assert snapshot.offers["work"].unlisted == ()


def test_a_client_is_told_of_the_surface_and_by_each_server_that_gives_it_a_tool() -> None:
    assert SNAPSHOT.offers["home"].instructions == f"{PASSTHROUGH}\n\ngithub: Use it.\n\nnotes: Notes."


def test_a_server_that_gives_a_profile_nothing_tells_it_nothing() -> None:
    config = edited(profiles={"p": {"servers": ["notes"], "include": ["*.search"], "exclude": ["github.*"]}})

    offer = build_snapshot(config, CATALOG, Snapshot()).offers["p"]

    assert offer.instructions == f"{PASSTHROUGH}\n\nnotes: Notes."


def test_prompts_and_resources_are_told_of_where_the_profile_relays_them() -> None:
    thing = Named("a:b", b'{"uri":"a:b","name":"a:b"}')
    prompt = Named("greet", b'{"name":"greet"}')
    config = edited(
        profiles={
            "all": {"servers": ["notes"], "relay": ["tools", "prompts", "resources"]},
            "tools": {"servers": ["notes"]},
        }
    )
    key = server_key(config.servers["notes"])

    def offers_of(listed: ServerTools) -> dict[str, Offer]:
        return dict(build_snapshot(config, Catalog().with_list(key, listed), Snapshot()).offers)

    before, now = (
        offers_of(ServerTools()),
        offers_of(ServerTools(prompts=(prompt,), templates=(thing,), instructions="Hi.")),
    )

    def changed(profile: str) -> set[str]:
        former, present = before[profile].fingerprints, now[profile].fingerprints
        return {kind for kind, fingerprint in present.items() if fingerprint != former[kind]}

    assert set(before["all"].fingerprints) == {TOOLS_CHANGED, PROMPTS_CHANGED, RESOURCES_CHANGED}
    assert (changed("all"), changed("tools")) == ({PROMPTS_CHANGED, RESOURCES_CHANGED}, set())
    assert now["all"].instructions.endswith("\n\nnotes: Hi.")
    assert now["tools"].instructions == PASSTHROUGH


def test_an_override_of_an_unknown_tool_is_a_warning_in_any_letter_case() -> None:
    overrides = {"GitHub.Search": {"name": "find"}, "GitHub.gone": {"name": "x"}, "missing.tool": {"name": "y"}}
    config = edited(profiles={"work": {"servers": ["github"], "overrides": overrides}})

    snapshot = build_snapshot(config, CATALOG, Snapshot())

    assert snapshot.warnings == (
        "Profile work: the override of github.gone is for a tool that its server does not have.",
    )


def test_an_override_for_a_server_that_was_never_listed_may_yet_be_right() -> None:
    assert build_snapshot(CONFIG, Catalog(), Snapshot()).warnings == ()


def test_an_override_that_a_new_tool_makes_impossible_is_a_warning() -> None:
    overrides = {"github.search": {"name": "notes__new"}}
    config = edited(profiles={"work": {"servers": ["github", "notes"], "overrides": overrides}})
    assert build_snapshot(config, CATALOG, Snapshot()).warnings == ()

    snapshot = build_snapshot(config, catalog_of(config, {**TOOLS, "notes": ["new"]}), Snapshot())

    assert snapshot.warnings == (
        "Profile work: github.search keeps its own name, since notes.new is called notes__new.",
    )


def test_bundle_and_server_of_a_profile_that_switches_by_itself_are_flat_for_good() -> None:
    offer = SNAPSHOT.offers["work"]
    assert offer.profile.surface == "auto" and offer.display.is_switched

    for slice_ in (offer.bundle, offer.of_server("github")):
        assert slice_ is not None
        assert slice_.display.plan("call_tool", {}) == Unknown("call_tool")
        assert slice_.surface == slice_.profile.surface == "passthrough"
    assert offer.of_server("nowhere") is None
