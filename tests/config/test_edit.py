"""Edits of the document: what changes, what is refused, and that all else stays."""

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.config.edit import (
    add_server,
    change_server,
    difference,
    edit_list,
    merge_patch,
    put_profile,
    remove_profile,
    remove_server,
    same_json,
    set_default_profile,
    set_value,
)
from switchboard_tray.config.parse import parse_config
from switchboard_tray.errors import ConfigConflict, ConfigError, NotFound, Refused
from tests.config.documents import unhurried, valid_documents, whole_documents

DOCUMENT: dict[str, Any] = {
    "x-first": [None],
    "servers": {"GitHub": {"command": "npx", "disabled": True, "x-own": {"a": None}}, "linear": {"url": "https://x"}},
    "profiles": {
        "Work": {
            "servers": ["github", "linear"],
            "include": ["GITHUB.a", "git*.b", "linear.c"],
            "exclude": ["github.*"],
            "confirm": ["github.d"],
            "overrides": {"github.e": {"name": "e"}, "linear.f": {}},
            "accounts": {"GitHub": {}},
        },
        "home": {"description": "x"},
    },
    "defaultProfile": "work",
    "clients": [{"match": "cursor*", "profile": "HOME"}, {"match": "*", "profile": None}],
}

FLAT_JSON = st.none() | st.booleans() | st.integers(-2, 2) | st.floats(-2, 2) | st.text("ab", max_size=2)
JSON = st.recursive(
    FLAT_JSON, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3)
)
NULLS_ONLY_IN_LISTS = st.recursive(
    FLAT_JSON.filter(lambda value: value is not None) | st.lists(JSON, max_size=2),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
)


@pytest.mark.parametrize(
    ("document", "patch", "outcome"),
    [
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, None, None),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
    ],
)
def test_merge_patch_does_what_the_examples_of_rfc_7396_say(document: object, patch: object, outcome: object) -> None:
    assert merge_patch(document, patch) == outcome


@given(JSON, NULLS_ONLY_IN_LISTS)
@unhurried
def test_the_difference_leads_from_the_old_document_to_the_new(old: object, new: object) -> None:
    before = json.dumps([old, new])

    assert same_json(merge_patch(old, difference(old, new)), new)
    assert json.dumps([old, new]) == before


@given(st.dictionaries(st.sampled_from("abc"), JSON))
@unhurried
def test_equal_documents_differ_by_nothing(document: dict[str, Any]) -> None:
    assert difference(document, copy.deepcopy(document)) == {}


def test_a_difference_holds_no_more_than_what_changed() -> None:
    assert difference({"a": 1, "b": {"c": 1, "d": 2}}, {"b": {"c": True, "d": 2}, "e": 3}) == {
        "a": None,
        "b": {"c": True},
        "e": 3,
    }


@given(valid_documents(), st.dictionaries(st.sampled_from(["servers", "settings", "new"]), NULLS_ONLY_IN_LISTS))
@whole_documents
def test_a_patch_keeps_the_order_of_keys_and_puts_new_ones_last(
    document: dict[str, Any], patch: dict[str, Any]
) -> None:
    merged = merge_patch(document, patch)

    assert list(merged) == [*document, *(key for key in patch if key not in document)]


EDITS: list[Callable[[dict[str, Any]], dict[str, Any]]] = [
    lambda document: add_server(document, "new", {"command": "x"}),
    lambda document: put_profile(document, "new", {"servers": []}),
    lambda document: put_profile(document, "work", {"description": "x"}),
    lambda document: set_value(document, "settings.port", 1),
    lambda document: set_default_profile(document, None),
    lambda document: remove_server(document, next(iter(document["servers"]))) if document["servers"] else document,
]


