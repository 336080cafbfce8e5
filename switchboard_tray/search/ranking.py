"""BM25 over fields: rank-bm25's Okapi with its parameters and its corpus, but positive weights and postings.

Imports numpy, so it is itself imported when the first index is built. Knows terms only, no tools.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import log
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from rank_bm25 import BM25Okapi  # type: ignore[import-untyped]

Scores: TypeAlias = npt.NDArray[np.float32]
Places: TypeAlias = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Field:
    """How much a term in this part of a document weighs, and how much a long part takes away (0 to 1)."""

    weight: float
    b: float


class FieldedBM25(BM25Okapi):  # type: ignore[misc]
    """BM25F: the weighted frequencies of a term in all fields of a document are added up, then saturated.

    A document is a sequence of fields, each a list of terms. What rank-bm25 counts (`doc_freqs`, `doc_len`, `avgdl`,
    `corpus_size`) is over all fields; `b` of the whole is not used, since each field has its own.
    """

    def __init__(self, corpus: Sequence[Sequence[Sequence[str]]], fields: Sequence[Field], k1: float = 1.2) -> None:
        self._at: dict[str, int] = {}
        super().__init__([list(chain.from_iterable(document)) for document in corpus], k1=k1)
        self._post(corpus, fields)

    def _initialize(self, corpus: Sequence[Sequence[str]]) -> dict[str, int]:
        # rank-bm25 divides by the number of documents.
        found: dict[str, int] = super()._initialize(corpus) if corpus else {}
        return found

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        # rank-bm25's own is zero or negative for a term in half of the documents, of which small profiles have many.
        self.idf = {term: log(1 + (self.corpus_size - count + 0.5) / (count + 0.5)) for term, count in nd.items()}
        self._at = {term: place for place, term in enumerate(nd)}

    def _post(self, corpus: Sequence[Sequence[Sequence[str]]], fields: Sequence[Field]) -> None:
        """Lay out, for each term, the documents that have it and what it is worth there."""
        lengths = np.array([[len(part) for part in document] for document in corpus], np.int64).reshape(-1, len(fields))
        average = lengths.sum(0) / np.maximum(np.count_nonzero(lengths, axis=0), 1)
        b = np.array([field.b for field in fields])
        weight = np.array([field.weight for field in fields])
        worth = weight / (1 - b + b * lengths / np.maximum(average, 1e-9))
        every = chain.from_iterable(chain.from_iterable(corpus))
        places = np.fromiter(map(self._at.__getitem__, every), np.int64)
        size = max(len(corpus), 1)
        documents = np.repeat(np.arange(len(corpus), dtype=np.int64), lengths.sum(1))
        keys, inverse = np.unique(places * size + documents, return_inverse=True)
        frequency = np.bincount(inverse, np.repeat(worth.ravel(), lengths.ravel()), len(keys))
        self._documents: Places = (keys % size).astype(np.int32)
        self._worths: Scores = (frequency * (self.k1 + 1) / (frequency + self.k1)).astype(np.float32)
        self._starts = np.searchsorted(keys, np.arange(len(self._at) + 1) * size).tolist()

    def postings(self, term: str) -> tuple[Places, Scores]:
        """The documents that have `term`, ascending, and its saturated frequency in each."""
        at = self._at.get(term)
        start, end = (0, 0) if at is None else (self._starts[at], self._starts[at + 1])
        return self._documents[start:end], self._worths[start:end]

    def get_scores(self, query: Iterable[str]) -> Any:
        """Scores of all documents; a word that stands in the query twice counts once."""
        scores = np.zeros(self.corpus_size, np.float32)
        for term in dict.fromkeys(query):
            documents, worths = self.postings(term)
            scores[documents] += worths * np.float32(self.idf.get(term, 0))
        return scores
