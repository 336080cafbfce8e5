"""Tools by a typed name, and names that are near."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.search.exact import TypedNames

REFS = [
    ToolRef("git", "git_status"),
    ToolRef("github", "create_issue"),
    ToolRef("jira", "createIssue"),
    ToolRef("jira", "jira_get_board"),
    ToolRef("other", "status"),
    ToolRef("shop", "find " + "very " * 20 + "long"),
    ToolRef("shop", "!?"),
    ToolRef("shop", "shop"),
]
NAMES = TypedNames(REFS, [*(ref.tool for ref in REFS[:-1]), "front_door"])


def found(text: str) -> list[str]:
    return [str(REFS[place]) for place in NAMES.find(text)]


@pytest.mark.parametrize(
    "text",
    [
        "github.create_issue",
        "GitHub.Create_Issue",
        "github__create_issue",
        "mcp__claude__github__create_issue",
        "mcp__gateway__one__github__create_issue",
        " `github.create_issue` ",
        "“github.create_issue”,",
        "github create issue",
        "githubCreateIssue",
        "mcp__claude__github__createIssue",
    ],
)
def test_a_full_name_in_any_spelling_names_its_tool(text: str) -> None:
    assert found(text) == ["github.create_issue"]


@pytest.mark.parametrize(
    ("text", "refs"),
    [
        ("create_issue", ["github.create_issue", "jira.createIssue"]),
        ("createIssue", ["jira.createIssue", "github.create_issue"]),
        ("Create Issue", ["github.create_issue", "jira.createIssue"]),
        ("status", ["other.status", "git.git_status"]),
        ("get_board", ["jira.jira_get_board"]),
        ("front_door", ["shop.shop"]),
        ("!?", ["shop.!?"]),
    ],
)
def test_a_bare_name_finds_the_tools_that_have_it_the_one_spelled_so_first(text: str, refs: list[str]) -> None:
    assert found(text) == refs


def test_a_dot_says_that_a_server_is_meant() -> None:
    refs = [ToolRef("a", "git_status"), ToolRef("git", "Status")]
    names = TypedNames(refs, ["git_status", "Status"])

    assert names.find("git.sta-tus") == [1, 0]
    assert names.find("git sta-tus") == [0, 1]


def test_a_wire_name_that_was_cut_is_known() -> None:
    assert found(wire_name(REFS[5])) == [str(REFS[5])]


@pytest.mark.parametrize("text", ["", "  ", "...", "mcp__", "mcp__x", "mcp__x__y", "no such tool", "_", "\ud800"])
def test_other_text_names_nothing(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("create_isue", "github.create_issue"),
        ("github.create_isue", "github.create_issue"),
        ("mcp__x__jira__creatIssue", "jira.createIssue"),
        ("get_bord", "jira.jira_get_board"),
    ],
)
def test_a_misspelled_name_is_near_the_one_that_was_meant(text: str, first: str) -> None:
    assert str(REFS[NAMES.near(text, 3)[0]]) == first


def test_nothing_is_near_what_looks_like_no_name() -> None:
    assert NAMES.near("zzz", 3) == NAMES.near("", 3) == NAMES.near("create_isue", 0) == NAMES.near("get", -1) == []
    assert len(NAMES.near("create_isue", 1)) == 1


@given(st.text(st.characters(codec=None), max_size=200))
def test_any_text_can_be_looked_up(text: str) -> None:
    assert set(NAMES.find(text)) | set(NAMES.near(text, 5)) <= set(range(len(REFS)))