@given(valid_documents(), st.sampled_from(EDITS))
@whole_documents
def test_an_edit_of_a_valid_document_is_valid_and_touches_nothing_else(
    document: dict[str, Any], edit: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    before = json.dumps(document)
    edited = edit(document)

    assert json.dumps(document) == before
    assert parse_config(edited).problems == ()
    assert edited.get("x-note") == document.get("x-note")
    kept = [key for key in document if key in edited]
    assert list(edited)[: len(kept)] == kept


def test_a_server_is_added_at_the_end_without_nulls() -> None:
    edited = add_server(DOCUMENT, "new", {"command": "x", "cwd": None})

    assert list(edited["servers"].items())[-1] == ("new", {"command": "x"})
    assert add_server({}, "new", {"command": "x"}) == {"servers": {"new": {"command": "x"}}}


def test_a_server_that_exists_is_not_added_again() -> None:
    with pytest.raises(ConfigConflict, match=r"^a server called 'GitHub' exists$") as caught:
        add_server(DOCUMENT, "github", {"command": "x"})

    assert caught.value.hint == "switchboard server set GitHub, or remove it first"


def test_a_server_is_changed_under_the_spelling_of_the_file() -> None:
    edited = change_server(DOCUMENT, "GITHUB", {"command": "uvx", "x-own": {"b": 1}, "cwd": "~"})

    assert edited["servers"]["GitHub"] == {
        "command": "uvx",
        "disabled": True,
        "x-own": {"a": None, "b": 1},
        "cwd": "~",
    }
    assert list(edited["servers"]) == ["GitHub", "linear"]


def test_enabling_a_server_takes_its_other_spelling_out() -> None:
    assert "disabled" not in change_server(DOCUMENT, "github", {"enabled": True})["servers"]["GitHub"]
    both = {"enabled": True, "disabled": False}
    assert change_server(DOCUMENT, "github", both)["servers"]["GitHub"].items() >= both.items()


def test_a_removed_server_goes_from_the_profiles_too() -> None:
    edited = remove_server(DOCUMENT, "github")

    assert list(edited["servers"]) == ["linear"]
    assert edited["profiles"] == {
        "Work": {
            "servers": ["linear"],
            "include": ["git*.b", "linear.c"],
            "exclude": [],
            "confirm": [],
            "overrides": {"linear.f": {}},
            "accounts": {},
        },
        "home": {"description": "x"},
    }
    assert remove_server({"servers": {"a": {}}}, "A") == {"servers": {}}


@pytest.mark.parametrize("edit", [change_server, put_profile])
def test_an_edit_never_changes_its_arguments(edit: Callable[..., dict[str, Any]]) -> None:
    document, patch = copy.deepcopy(DOCUMENT), {"env": {"A": "b"}}

    edited = edit(document, "linear", patch)
    edited_again = set_value(edited, "/servers/linear/env/A", "c")

    assert edited_again is not edited
    assert (document, patch) == (DOCUMENT, {"env": {"A": "b"}})


@pytest.mark.parametrize(
    ("edit", "message", "hint"),
    [
        (lambda: change_server(DOCUMENT, "githb", {}), "no server is called 'githb'", "Did you mean GitHub?"),
        (lambda: remove_server(DOCUMENT, "zzz"), "no server is called 'zzz'", "switchboard server list"),
        (lambda: remove_server({}, "zzz"), "no server is called 'zzz'", "switchboard server list"),
        (lambda: remove_profile(DOCUMENT, "wrk"), "no profile is called 'wrk'", "Did you mean Work?"),
        (lambda: set_default_profile(DOCUMENT, "hme"), "no profile is called 'hme'", "Did you mean home?"),
        (lambda: edit_list(["a.search"], remove=["a.serch"]), "'a.serch' is not in the list", "Did you mean a.search?"),
    ],
)
def test_an_unknown_name_is_told_with_near_ones(edit: Callable[[], object], message: str, hint: str) -> None:
    with pytest.raises(NotFound) as caught:
        edit()

    assert (str(caught.value), caught.value.hint) == (message, hint)


def test_a_section_that_is_no_object_is_not_edited() -> None:
    with pytest.raises(ConfigError, match='"servers" is not an object'):
        add_server({"servers": []}, "a", {})


def test_a_profile_is_made_or_changed() -> None:
    assert list(put_profile(DOCUMENT, "new", {"servers": ["linear"]})["profiles"]) == ["Work", "home", "new"]
    assert put_profile(DOCUMENT, "HOME", {"surface": "flat", "description": None})["profiles"]["home"] == {
        "surface": "flat"
    }
    assert put_profile({}, "a", {}) == {"profiles": {"a": {}}}


def test_a_profile_that_clients_are_given_is_not_removed() -> None:
    with pytest.raises(Refused, match=r"^the profile 'Work' is the default$"):
        remove_profile(DOCUMENT, "work")
    with pytest.raises(Refused, match=r"^the rule for clients 'cursor\*' gives the profile 'home'$"):
        remove_profile(DOCUMENT, "home")


def test_a_profile_that_nobody_is_given_is_removed() -> None:
    free = {**DOCUMENT, "defaultProfile": None, "clients": DOCUMENT["clients"][1:]}

    assert list(remove_profile(free, "WORK")["profiles"]) == ["home"]


def test_the_default_profile_is_set_and_taken_away() -> None:
    assert set_default_profile(DOCUMENT, "HOME")["defaultProfile"] == "home"
    assert "defaultProfile" not in set_default_profile(DOCUMENT, None)


def test_a_list_is_edited_in_any_letter_case() -> None:
    assert edit_list(["a.x", "B.y", "c.z"], add=["b.Y", "d.w"], remove=["C.Z"]) == ["a.x", "B.y", "d.w"]
    assert edit_list(["a.x"], add=["a.x"], remove=["a.x"]) == ["a.x"]


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("settings.port", 80, ["settings", "port"]),
        ("settings.audit.days", 3, ["settings", "audit", "days"]),
        ("profiles.WORK.surface", "flat", ["profiles", "Work", "surface"]),
        ("servers.github.env.TOKEN", "x", ["servers", "GitHub", "env", "TOKEN"]),
        ("/profiles/work/overrides/linear.new/name", "x", ["profiles", "Work", "overrides", "linear.new", "name"]),
        ("clients.1.profile", "home", ["clients", 1, "profile"]),
        ("profiles.work.servers.0", "linear", ["profiles", "Work", "servers", 0]),
        ("servers.new", {"command": "x"}, ["servers", "new"]),
        ("servers.github.x-own.new", 1, ["servers", "GitHub", "x-own", "new"]),
        ("x-first.0", 2, ["x-first", 0]),
        ("defaultProfile", None, ["defaultProfile"]),
    ],
)
def test_a_value_is_set_by_its_key(key: str, value: object, place: list[Any]) -> None:
    edited: Any = set_value(DOCUMENT, key, value)

    found = edited
    for step in place:
        found = found[step]
    assert found == value
    assert [name for name in edited if name in DOCUMENT] == list(DOCUMENT)


def test_a_value_is_appended_to_a_list() -> None:
    assert set_value(DOCUMENT, "profiles.home.include.-", "a.b")["profiles"]["home"]["include"] == ["a.b"]
    assert set_value(DOCUMENT, "clients.-.match", "x")["clients"][-1] == {"match": "x"}


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("setings.port", "the config has no key 'setings' there"),
        ("settings.prt", "the config has no key 'prt' there"),
        ("profiles.wrk.surface", "no profile is called 'wrk'"),
        ("servers.new.command", "no server is called 'new'"),
        ("clients.2.profile", "the list has no item '2'"),
        ("clients.x", "the list has no item 'x'"),
        ("settings.port.number", "there is no 'number' inside a single value"),
        ("", "the config has no key '' there"),
        ("/a~2", "'/a~2' is neither a dotted key nor a JSON pointer"),
    ],
)
def test_a_key_that_nobody_knows_is_refused(key: str, message: str) -> None:
    with pytest.raises(NotFound) as caught:
        set_value(DOCUMENT, key, 1)

    assert str(caught.value) == message
