"""Texts as vectors from a static table, and how their nearness mixes with the score by words. Pure.

Where the table is kept and loaded is `stores.vectors`. Latin script only: other texts have no direction, and are near
to nothing.

Source: data/toolvec/NOTICE; how the table was made and measured stands beside it in the project's research.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

PIECES_PER_TEXT = 256
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_WORD_CHARS = 40
_TEXTS_AT_ONCE = 256
_DESCRIPTION_CHARS = 300

Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Vectors:
    """A table of word pieces: `places` says which row of `rows` a piece has; a row is worth its bytes x its scale."""

    rows: npt.NDArray[np.int8]
    scales: Matrix
    places: Mapping[str, int]

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of length 1 for each text; zeros where no piece of it is known."""
        known: dict[str, tuple[int, ...]] = {}
        parts = [self._embed(texts[at : at + _TEXTS_AT_ONCE], known) for at in range(0, len(texts), _TEXTS_AT_ONCE)]
        return np.concatenate(parts) if parts else np.zeros((0, self.rows.shape[1]), np.float32)

    def _embed(self, texts: Sequence[str], known: dict[str, tuple[int, ...]]) -> Matrix:
        found = [self._pieces_of_text(text, known) for text in texts]
        sums = np.zeros((len(texts), self.rows.shape[1]), np.float32)
        flat = np.array([place for pieces in found for place in pieces], np.int64)
        if not len(flat):
            return sums
        lengths = np.array([len(pieces) for pieces in found])
        filled = np.flatnonzero(lengths)
        starts = np.concatenate([[0], np.cumsum(lengths[filled])[:-1]])
        sums[filled] = np.add.reduceat(self.rows[flat].astype(np.float32) * self.scales[flat, None], starts, axis=0)
        return _directions(sums)

    def _pieces_of_text(self, text: str, known: dict[str, tuple[int, ...]]) -> list[int]:
        pieces: list[int] = []
        for part in _PART.findall(text):
            word = part[:_WORD_CHARS].lower()
            if word not in known:
                known[word] = self._pieces(word)
            pieces += known[word]
            if len(pieces) >= PIECES_PER_TEXT:
                break
        return pieces[:PIECES_PER_TEXT]

    def _pieces(self, word: str) -> tuple[int, ...]:
        """Longest known piece first, as WordPiece does; nothing where a rest of the word has no piece."""
        pieces: list[int] = []
        at = 0
        while at < len(word):
            for end in range(len(word), at, -1):
                place = self.places.get(word[at:end] if at == 0 else f"##{word[at:end]}")
                if place is not None:
                    pieces.append(place)
                    at = end
                    break
            else:
                return ()
        return tuple(pieces)


def document_text(server: str, name: str, title: str, description: str) -> str:
    """What of a tool is turned into a vector."""
    return f"{server} {name}. {title} {description[:_DESCRIPTION_CHARS]}"


def directions_of_groups(rows: Matrix, group_of: npt.NDArray[np.int32]) -> Matrix:
    """One row of length 1 for each group: the middle of its rows."""
    sums = np.zeros((int(group_of.max(initial=-1)) + 1, rows.shape[1]), np.float32)
    np.add.at(sums, group_of, rows)
    return _directions(sums)


def nearness(rows: Matrix, row: Matrix) -> Matrix:
    """The cosine of each of `rows` with `row`, all of length 1."""
    # Not `rows @ row`: for 5,000 rows BLAS wakes other threads and now and then waits 5 ms for one.
    found: Matrix = np.einsum("ij,j->i", rows, row)
    return found


def blend(scores: Matrix, nearness: Matrix) -> Matrix:
    """Half score by words, half nearness, each as a share of its maximum; zero where no word is shared."""
    top, nearest = scores.max(initial=0), nearness.max(initial=0)
    if top <= 0 or nearest <= 0:
        return scores
    return np.where(scores > 0, 0.5 * scores / top + 0.5 * np.maximum(nearness, 0) / nearest, np.float32(0))


def _directions(sums: Matrix) -> Matrix:
    norms = np.linalg.norm(sums, axis=1, keepdims=True)
    np.divide(sums, norms, out=sums, where=norms > 0)
    return sums
