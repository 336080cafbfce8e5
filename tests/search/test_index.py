"""Tools found by what is asked: names first, small profiles, ties, hostile queries."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.search.index import EXACT_SCORE, QUERY_CHARS, Document, build_index
from switchboard_tray.search.meaning import Vectors

ANY_TEXT = st.text(st.characters(codec=None), max_size=100)
NAMES = st.from_regex(r"[a-z]{2,8}([_-][a-z]{2,8}){0,2}", fullmatch=True)


def document(ref: str, description: str = "", *, title: str = "", parameters: str = "", purpose: str = "") -> Document:
    parsed = ToolRef.parse(ref)
    assert parsed is not None
    return Document(parsed, parsed.tool, title, description, tuple(parameters.split()), purpose)


DOCUMENTS = [
    document("github.create_issue", "Open a new issue in a repository.", parameters="owner repo title"),
    document("github.list_issues", "List the issues of a repository.", parameters="owner repo state"),
    document("github.create_pull_request", "Propose changes.\nA branch is needed.", parameters="head base"),
    document("github.delete_repository", "Delete a repository for good."),
    document("slack.post_message", "Write to a channel.", title="Send a message", purpose="Chat of the team"),
    document("slack.list_channels", "All channels.", purpose="Chat of the team"),
    document("stripe.create_refund", "Return what was charged.", parameters="charge amount"),
    document("weather.get_forecast", "Forecast for a place.", parameters="latitude longitude"),
]
INDEX = build_index(DOCUMENTS)
PLACES = {"refund": 0, "money": 1, "weather": 2, "create": 3}
VECTORS = Vectors(np.array([[9, 1, 0], [10, 0, 0], [0, 10, 0], [0, 0, 2]], np.int8), np.ones(4, np.float32), PLACES)


def found(query: str, limit: int = 10, vectors: Vectors | None = None) -> list[str]:
    return [str(hit.ref) for hit in INDEX.search(query, limit, vectors)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("open an issue", "github.create_issue"),
        ("list isues github", "github.list_issues"),
        ("pr", "github.create_pull_request"),
        ("createpullrequest please", "github.create_pull_request"),
        ("send a message", "slack.post_message"),
        ("slack channel", "slack.list_channels"),
        ("longitude", "weather.get_forecast"),
        ("branch", "github.create_pull_request"),
    ],
)
def test_what_is_asked_for_comes_first(query: str, first: str) -> None:
    assert found(query)[:1] == [first]


@pytest.mark.parametrize("one", DOCUMENTS, ids=lambda one: one.ref.tool)
def test_every_spelling_of_every_name_comes_first(one: Document) -> None:
    words = one.name.split("_")
    camel = words[0] + "".join(word.title() for word in words[1:])
    spellings = [str(one.ref), wire_name(one.ref), f"mcp__x__{wire_name(one.ref)}", one.name, camel, " ".join(words)]

    for text in (*spellings, "-".join(words), one.name.upper()):
        (hit,) = INDEX.search(text, 1)
        assert (hit.ref, hit.score) == (one.ref, EXACT_SCORE)


def test_a_typed_name_is_followed_by_what_its_words_find() -> None:
    assert found("create_issue")[1:2] == ["github.list_issues"]
    assert found("create_issue", 1) == ["github.create_issue"]


def test_scores_are_shares_of_the_best_and_do_not_rise() -> None:
    scores = [hit.score for hit in INDEX.search("issue in a repository", 10)]

    assert scores[0] == pytest.approx(1)
    assert scores == sorted(scores, reverse=True)
    assert scores[-1] > 0


def test_what_a_server_is_for_decides_between_tools_alike() -> None:
    index = build_index(
        [document("a.list_items", purpose="Chat"), document("b.list_items", purpose="Billing of shops")]
    )

    assert index.search("items for billing", 1)[0].ref.server == "b"


def test_a_tool_that_destroys_comes_later_unless_that_is_asked() -> None:
    documents = [document("a.delete_page"), document("a.update_page")]

    assert [hit.ref.tool for hit in build_index(documents).search("the page", 2)] == ["update_page", "delete_page"]
    assert build_index(documents).search("erase the page", 1)[0].ref.tool == "delete_page"


@pytest.mark.parametrize("query", ["", "   ", "?!", "\0", "\ud800", "zzzzqqqq", "the"])
def test_a_query_that_shares_no_word_finds_nothing(query: str) -> None:
    assert found(query) == found(query, vectors=VECTORS) == []


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_below_one_finds_nothing(limit: int) -> None:
    assert found("issue", limit) == []


def test_no_tools_find_nothing() -> None:
    assert build_index([]).search("issue", 10) == []
    assert build_index([]).search("issue", 10, VECTORS) == []
    assert build_index([]).near_names("issue", 3) == []


@pytest.mark.parametrize("count", [1, 2, 3])
def test_in_a_tiny_profile_the_tool_that_fits_is_first_and_others_are_not_found(count: int) -> None:
    index = build_index(DOCUMENTS[:1] + DOCUMENTS[4:][: count - 1])

    assert [str(hit.ref) for hit in index.search("issues in the repo", 10)] == ["github.create_issue"]


def test_a_word_that_every_tool_has_still_finds_them_all() -> None:
    index = build_index([document("a.list_pages"), document("a.get_page")])

    assert [str(hit.ref) for hit in index.search("page", 10)] == ["a.get_page", "a.list_pages"]


def test_equally_good_tools_are_in_the_order_of_their_references() -> None:
    index = build_index([document("b.find_x"), document("c.find_x"), document("a.find_x")])

    assert [str(hit.ref) for hit in index.search("find it", 10)] == ["a.find_x", "b.find_x", "c.find_x"]


def test_a_server_that_names_its_tools_alike_leaves_room_for_others() -> None:
    loud = [document(f"host.web_site_{chr(97 + at)}") for at in range(12)]
    index = build_index([*loud, document("other.page", "Reads a web site.")])

    found = [hit.ref.server for hit in index.search("web site", 10)]
    assert "other" in found
    assert len(found) == 10
    assert [hit.ref.server for hit in index.search("host web site", 10)] == ["host"] * 10


def test_with_vectors_meaning_orders_tools_that_share_a_word() -> None:
    index = build_index([document("a.create_weather"), document("b.create_refund")])
    query = "create money"

    assert [hit.ref.server for hit in index.search(query, 2)] == ["a", "b"]
    assert [hit.ref.server for hit in index.search(query, 2, VECTORS)] == ["b", "a"]
    assert index.search("money", 2, VECTORS) == []


def test_with_vectors_a_typed_name_stays_first() -> None:
    assert found("create_issue", 1, VECTORS) == ["github.create_issue"]
    assert found("weather.get_forecast", 1, VECTORS) == ["weather.get_forecast"]


def test_other_vectors_are_not_answered_from_the_first_ones() -> None:
    index = build_index([document("a.create_weather"), document("b.create_refund")])
    other = Vectors(VECTORS.rows[[2, 1, 1, 3]], VECTORS.scales, PLACES)

    assert index.search("create money", 1, VECTORS)[0].ref.server == "b"
    assert index.search("create money", 1, other)[0].ref.server == "a"


def test_a_tool_is_found_by_the_name_that_clients_see() -> None:
    renamed = Document(ToolRef("github", "create_issue"), "report_a_bug", "", "", (), "")

    assert build_index([*DOCUMENTS[1:], renamed]).search("reportABug", 1)[0].ref == renamed.ref


def test_near_names_are_given_for_a_miss() -> None:
    assert [str(ref) for ref in INDEX.near_names("github__create_isue", 1)] == ["github.create_issue"]
    assert INDEX.near_names("xyz", 3) == []


@pytest.mark.parametrize(
    "query", ["x" * 1_000_000, "issue " * 200_000, "?" * 1_000_000, "\0" * 999, "\ud800 " * 999, "/a" * 500_000]
)
def test_a_hostile_query_is_answered(query: str) -> None:
    assert INDEX.search(query, 5) == INDEX.search(query[:QUERY_CHARS], 5)
    INDEX.near_names(query, 5)


def test_an_index_can_be_imported_without_numpy() -> None:
    code = "import sys, switchboard_tray.search.index; sys.exit('numpy' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@settings(max_examples=40, deadline=None)
@given(ANY_TEXT, st.integers(-1, 12), st.booleans())
def test_any_query_gets_at_most_limit_tools_each_once_and_always_the_same(text: str, limit: int, near: bool) -> None:
    hits = INDEX.search(text, limit, VECTORS if near else None)

    assert len(hits) == len({hit.ref for hit in hits}) <= max(limit, 0)
    assert all(0 < hit.score <= EXACT_SCORE for hit in hits)
    assert hits == build_index(DOCUMENTS[::-1]).search(text, limit, VECTORS if near else None)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(NAMES, NAMES, ANY_TEXT), max_size=8, unique_by=lambda one: one[:2]))
def test_in_any_catalogue_every_full_name_comes_first(tools: list[tuple[str, str, str]]) -> None:
    documents = [document(f"{server}.{tool}", text, title=text) for server, tool, text in tools]
    index = build_index(documents)

    for one in documents:
        assert index.search(str(one.ref), 1)[0].ref == one.ref
