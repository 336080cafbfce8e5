"""Keys of parts that are not built yet: warned about when they are set, and only then."""

from typing import Any

import pytest

from switchboard_tray.config.keys import ROOT, ListOf, MapOf, Table
from switchboard_tray.config.not_in_force import MESSAGE, NOT_IN_FORCE
from switchboard_tray.config.parse import parse_config
from switchboard_tray.pointers import pointer_keys

PROFILE = "/profiles/p"
SERVER = "/servers/s"


def not_in_force(document: dict[str, Any]) -> list[str]:
    parsed = parse_config(document)
    assert parsed.problems == ()
    return [problem.pointer for problem in parsed.warnings if problem.message == MESSAGE]


def of_server(**spec: Any) -> list[str]:
    return not_in_force({"servers": {"s": spec}})


def of_profile(**spec: Any) -> list[str]:
    return not_in_force({"servers": {"s": {"command": "x"}}, "profiles": {"p": spec}})


def test_what_is_in_force_is_not_warned_about() -> None:
    started = {"command": "${secret:x}", "args": ["${env:A}"], "env": {"A": "${secret:y}"}, "type": "stdio"}
    assert of_server(**started, isolation="client", maxConcurrent=2) == []
    assert of_profile(servers=["s"], include=["s.x"], surface="flat", relay=["tools", "prompts"], confirm=[]) == []
    settings = {"port": 1, "surface": "auto", "logLevel": "info", "maxRequestMb": 1, "audit": {"days": 1}}
    assert not_in_force({"settings": settings}) == []


@pytest.mark.parametrize(
    ("spec", "keys"),
    [
        ({"url": "https://x", "headers": {"A": "b"}, "type": "sse"}, ["url", "headers", "type"]),
        ({"command": "x", "toolChanges": "warn"}, ["toolChanges"]),
    ],
)
def test_keys_of_a_server_without_a_part_are_told(spec: dict[str, Any], keys: list[str]) -> None:
    assert of_server(**spec) == [f"{SERVER}/{key}" for key in keys]


@pytest.mark.parametrize(
    ("key", "value", "place"),
    [
        ("accounts", {"s": {}}, "accounts"),
        ("confirm", ["s.x"], "confirm/0"),
    ],
)
def test_keys_of_a_profile_without_a_part_are_told(key: str, value: object, place: str) -> None:
    assert of_profile(**{key: value}) == [f"{PROFILE}/{place}"]


def test_settings_without_a_part_are_told() -> None:
    settings = {"autostart": False, "theme": "system", "shortcuts": True}

    assert not_in_force({"settings": settings}) == [f"/settings/{key}" for key in settings]


def test_tools_that_should_be_confirmed_are_said_to_be_refused() -> None:
    parsed = parse_config({"servers": {"s": {"command": "x"}}, "profiles": {"p": {"confirm": ["s.x"]}}})

    assert [problem.hint for problem in parsed.warnings] == ["Tools that match are refused until it is."]


@pytest.mark.parametrize("where", [entry.where for entry in NOT_IN_FORCE])
def test_each_line_of_the_table_names_a_key_that_the_config_knows(where: str) -> None:
    kind: Any = ROOT
    for key in pointer_keys(where):
        if isinstance(kind, Table):
            assert key in kind.by_name
            kind = kind.by_name[key].kind
        else:
            assert key == "*"
            assert isinstance(kind, ListOf | MapOf)
            kind = kind.item


def test_a_value_of_the_wrong_type_is_a_problem_and_no_exception() -> None:
    parsed = parse_config({"servers": {"s": {"command": "x", "env": ["${secret:x}"], "args": {"a": "${"}}}})

    assert [problem.pointer for problem in parsed.problems] == [f"{SERVER}/env", f"{SERVER}/args"]
