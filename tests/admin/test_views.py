"""What the admin API shows: every word of the config but its secrets."""

from dataclasses import replace
from typing import Any

import pytest

from switchboard_tray.admin.views import (
    problem_view,
    profile_view,
    server_view,
    tool_views,
    why_view,
)
from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import ServerTools, server_key
from switchboard_tray.config.problems import Problem
from switchboard_tray.errors import NotFound
from switchboard_tray.servers.status import ServerStatus
from switchboard_tray.snapshot import Snapshot, build_snapshot
from tests.profiles.samples import catalog_of, config_of, tool_of

PROFILES: dict[str, Any] = {
    "work": {
        "servers": ["github"],
        "include": ["notes.*"],
        "exclude": ["*.delete"],
        "overrides": {"github.search": {"name": "find", "description": ""}},
    },
    "home": {"include": ["off.*", "new.*"]},
}
CONFIG = config_of(
    servers={"github": None, "notes": None, "new": None, "off": {"command": "x", "enabled": False}},
    profiles=PROFILES,
    defaultProfile="work",
)
TOOLS, UNFIT = check_tools([b'{"name":"bare"}', b'{"name":"bad","description":7}'])
CATALOG = catalog_of(CONFIG, {"github": ["search", "delete"], "notes": [tool_of("write", description="Writes.")]})
CATALOG = CATALOG.with_list(server_key(CONFIG.servers["off"]), ServerTools(TOOLS, UNFIT))
SNAPSHOT = build_snapshot(CONFIG, CATALOG, Snapshot())


# -- servers -----------------------------------------------------------------------------------------------------------


def test_a_server_is_shown_with_its_entry_its_list_and_its_state() -> None:
    server = replace(CONFIG.servers["github"], description="Issues.")
    status = ServerStatus(
        "github",
        "failing",
        pid=7,
        calls=3,
        in_flight=1,
        fault="no such file",
        retry_in_s=1.5,
        junk_lines=2,
        first_junk="Hello!",
        last_stderr="trace",
    )

    view = server_view(server, {"servers": {"github": {"command": "npx", "x": 1}}}, ServerTools(TOOLS, UNFIT), status)

    expected = {
        "name": "github",
        "enabled": True,
        "state": "failing",
        "description": "Issues.",
        "pid": 7,
        "uptimeSec": None,
        "calls": 3,
        "inFlight": 1,
        "tools": 1,
        "toolNames": ["bare"],
        "repaired": [{"name": "bare", "repairs": ["inputSchema added: the tool had none"]}],
        "quarantined": [{"name": "bad", "reason": "the description is not a string"}],
        "lastError": "no such file",
        "retryInSec": 1.5,
        "junkLines": 2,
        "firstJunk": "Hello!",
        "lastStderr": "trace",
        "config": {"command": "npx", "x": 1},
    }
    assert {key: view[key] for key in expected} == expected


@pytest.mark.parametrize(("name", "state"), [("github", "stopped"), ("off", "disabled")])
def test_without_a_gateway_a_server_is_stopped_or_disabled(name: str, state: str) -> None:
    view = server_view(CONFIG.servers[name], {}, None, None)

    assert (view["state"], view["tools"], view["toolNames"], view["quarantined"]) == (state, None, [], [])
    assert view["config"] == {}


def test_a_problem_is_shown_with_its_place() -> None:
    assert problem_view(Problem("/a", "wrong", "mend it", 3, 4)) == {
        "pointer": "/a",
        "message": "wrong",
        "hint": "mend it",
        "line": 3,
        "column": 4,
    }


# -- profiles and tools ------------------------------------------------------------------------------------------------


def test_a_profile_is_shown_with_what_it_selects_now() -> None:
    view = profile_view(CONFIG.profiles["work"], SNAPSHOT)

    assert view["toolRefs"] == ["github.search", "notes.write"]
    assert (view["tools"], view["isDefault"], view["unlisted"]) == (2, True, [])
    assert view["overrides"] == {"github.search": {"name": "find", "description": ""}}
    assert (view["servers"], view["include"], view["exclude"]) == (["github"], ["notes.*"], ["*.delete"])


