"""Profiles, client rules and what names something defined elsewhere."""

from typing import Any

import pytest

from switchboard_tray.config.model import Account, Budgets, ClientRule, Config, Override, Profile
from switchboard_tray.config.parse import parse_config

SERVERS: dict[str, Any] = {"GitHub": {"command": "x"}, "linear": {"builtin": "demo"}}


def config_of(**keys: Any) -> Config:
    parsed = parse_config({"servers": SERVERS, **keys})
    assert parsed.problems == ()
    assert parsed.config is not None
    return parsed.config


def profile_of(**spec: Any) -> Profile:
    return config_of(profiles={"work": spec}).profiles["work"]


def faults(**keys: Any) -> list[tuple[str, str, str]]:
    problems = parse_config({"servers": SERVERS, **keys}).problems
    return [(problem.pointer, problem.message, problem.hint) for problem in problems]


def profile_faults(**spec: Any) -> list[tuple[str, str, str]]:
    found = faults(profiles={"work": spec})
    return [(pointer.removeprefix("/profiles/work"), message, hint) for pointer, message, hint in found]


def warnings(**spec: Any) -> list[tuple[str, str, str]]:
    found = parse_config({"servers": SERVERS, "profiles": {"work": spec}}).warnings
    known = [problem for problem in found if "not in force" not in problem.message]
    return [(known.pointer.removeprefix("/profiles/work"), known.message, known.hint) for known in known]


def test_a_whole_profile_is_read() -> None:
    profile = profile_of(
        description="Daily work.", servers=["github", "LINEAR"], include=["linear.*"], exclude=["*.delete_*"],
        surface="flat", autoThreshold=9, autoAbove="apps", confirm=["github.merge"], relay=["tools", "prompts"],
        overrides={"GITHUB.Search.Issues": {"name": "find", "description": "Find."}, "linear.x": {}},
        budgets={"timeoutMs": 5000, "maxToolCalls": 1, "memoryMb": 8, "maxSourceBytes": 9, "maxResultChars": 10},
        accounts={"GITHUB": {"env": {"TOKEN": "${env:T}"}, "headers": {"A": "b"}}},
    )  # fmt: skip

    assert profile == Profile(
        "work", description="Daily work.", servers=("GitHub", "linear"), include=("linear.*",), exclude=("*.delete_*",),
        surface="passthrough", auto_threshold=9, auto_above="apps", confirm=("github.merge",),
        relay=("tools", "prompts"),
        overrides={"github.search.issues": Override("find", "Find."), "linear.x": Override()},
        budgets=Budgets(5000, 1, 8, 9, 10), accounts={"GitHub": Account({"TOKEN": "${env:T}"}, {"A": "b"})},
    )  # fmt: skip


def test_a_profile_that_says_nothing_follows_the_settings() -> None:
    settings = {"surface": "code", "autoThreshold": 7, "autoAbove": "apps"}
    config = config_of(profiles={"plain": {}, "own": {"surface": "meta"}}, settings=settings)

    assert config.profiles["plain"] == Profile("plain", surface="code", auto_threshold=7, auto_above="apps")
    assert config.profiles["own"].surface == "meta"


def test_names_match_in_any_letter_case_and_are_spelled_as_defined() -> None:
    config = config_of(
        profiles={"Work": {"servers": ["GITHUB"]}},
        defaultProfile="WORK",
        clients=[{"match": "cursor*", "profile": "work"}, {"match": "*", "profile": None}],
    )

    assert config.profiles["Work"].servers == ("GitHub",)
    assert config.default_profile == "Work"
    assert config.clients == (ClientRule("cursor*", "Work"), ClientRule("*", None))
    assert config_of(defaultProfile=None).default_profile is None


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        ("servers", ["githib"], 'no server is called "githib"', "Did you mean GitHub?"),
        ("servers", ["zzz"], 'no server is called "zzz"', ""),
        ("servers", ["github.*"], 'no server is called "github.*"', "Single tools and patterns belong in include."),
        ("servers", [7], "found a number, expected the name of a server", "Put it in quotes."),
        (
            "include",
            ["github"],
            'found "github", expected a pattern server.tool',
            'Write "github.*" for all its tools.',
        ),
        ("exclude", ["*"], 'found "*", expected a pattern server.tool', 'Write "*.*" for all its tools.'),
        ("confirm", [""], 'found "", expected a pattern server.tool', 'Write "*.*" for all its tools.'),
        ("include", [".x"], 'found ".x", expected a pattern server.tool with both parts', ""),
        ("include", ["x."], 'found "x.", expected a pattern server.tool with both parts', ""),
        ("include", [None], "found null, expected text such as server.tool", ""),
        ("relay", ["tool"], 'found "tool", expected "tools", "prompts" or "resources"', "Did you mean tools?"),
    ],
)
def test_a_faulty_item_of_a_list_is_pointed_at(key: str, value: list[object], message: str, hint: str) -> None:
    assert (f"/{key}/0", message, hint) in profile_faults(**{key: value})


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("autoThreshold", 0, "found 0, expected a whole number from 1 to 500"),
        ("autoThreshold", 501, "found 501, expected a whole number from 1 to 500"),
        ("surface", "mta", 'found "mta", expected "auto", "passthrough", "meta", "code", "apps" or "compact"'),
        ("autoAbove", "code", 'found "code", expected "meta" or "apps"'),
        ("relay", ["prompts"], 'found a list without "tools", which are always passed through'),
        ("relay", [], 'found a list without "tools", which are always passed through'),
        ("budgets", 5, "found a number, expected an object"),
    ],
)
def test_a_faulty_value_of_a_profile_is_refused(key: str, value: object, message: str) -> None:
    assert [found[:2] for found in profile_faults(**{key: value})] == [(f"/{key}", message)]


