"""Words of a query as groups of terms."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.search.query import WORDS_PER_QUERY, Vocabulary

RARITY = dict.fromkeys(
    "create pull request issue list kubernete pod transcribe wikipedia me add markdown hour s3 page".split(), 2.0
)
NAMES = "create pull request issue list pod wikipedia me add page".split()
VOCABULARY = Vocabulary(RARITY, NAMES, ["issue", "issues", "kubernetes", "create", "pull"])


def found(query: str) -> list[dict[str, float]]:
    return [dict(group.members) for group in VOCABULARY.groups(query)]


def test_a_word_that_tools_have_stands_for_itself_first() -> None:
    (group,) = VOCABULARY.groups("issues")

    assert (group.term, group.rarity, group.members["issue"]) == ("issue", 2.0, 1.0)


def test_a_word_asked_for_twice_counts_once() -> None:
    assert len(found("issue issue ISSUE")) == 1


def test_a_synonym_weighs_less_than_the_word() -> None:
    (members,) = found("add")

    assert members == {"add": 1.0, "create": 0.3}


def test_a_short_form_stands_for_each_of_its_words() -> None:
    pull, request = found("pr")

    assert (pull["pull"], request["request"]) == (0.8, 0.8)
    assert found("k8s") == [{"kubernete": 0.8}]


def test_another_form_of_a_word_counts_nearly_as_much() -> None:
    assert found("transcribing") == [{"transcribe": 0.75}]


@pytest.mark.parametrize(
    ("typed", "members"),
    [
        ("isue", [{"issue": 0.8}]),
        ("wikip", [{"wikipedia": 0.8}]),
        ("wik", [{"wikipedia": 0.8}]),
        ("createpullrequest", [{"create": 0.9}, {"pull": 0.9}, {"request": 0.9}]),
        ("pullrequest", [{"pull": 0.9}, {"request": 0.9}]),
        ("pullpullpullrequest", []),
        ("zzzz", []),
        ("zz", []),
        ("z" * 60, []),
    ],
)
def test_a_word_that_no_tool_has_is_corrected_completed_or_cut(typed: str, members: list[dict[str, float]]) -> None:
    assert found(typed) == members


def test_a_start_of_several_words_counts_less_for_each() -> None:
    vocabulary = Vocabulary({"wikipedia": 1, "wikipage": 2}, [], [])

    (group,) = vocabulary.groups("wikip")

    assert group.members == {"wikipedia": 0.3, "wikipage": 0.3}


def test_a_known_word_is_completed_from_names_only() -> None:
    vocabulary = Vocabulary({"noti": 1, "notification": 2, "notify": 3}, ["notification"], [])

    (group,) = vocabulary.groups("noti")

    assert group.members == {"noti": 1.0, "notification": 0.3}


def test_words_without_weight_count_only_where_there_is_nothing_else() -> None:
    assert found("give me the list") == found("list")
    assert found("me")[0]["me"] == 1.0


@pytest.mark.parametrize("path", ["/srv/create/list.md", "~/create/list.md", "./create/list.md"])
def test_of_a_path_only_the_ending_counts(path: str) -> None:
    vocabulary = Vocabulary({"md": 1.0, "create": 1.0, "list": 1.0}, [], [])

    assert [group.term for group in vocabulary.groups(f"save as {path}")] == ["md"]
    assert vocabulary.groups("save as /create/list") == []


def test_a_slash_between_words_is_no_path() -> None:
    assert len(found("create/list")) == 2


def test_a_long_query_is_read_up_to_a_number_of_words() -> None:
    known = {f"x{first}{second}": 1.0 for first in "bcdfghjklm" for second in "bcdfghjklm"}

    assert len(Vocabulary(known, [], []).groups(" ".join(known))) == WORDS_PER_QUERY


@given(st.text(st.characters(codec=None), max_size=200))
def test_groups_of_any_text_hold_known_terms_with_shares(text: str) -> None:
    for group in VOCABULARY.groups(text):
        assert group.members and group.members.keys() <= RARITY.keys()
        assert all(0 < weight <= 1 for weight in group.members.values())
        assert group.rarity > 0
