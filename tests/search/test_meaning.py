"""Texts as vectors, and how nearness mixes with the score by words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.search.meaning import (
    PIECES_PER_TEXT,
    Vectors,
    blend,
    directions_of_groups,
    document_text,
    nearness,
)

PIECES = ["rain", "weather", "bill", "##ing", "pay"]
ROWS = np.array([[10, 0, 0], [9, 1, 0], [0, 10, 0], [0, 0, 5], [0, 100, 0]], np.int8)
VECTORS = Vectors(ROWS, np.array([1, 1, 1, 1, 0.1], np.float32), {piece: at for at, piece in enumerate(PIECES)})


def near(one: str, other: str) -> float:
    return float(nearness(VECTORS.embed([one]), VECTORS.embed([other])[0])[0])


def test_texts_of_the_same_meaning_are_near_without_a_shared_word() -> None:
    assert near("Rain", "get_weather") > 0.9
    assert near("rain", "pay") == 0


def test_a_row_is_worth_its_bytes_times_its_scale() -> None:
    assert near("bill", "pay") == pytest.approx(1)


def test_a_word_without_a_row_is_made_of_pieces() -> None:
    ((first, second, third),) = VECTORS.embed(["billing"]).tolist()

    assert (first, second, third) == pytest.approx((0, 0.894, 0.447), abs=1e-3)


@pytest.mark.parametrize("text", ["", "zzz", "billx", "ing", "天气", "\ud800\0"])
def test_a_text_without_a_known_piece_is_near_to_nothing(text: str) -> None:
    assert VECTORS.embed([text]).tolist() == [[0, 0, 0]]
    assert near(text, "rain") == 0


def test_no_texts_give_no_rows() -> None:
    assert VECTORS.embed([]).shape == (0, 3)


def test_many_texts_give_the_same_rows_as_each_alone() -> None:
    texts = ["rain", "", "pay bill"] * 200

    assert np.array_equal(VECTORS.embed(texts), np.concatenate([VECTORS.embed([text]) for text in texts]))


def test_a_text_is_read_up_to_a_number_of_pieces() -> None:
    assert np.array_equal(VECTORS.embed(["rain " * PIECES_PER_TEXT + "bill"]), VECTORS.embed(["rain"]))


def test_of_a_description_the_beginning_is_read() -> None:
    assert document_text("s", "n", "T", "d" * 1000) == f"s n. T {'d' * 300}"


def test_the_direction_of_a_group_is_the_middle_of_its_rows() -> None:
    rows = np.array([[1, 0], [0, 1], [0, 1]], np.float32)

    middles = directions_of_groups(rows, np.array([0, 0, 1], np.int32))
    assert np.allclose(middles, [[0.5**0.5, 0.5**0.5], [0, 1]])
    assert directions_of_groups(rows[:0], np.zeros(0, np.int32)).shape == (0, 2)


def test_score_by_words_and_nearness_count_half_each() -> None:
    scores, near_ones = np.array([4, 2, 0], np.float32), np.array([-0.5, 0.5, 1], np.float32)

    assert blend(scores, near_ones).tolist() == [0.5, 0.5, 0]


def test_without_a_word_or_without_a_direction_scores_stay() -> None:
    none, some = np.zeros(2, np.float32), np.ones(2, np.float32)

    assert blend(none, some) is none
    assert blend(some, none) is some
    assert blend(none[:0], some[:0]).tolist() == []


@given(st.lists(st.text(st.characters(codec=None), max_size=50), max_size=5))
def test_rows_of_any_texts_have_length_1_or_0(texts: list[str]) -> None:
    lengths = np.linalg.norm(VECTORS.embed(texts), axis=1)

    assert all(length == pytest.approx(1, abs=1e-5) or length == 0 for length in lengths.tolist())