@pytest.mark.parametrize("reference", ["github", ".x", "github.", "github.*", "*.x"])
def test_overrides_are_keyed_by_exact_references(reference: str) -> None:
    [(pointer, message, _)] = profile_faults(overrides={reference: {}})

    assert pointer == f"/overrides/{reference}"
    assert message.endswith("expected one tool as server.tool, without *")


@pytest.mark.parametrize("name", ["", "a b", "ä", "a" * 65, "a\n"])
def test_the_name_of_an_override_is_a_wire_name(name: str) -> None:
    [(pointer, message, _)] = profile_faults(overrides={"github.x": {"name": name}})

    assert pointer == "/overrides/github.x/name"
    assert message.endswith("expected 1 to 64 of A-Z a-z 0-9 _ -")


def test_two_tools_of_a_profile_cannot_get_one_name() -> None:
    overrides = {"github.a": {"name": "find"}, "linear.b": {"name": "find"}, "github.c": {"name": "Find"}}

    assert profile_faults(overrides=overrides) == [
        ("/overrides/linear.b/name", '"find" is already the name of github.a in this profile', "")
    ]
    assert not faults(
        profiles={"a": {"overrides": {"github.a": {"name": "x"}}}, "b": {"overrides": {"github.b": {"name": "x"}}}}
    )


def test_a_tool_is_overridden_once_in_any_letter_case() -> None:
    assert profile_faults(overrides={"github.a": {}, "GitHub.A": {}}) == [
        ("/overrides/GitHub.A", '"github.a" and "GitHub.A" differ only in letter case', "")
    ]


def test_accounts_are_for_known_servers() -> None:
    assert profile_faults(accounts={"githb": {}, "LINEAR": {"env": {"A": 1}}}) == [
        ("/accounts/githb", 'no server is called "githb"', "Did you mean GitHub?"),
        ("/accounts/LINEAR/env/A", "found a number, expected text", "Put it in quotes."),
    ]


def test_an_unknown_profile_is_refused_with_near_names() -> None:
    rules = [{"match": "a", "profile": "wrk"}, {"match": "b", "profile": None}]

    assert faults(profiles={"work": {}}, defaultProfile="wok", clients=rules) == [
        ("/defaultProfile", 'no profile is called "wok"', "Did you mean work?"),
        ("/clients/0/profile", 'no profile is called "wrk"', "Did you mean work?"),
    ]


def test_a_rule_needs_both_its_keys() -> None:
    assert faults(clients=[{}, {"match": "", "profile": None}, 7]) == [
        ("/clients/0", '"match" is missing', "The client's name, with *."),
        ("/clients/0", '"profile" is missing', "Its profile; null lets it wait without tools."),
        ("/clients/1/match", "found empty text, expected text that is not empty", ""),
        ("/clients/2", "found a number, expected an object", ""),
    ]


def test_names_are_not_held_against_a_section_that_could_not_be_read() -> None:
    parsed = parse_config({"servers": [], "profiles": {"a": {"servers": ["x"], "include": ["y.z"]}}})

    assert [problem.pointer for problem in parsed.problems] == ["/servers"]
    assert parsed.warnings == ()


def test_a_reference_to_a_faulty_server_is_no_second_problem() -> None:
    parsed = parse_config({"servers": {"x": {}}, "profiles": {"a": {"servers": ["x"]}}})

    assert [problem.pointer for problem in parsed.problems] == ["/servers/x"]


def test_patterns_and_overrides_of_unknown_servers_are_warned_about() -> None:
    found = warnings(
        include=["githb.*", "git*.x", "*.x", "GITHUB.x"], exclude=["githb.x"], overrides={"gone.x": {}, "linaer.y": {}}
    )

    assert found == [
        ("/include/0", 'no server is called "githb"', "Did you mean GitHub.*?"),
        ("/exclude/0", 'no server is called "githb"', "Did you mean GitHub?"),
        ("/overrides/gone.x", 'no server is called "gone"', ""),
        ("/overrides/linaer.y", 'no server is called "linaer"', "Did you mean linear?"),
    ]


def test_what_is_listed_twice_counts_once_and_is_warned_about() -> None:
    assert warnings(servers=["github", "GitHub"]) == [("/servers/1", '"GitHub" is listed twice', "")]
    assert profile_of(servers=["github", "GitHub"], include=["a.b", "A.B"]).servers == ("GitHub",)
    assert profile_of(include=["linear.b", "LINEAR.B"]).include == ("linear.b",)
