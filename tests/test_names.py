"""References, wire names, patterns, and names that are near."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from switchboard_tray.names import (
    OVERRIDE_NAME,
    SERVER_NAME,
    ToolRef,
    did_you_mean,
    hashed_name,
    matches,
    matches_ref,
    near,
    wire_name,
)

WIRE = re.compile(r"[A-Za-z0-9_-]{1,64}")
TOOLS = st.text(st.characters(codec=None), min_size=1, max_size=300)
SERVERS = st.from_regex(SERVER_NAME, fullmatch=True)
GLOBS = st.text("aAbß*İ.\n", max_size=12)
TEXTS = st.text("aAbBßsİi.\n", max_size=12)


@pytest.mark.parametrize(
    ("text", "ref"),
    [
        ("github.create_issue", ToolRef("github", "create_issue")),
        ("github.issues.create", ToolRef("github", "issues.create")),
        ("a..b", ToolRef("a", ".b")),
        ("a.b.", ToolRef("a", "b.")),
    ],
)
def test_a_reference_is_split_at_its_first_dot(text: str, ref: ToolRef) -> None:
    assert ToolRef.parse(text) == ref
    assert str(ref) == text


@pytest.mark.parametrize("text", ["", ".", "github", ".create", "github.", "github__create"])
def test_what_lacks_a_side_is_no_reference(text: str) -> None:
    assert ToolRef.parse(text) is None


@given(SERVERS, TOOLS)
def test_a_reference_reads_back_as_itself(server: str, tool: str) -> None:
    assert ToolRef.parse(str(ToolRef(server, tool))) == ToolRef(server, tool)


def test_references_are_compared_in_any_letter_case() -> None:
    assert ToolRef("GitHub", "STRASSE").folded == ToolRef("github", "straße").folded


@given(SERVERS, TOOLS)
@example("s", "\ud800" * 70)
@example("a" * 32, "b" * 300)
def test_every_tool_has_a_wire_name_that_clients_accept(server: str, tool: str) -> None:
    ref = ToolRef(server, tool)

    assert WIRE.fullmatch(wire_name(ref))
    assert WIRE.fullmatch(hashed_name(ref))
    assert hashed_name(ref) == hashed_name(ToolRef(server, tool))


@pytest.mark.parametrize(
    ("ref", "name"),
    [
        (ToolRef("github", "create_issue"), "github__create_issue"),
        (ToolRef("github", "issues.create"), "github__issues_create"),
        (ToolRef("a-b", "Grüße/1"), "a-b__Gr__e_1"),
        (ToolRef("s", "t" * 61), "s__" + "t" * 61),
    ],
)
def test_a_wire_name_is_server_and_tool_with_other_characters_replaced(ref: ToolRef, name: str) -> None:
    assert wire_name(ref) == name


def test_a_wire_name_of_65_characters_ends_in_a_hash_of_its_reference() -> None:
    one, other = ToolRef("s", "t" * 61 + "x"), ToolRef("s", "t" * 61 + "y")

    assert re.fullmatch(r"s__t{52}_[0-9a-f]{8}", wire_name(one))
    assert len(wire_name(one)) == 64
    assert wire_name(one) != wire_name(other)


def test_a_hashed_name_stays_the_same_over_restarts() -> None:
    assert hashed_name(ToolRef("github", "create.issue")) == "github__create_issue_5256d3bd"


def like_a_regular_expression(pattern: str, text: str) -> bool:
    expression = ".*".join(re.escape(part) for part in pattern.casefold().split("*"))
    return re.fullmatch(expression, text.casefold(), re.DOTALL) is not None


@given(GLOBS, TEXTS)
@example("a*a", "a")
@example("*ab*b*", "ab")
@example("**", "")
@example("a*b*b", "ab")
def test_a_star_stands_for_any_characters_and_nothing_else_is_special(pattern: str, text: str) -> None:
    assert matches(pattern, text) == like_a_regular_expression(pattern, text)


@given(st.lists(TEXTS, min_size=1, max_size=4), st.lists(TEXTS, min_size=3, max_size=3))
def test_what_a_pattern_was_made_of_fits_it(parts: list[str], fillings: list[str]) -> None:
    text = "".join(part + filling for part, filling in zip(parts, [*fillings, ""][-len(parts) :], strict=True))

    assert matches("*".join(parts), text)


@pytest.mark.parametrize("text", ["a[b]?", "A[B]?"])
def test_brackets_and_question_marks_are_plain_characters(text: str) -> None:
    assert matches("a[b]?", text)
    assert not matches("a[b]?", "abc")


def test_many_stars_on_a_long_text_are_decided_at_once() -> None:
    assert not matches("*a" * 50 + "b", "a" * 100_000)


@pytest.mark.parametrize(
    ("pattern", "ref", "fits"),
    [
        ("github.*", ToolRef("GitHub", "x.y"), True),
        ("*.search", ToolRef("notion", "search"), True),
        ("*.search", ToolRef("notion", "re.search"), False),
        ("*.*", ToolRef("a", "b"), True),
        ("g*.a.*", ToolRef("github", "a.b"), True),
        ("git*hub", ToolRef("git", "a.hub"), False),
        ("*", ToolRef("github", "x"), False),
        ("github", ToolRef("github", "x"), False),
        ("git.*", ToolRef("github", "x"), False),
        ("a*z.x", ToolRef("a", "z.x"), False),
    ],
)
def test_a_star_never_reaches_over_the_dot_between_server_and_tool(pattern: str, ref: ToolRef, fits: bool) -> None:
    assert matches_ref(pattern, ref) is fits


def test_server_names_are_of_32_plain_characters() -> None:
    assert all(SERVER_NAME.match(name) for name in ("a", "A-b_9", "_", "x" * 32))
    assert not any(SERVER_NAME.match(name) for name in ("", "-a", "a.b", "ü", "x" * 33, "a\n", "a b"))


def test_override_names_are_of_64_plain_characters() -> None:
    assert all(OVERRIDE_NAME.match(name) for name in ("a", "-a", "x" * 64))
    assert not any(OVERRIDE_NAME.match(name) for name in ("", "a.b", "ü", "x" * 65, "a\n"))


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("githbu", ["github", "github-2"]),
        ("GITHUB", ["github", "github-2"]),
        ("hub", ["github", "github-2"]),
        ("zzz", []),
        ("", []),
        ("gi", []),
    ],
)
def test_near_names_come_best_first(name: str, found: list[str]) -> None:
    assert near(name, ["linear", "github-2", "github", "notion"]) == found


def test_at_most_as_many_near_names_as_asked_for() -> None:
    assert len(near("tool", [f"tool{number}" for number in range(9)])) == 3
    assert near("tool", [f"tool{number}" for number in range(9)], limit=2) == ["tool0", "tool1"]


def test_a_miss_is_answered_with_a_question() -> None:
    assert did_you_mean("githbu", ["github", "linear"]) == "Did you mean github?"
    assert did_you_mean("hub", ["github", "gethub"]) == "Did you mean gethub or github?"
    assert did_you_mean("zzz", ["github"]) == ""
