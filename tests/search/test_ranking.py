"""BM25 over fields: what differs from rank-bm25's own."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

from switchboard_tray.search.ranking import Field, FieldedBM25

WHOLE = (Field(1, 0.75),)
CORPORA = st.lists(st.lists(st.sampled_from("abcdef"), max_size=8), min_size=1, max_size=8)


@given(CORPORA, st.lists(st.sampled_from("abcdefg"), max_size=4, unique=True))
def test_with_one_field_scores_are_those_of_the_formula(corpus: list[list[str]], query: list[str]) -> None:
    ranking = FieldedBM25([(document,) for document in corpus], WHOLE, k1=1.5)

    average = sum(map(len, corpus)) / max(sum(map(bool, corpus)), 1)
    for document, score in zip(corpus, ranking.get_scores(query), strict=True):
        expected = 0.0
        for term in query:
            count = document.count(term)
            if count:
                expected += ranking.idf[term] * count * 2.5 / (count + 1.5 * (0.25 + 0.75 * len(document) / average))
        assert score == pytest.approx(expected, rel=1e-4)


def test_what_rank_bm25_counts_is_what_it_counts() -> None:
    corpus = [["a", "b", "a"], ["b", "c"]]
    own, theirs = FieldedBM25([(document,) for document in corpus], WHOLE, k1=1.5), BM25Okapi(corpus)

    assert (own.doc_freqs, own.doc_len, own.avgdl) == (theirs.doc_freqs, theirs.doc_len, theirs.avgdl)
    assert (own.corpus_size, own.k1, own.b) == (theirs.corpus_size, theirs.k1, theirs.b)
    assert own.get_top_n(["c"], corpus, n=1) == [["b", "c"]]


@given(CORPORA)
def test_every_term_of_a_document_counts_for_it(corpus: list[list[str]]) -> None:
    ranking = FieldedBM25([(document,) for document in corpus], WHOLE)

    for at, document in enumerate(corpus):
        assert all(ranking.get_scores([term])[at] > 0 for term in document)
        assert all(ranking.get_scores([term])[at] == 0 for term in "abcdef" if term not in document)


def test_a_term_in_a_heavier_field_counts_more() -> None:
    ranking = FieldedBM25([(["a"], ["b"]), (["b"], ["a"])], (Field(5, 0.3), Field(1, 0.3)))

    assert ranking.get_scores(["a"])[0] > ranking.get_scores(["a"])[1] > 0


def test_a_term_counts_less_in_a_longer_field_unless_length_is_ignored() -> None:
    corpus = [(["a"],), (["a", "b", "c"],)]

    short, long = FieldedBM25(corpus, (Field(1, 0.75),)).get_scores(["a"])
    assert short > long
    short, long = FieldedBM25(corpus, (Field(1, 0),)).get_scores(["a"])
    assert short == long


def test_no_documents_and_empty_ones_are_fine() -> None:
    assert FieldedBM25([], WHOLE).get_scores(["a"]).tolist() == []
    assert FieldedBM25([([],), ([],)], WHOLE).get_scores(["a"]).tolist() == [0, 0]


def test_a_word_said_twice_counts_once() -> None:
    ranking = FieldedBM25([(["a", "b"],), (["c"],)], WHOLE)

    assert np.array_equal(ranking.get_scores(["a", "a"]), ranking.get_scores(["a"]))
