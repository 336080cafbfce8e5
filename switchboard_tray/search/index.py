"""Which tools answer a query, best first: what the rest of the program knows of searching. Pure.

An index is built once for a list of tools and does not change. numpy is imported with the first one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from switchboard_tray.names import ToolRef
from switchboard_tray.search.exact import TypedNames
from switchboard_tray.search.fields import Reader

if TYPE_CHECKING:
    from switchboard_tray.search.meaning import Matrix, Vectors
    from switchboard_tray.search.query import Group
    from switchboard_tray.search.ranking import Scores

QUERY_CHARS = 2000
PURPOSE_CHARS = 600
EXACT_SCORE = 2.0
# Of the first hits, so many may be tools of one server that have the same words of the query in their names.
_ALIKE, _FIRST = 4, 10
_SERVER_NEARNESS = 0.4


@dataclass(frozen=True, slots=True)
class Document:
    """What a tool is found by; `name` is the one that clients see besides the reference, if it has another."""

    ref: ToolRef
    name: str
    title: str
    description: str
    parameters: tuple[str, ...]
    server_purpose: str


@dataclass(frozen=True, slots=True)
class Hit:
    """A tool found: `score` is 2 for one whose name was typed, else a share of the best score (0 to 1)."""

    ref: ToolRef
    score: float


def build_index(documents: Sequence[Document]) -> Index:
    """The index of `documents`. Takes 0.1 ms a tool or more, so many tools are for a thread of their own."""
    return Index(sorted(documents, key=lambda document: document.ref))


class Index:
    """Made by `build_index`. Safe to ask from several threads."""

    def __init__(self, documents: Sequence[Document]) -> None:
        # Here, so that a gateway that nobody searches never pays for numpy: 100 ms and 25 MB.
        from switchboard_tray.search.scorer import Scorer

        reader = Reader()
        tools = [
            reader.read(one.ref.server, one.ref.tool, one.title, one.description, one.parameters) for one in documents
        ]
        purposes = {one.ref.server: reader.terms(one.server_purpose[:PURPOSE_CHARS]) for one in documents}
        self._documents = documents
        self._typed = TypedNames([one.ref for one in documents], [one.name for one in documents])
        self._in_names = [frozenset(tool.name) for tool in tools]
        self._scorer = Scorer(tools, [one.ref.server for one in documents], purposes)
        self._vocabulary = self._scorer.vocabulary(reader.spellings())
        self._directions: tuple[Vectors, Matrix, Matrix] | None = None

    def search(self, query: str, limit: int, vectors: Vectors | None = None) -> list[Hit]:
        """At most `limit` tools, best first, equally good ones by reference; only tools that share a word with `query`.

        A tool whose name was typed is first. Characters from the 2,000th on are not read. With `vectors`, half of the
        score is nearness in meaning; the first such search reads all tools, 0.02 ms each.
        """
        text = query[:QUERY_CHARS]
        if limit <= 0 or not self._documents:
            return []
        typed = self._typed.find(text)
        hits = [Hit(self._documents[place].ref, EXACT_SCORE) for place in typed[:limit]]
        if len(hits) == limit:
            return hits
        groups = self._vocabulary.groups(text)
        scores = self._scorer.scores(groups, text)
        if vectors is not None and not typed:
            scores = self._blended(scores, vectors, text)
        rest = self._ranked(scores, max(limit, _FIRST) * 4 + len(typed), set(typed))
        if not typed:
            rest = self._spread(rest, groups)
        top = max(float(scores.max()), 1e-9)
        return hits + [Hit(self._documents[at].ref, float(scores[at]) / top) for at in rest[: limit - len(hits)]]

    def near_names(self, query: str, limit: int) -> list[ToolRef]:
        """Tools whose names are spelled like `query`, the nearest first, at most `limit`: for a miss."""
        return [self._documents[place].ref for place in self._typed.near(query, limit)]

    def _ranked(self, scores: Scores, most: int, without: set[int]) -> list[int]:
        order = (-scores).argsort(kind="stable")[:most].tolist()
        return [place for place in order if scores[place] > 0 and place not in without]

    def _spread(self, ranked: list[int], groups: Sequence[Group]) -> list[int]:
        """`ranked`, but a server that names all its tools alike does not fill the first hits, unless it is asked for.

        It is when half of its name stands in the query.
        """
        is_named = self._scorer.servers_named(groups) >= 0.5
        seen: dict[tuple[int, frozenset[int]], int] = {}
        first: list[int] = []
        late: list[int] = []
        for place in ranked:
            server = int(self._scorer.server_of[place])
            in_name = self._in_names[place]
            key = (server, frozenset(at for at, group in enumerate(groups) if not in_name.isdisjoint(group.members)))
            seen[key] = seen.get(key, 0) + 1
            is_late = len(first) < _FIRST and seen[key] > _ALIKE and not is_named[server]
            (late if is_late else first).append(place)
        return first[:_FIRST] + sorted(first[_FIRST:] + late, key=ranked.index)

    def _blended(self, scores: Scores, vectors: Vectors, text: str) -> Scores:
        from switchboard_tray.search.meaning import blend, nearness

        known = self._directions
        if known is None or known[0] is not vectors:
            known = self._directions = (vectors, *self._directed(vectors))
        of_query = vectors.embed([text])[0]
        near = nearness(known[1], of_query) + _SERVER_NEARNESS * nearness(known[2], of_query)[self._scorer.server_of]
        return blend(scores, near)

    def _directed(self, vectors: Vectors) -> tuple[Matrix, Matrix]:
        """The directions of all tools, and of their servers."""
        from switchboard_tray.search.meaning import directions_of_groups, document_text

        texts = [document_text(one.ref.server, one.ref.tool, one.title, one.description) for one in self._documents]
        tools = vectors.embed(texts)
        return tools, directions_of_groups(tools, self._scorer.server_of)