def test_a_profile_says_which_of_its_servers_were_never_listed() -> None:
    view = profile_view(CONFIG.profiles["home"], SNAPSHOT)

    assert (view["unlisted"], view["isDefault"], view["tools"]) == (["new"], False, 0)


def test_tools_are_shown_with_the_names_and_words_of_the_profile() -> None:
    views = tool_views(SNAPSHOT.offers["work"], {"github": "ready"})

    assert [(view["ref"], view["wireName"], view["description"], view["state"]) for view in views] == [
        ("github.search", "find", "", "ready"),
        ("notes.write", "notes__write", "Writes.", "stopped"),
    ]
    assert views[0]["inputSchema"] == {"type": "object"}
    assert views[0]["server"] == "github"


# -- why ---------------------------------------------------------------------------------------------------------------


def reasons(ref: str, profile: str = "work") -> list[str]:
    found: list[str] = why_view(SNAPSHOT, ref, profile)["reasons"]
    return found


@pytest.mark.parametrize("text", ["github.search", "GITHUB.Search", "find"])
def test_why_a_tool_is_in_a_profile(text: str) -> None:
    assert why_view(SNAPSHOT, text, "WORK") == {
        "ref": "github.search",
        "profile": "work",
        "isIncluded": True,
        "wireName": "find",
        "reasons": ["The profile has the whole server github.", "An override names it find."],
    }


@pytest.mark.parametrize(
    ("ref", "profile", "said"),
    [
        ("notes.write", "work", ["The include pattern 'notes.*' fits it."]),
        (
            "github.delete",
            "work",
            [
                "The profile has the whole server github.",
                "The exclude pattern '*.delete', which always wins, fits it.",
            ],
        ),
        ("github.search", "home", ["Neither server github nor an include pattern brings it into the profile."]),
        (
            "OFF.Bare",
            "home",
            [
                "The include pattern 'off.*' fits it.",
                "Server off is disabled, so it gives no tools.",
                "Repaired: inputSchema added: the tool had none.",
            ],
        ),
        (
            "off.BAD",
            "home",
            [
                "The include pattern 'off.*' fits it.",
                "Server off is disabled, so it gives no tools.",
                "It is set aside, since it cannot be offered: the description is not a string.",
            ],
        ),
        (
            "new.x",
            "home",
            ["The include pattern 'new.*' fits it.", "Server new was never listed: its tools are not known yet."],
        ),
        (
            "github.serch",
            "work",
            [
                "The profile has the whole server github.",
                "Server github lists no tool 'serch'. Did you mean search?",
            ],
        ),
        (
            "off.gone",
            "home",
            [
                "The include pattern 'off.*' fits it.",
                "Server off is disabled, so it gives no tools.",
                "Server off lists no tool 'gone'.",
            ],
        ),
        ("githbu.search", "work", ["There is no server 'githbu' in the config. Did you mean github?"]),
        ("zzz.search", "work", ["There is no server 'zzz' in the config."]),
    ],
)
def test_every_reason_is_told(ref: str, profile: str, said: list[str]) -> None:
    assert reasons(ref, profile) == said


def test_why_of_a_tool_that_is_not_in_the_profile_says_so() -> None:
    view = why_view(SNAPSHOT, "github.delete", "work")

    assert (view["isIncluded"], view["wireName"]) == (False, None)


@pytest.mark.parametrize("text", ["", "delete", "github__delete", "."])
def test_what_is_neither_reference_nor_name_is_not_found(text: str) -> None:
    with pytest.raises(NotFound, match=r"is neither a reference nor a name in profile work\.$") as caught:
        why_view(SNAPSHOT, text, "work")

    assert caught.value.hint == "Write SERVER.TOOL."


def test_why_in_an_unknown_profile_names_the_nearest_one() -> None:
    with pytest.raises(NotFound, match=r"^There is no profile 'wrok'\.$") as caught:
        why_view(SNAPSHOT, "github.search", "wrok")

    assert caught.value.hint == "Did you mean work?"
