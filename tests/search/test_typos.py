"""Words nobody wrote, and what may have been meant."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.search.typos import LONGEST, by_first_letter, candidates

KNOWN = by_first_letter(["kubernetes", "issue", "issues", "google", "calendar", "github", "git", "transition", "2024"])
WORDS = st.text("abcde", min_size=4, max_size=12)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kuberntes", ["kubernetes"]),
        ("kubernets", ["kubernetes"]),
        ("isue", ["issue"]),
        ("issuse", ["issue", "issues"]),
        ("googel", ["google"]),
        ("calender", ["calendar"]),
        ("igthub", ["github"]),
        ("transtion", ["transition"]),
    ],
)
def test_a_slip_finds_the_word(typed: str, meant: list[str]) -> None:
    assert candidates(typed, KNOWN) == meant


@pytest.mark.parametrize("typed", ["", "gti", "2034", "zzzz", "xithub", "calaandra", "k" * (LONGEST + 1), "gxyhub"])
def test_a_word_unlike_all_others_finds_none(typed: str) -> None:
    assert candidates(typed, KNOWN) == []


@given(WORDS, st.data())
def test_a_dropped_letter_behind_the_first_is_found(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(1, len(word) - 1))
    typed = word[:at] + word[at + 1 :]

    assert candidates(typed, by_first_letter([word])) == ([word] if len(typed) >= 4 else [])


@given(WORDS, st.data())
def test_two_swapped_letters_are_found(word: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(word) - 2))
    typed = word[:at] + word[at + 1] + word[at] + word[at + 2 :]

    assert candidates(typed, by_first_letter([word])) == [word]


@given(st.text(st.characters(codec=None), max_size=40), st.lists(st.text(max_size=20), max_size=5))
def test_any_text_gets_an_answer_from_the_known_words(typed: str, known: list[str]) -> None:
    assert set(candidates(typed, by_first_letter(known))) <= set(known)
