"""Which tools belong to a profile: its servers, plus `include`, minus `exclude`."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.config.model import Config, Profile
from switchboard_tray.profiles.select import select_tools, servers_of
from tests.profiles.samples import catalog_of, config_of

TOOLS = {
    "GitHub": ["create_issue", "delete_repository", "search.code"],
    "notion": ["Search", "write"],
    "off": ["search"],
}
SERVERS: dict[str, Any] = {"GitHub": None, "notion": None, "off": {"command": "off", "enabled": False}, "new": None}


def config_with(**profile: Any) -> Config:
    return config_of(servers=SERVERS, profiles={"p": profile})


def selected(**profile: Any) -> list[str]:
    config = config_with(**profile)
    return [str(one.ref) for one in select_tools(config.profiles["p"], config, catalog_of(config, TOOLS))]


def asked_servers(**profile: Any) -> list[str]:
    config = config_with(**profile)
    return [server.name for server in servers_of(config.profiles["p"], config)]


def test_an_empty_profile_has_no_tools() -> None:
    assert selected() == []
    assert selected(exclude=["*.*"]) == []


def test_a_listed_server_gives_every_tool_in_its_order() -> None:
    assert selected(servers=["github"]) == ["GitHub.create_issue", "GitHub.delete_repository", "GitHub.search.code"]


def test_servers_come_in_the_order_of_the_config() -> None:
    assert selected(servers=["notion", "GitHub"])[0] == "GitHub.create_issue"


def test_include_adds_tools_of_servers_that_are_not_listed() -> None:
    assert selected(servers=["notion"], include=["github.CREATE*"]) == [
        "GitHub.create_issue",
        "notion.Search",
        "notion.write",
    ]


def test_a_tool_that_is_chosen_twice_is_there_once() -> None:
    assert selected(servers=["notion"], include=["notion.*", "*.search"]) == ["notion.Search", "notion.write"]


def test_exclude_wins_over_servers_and_include() -> None:
    tools = selected(servers=["GitHub"], include=["GitHub.delete_repository", "notion.*"], exclude=["*.*e*"])

    assert tools == []


def test_a_name_with_a_dot_is_matched_behind_the_first_dot() -> None:
    assert selected(include=["github.search.*"]) == ["GitHub.search.code"]
    assert selected(include=["*.code"]) == []


def test_a_disabled_server_gives_no_tools() -> None:
    assert selected(servers=["off"], include=["off.*"]) == []
    assert asked_servers(servers=["off", "notion"], include=["off.*"]) == ["notion"]


def test_a_server_that_was_never_listed_gives_no_tools_yet() -> None:
    assert selected(servers=["new"]) == []
    assert asked_servers(servers=["new"]) == ["new"]


@pytest.mark.parametrize(
    ("include", "servers"),
    [
        (["*.search"], ["GitHub", "notion", "new"]),
        (["git*.*"], ["GitHub"]),
        (["N*.gone"], ["notion", "new"]),
        (["gone.*"], []),
    ],
)
def test_servers_that_a_pattern_may_mean_are_asked_for_their_tools(include: list[str], servers: list[str]) -> None:
    assert asked_servers(include=include) == servers


PATTERNS = st.lists(
    st.builds("{}.{}".format, st.sampled_from(["*", "g*", "GITHUB", "notion", "n*n"]), st.text("*aces_.", max_size=5)),
    max_size=3,
)


@given(st.sets(st.sampled_from(["GitHub", "notion"])), PATTERNS, PATTERNS)
def test_the_selection_is_servers_plus_include_minus_exclude(
    servers: set[str], include: list[str], exclude: list[str]
) -> None:
    def fits(patterns: list[str], server: str, tool: str) -> bool:
        # A dot in the tool's part is a plain character: the first one of a pattern alone divides.
        pairs = [pattern.split(".", 1) for pattern in patterns]
        return any(
            re.fullmatch(re.escape(one).replace(r"\*", ".*"), server, re.IGNORECASE)
            and re.fullmatch(re.escape(other).replace(r"\*", ".*"), tool, re.IGNORECASE)
            for one, other in pairs
        )

    expected = [
        f"{server}.{tool}"
        for server in ("GitHub", "notion")
        for tool in TOOLS[server]
        if (server in servers or fits(include, server, tool)) and not fits(exclude, server, tool)
    ]
    config = config_of(servers=SERVERS)
    profile = Profile("p", servers=tuple(servers), include=tuple(include), exclude=tuple(exclude))
    found = select_tools(profile, config, catalog_of(config, TOOLS))

    assert [str(one.ref) for one in found] == expected
