"""How well and how fast tools are found: labelled queries over 4,000 real tools, every name, 500 and 5,000 tools.

    SWITCHBOARD_TEST_DATA=FOLDER .venv/bin/python -m build.bench.search

The folder holds `catalog.json` and `queries_dev.jsonl`; `research/toolsearch.md` beside it says where they are from.
"""

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.search.index import Document, Index, build_index
from switchboard_tray.search.meaning import Vectors
from switchboard_tray.stores.vectors import VectorStore

FIRST = 10
HOSTILE = ("x" * 1_000_000, "word " * 200_000, "?!-_." * 1000, "\0\0", "\ud800 \udfff", "mcp__" * 1000)


@dataclass(frozen=True, slots=True)
class Quality:
    """Shares of queries with a right tool in the first 1, 5 and 10, and the mean of 1/rank of the first right one."""

    hit_1: float
    hit_5: float
    hit_10: float
    mrr: float

    def __str__(self) -> str:
        return f"hit@1 {self.hit_1:.3f}  hit@5 {self.hit_5:.3f}  hit@10 {self.hit_10:.3f}  MRR {self.mrr:.3f}"


def read_documents(folder: Path) -> list[Document]:
    """The tools of the catalogue in `folder`."""
    return [_document(tool) for tool in json.loads((folder / "catalog.json").read_text("utf-8"))]


def read_queries(folder: Path) -> list[dict[str, Any]]:
    """The labelled queries in `folder`: query, relevant, kind."""
    return [json.loads(line) for line in (folder / "queries_dev.jsonl").read_text("utf-8").splitlines() if line]


def measure(index: Index, queries: Sequence[Mapping[str, Any]], vectors: Vectors | None) -> dict[str, Quality]:
    """Quality for each kind of query, and ``macro``: the mean of the kinds, so that a big one does not decide."""
    ranks: dict[str, list[int]] = {}
    for query in queries:
        found = [str(hit.ref) for hit in index.search(query["query"], FIRST, vectors)]
        right = (at for at, ref in enumerate(found, 1) if ref in query["relevant"])
        ranks.setdefault(query["kind"], []).append(next(right, FIRST + 1))
    kinds = {kind: _quality(of_kind) for kind, of_kind in ranks.items()}
    columns = [[one.hit_1, one.hit_5, one.hit_10, one.mrr] for one in kinds.values()]
    return kinds | {"macro": Quality(*(sum(column) / len(kinds) for column in zip(*columns, strict=True)))}


def names_not_first(documents: Sequence[Document], index: Index) -> list[str]:
    """Spellings of full names, and of bare names that one tool has, for which another tool comes first."""
    bare: dict[str, int] = {}
    for one in documents:
        bare[_joined(one.name)] = bare.get(_joined(one.name), 0) + 1
    wrong = []
    for one in documents:
        typed = [str(one.ref), str(one.ref).upper(), wire_name(one.ref), f"mcp__gateway__{wire_name(one.ref)}"]
        typed += _styles(one.name) if bare[_joined(one.name)] == 1 else []
        wrong += [text for text in typed if [hit.ref for hit in index.search(text, 1)] != [one.ref]]
    return wrong


def main() -> None:
    """Print the figures."""
    folder = Path(os.environ["SWITCHBOARD_TEST_DATA"])
    documents, queries = read_documents(folder), read_queries(folder)
    vectors = VectorStore().load()
    index = build_index(documents)
    for title, used in (("words alone", None), ("with the table", vectors)):
        print(f"{title}, {len(documents)} tools, {len(queries)} queries")
        for kind, quality in measure(index, queries, used).items():
            print(f"  {kind:<10} {quality}")
    wrong = names_not_first(documents, index)
    print(f"spellings of names that do not come first: {len(wrong)} {wrong[:5]}")
    texts = [query["query"] for query in queries]
    for count in (500, 5000):
        _print_times(_renamed(documents, count), texts, vectors)


def _print_times(documents: Sequence[Document], texts: Sequence[str], vectors: Vectors | None) -> None:
    build_ms = min(_ms(partial(build_index, documents)) for _ in range(5))
    index = build_index(documents)
    first_ms = _ms(partial(index.search, "first", FIRST, vectors))
    print(f"{len(documents)} tools: built in {build_ms:.0f} ms, first search with the table {first_ms:.0f} ms")
    for title, used in (("words", None), ("table", vectors)):
        times = sorted(_ms(partial(index.search, text, FIRST, used)) for text in texts)
        p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
        print(f"  {title}: p50 {p50:.2f} ms, p95 {p95:.2f} ms, slowest {times[-1]:.2f} ms")
    slowest = max(_ms(partial(index.search, text, FIRST, vectors)) for text in HOSTILE)
    near_ms = _ms(partial(index.near_names, "github__create_isue", 3))
    print(f"  slowest hostile query {slowest:.2f} ms, near names {near_ms:.2f} ms")


def _ms(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return (time.perf_counter() - started) * 1000


def _document(tool: Mapping[str, Any]) -> Document:
    parameters = tuple((tool.get("inputSchema") or {}).get("properties", {}))
    ref = ToolRef(tool["server"], tool["name"])
    return Document(ref, ref.tool, tool.get("title") or "", tool.get("description") or "", parameters, "")


def _renamed(documents: Sequence[Document], count: int) -> list[Document]:
    """The first `count` tools; where there are fewer, then copies of the first ones under other servers."""
    copies = [
        Document(ToolRef(f"{one.ref.server}2", one.ref.tool), one.name, one.title, one.description, one.parameters, "")
        for one in documents
    ]
    return [*documents, *copies][:count]


def _quality(ranks: Sequence[int]) -> Quality:
    def within(most: int) -> float:
        return sum(rank <= most for rank in ranks) / len(ranks)

    return Quality(within(1), within(5), within(10), sum(1 / rank for rank in ranks if rank <= FIRST) / len(ranks))


def _joined(name: str) -> str:
    return "".join(char for char in name if char.isalnum()).casefold()


def _styles(name: str) -> list[str]:
    words = name.replace("-", " ").replace("_", " ").replace(".", " ").split()
    camel = "".join(word[:1].upper() + word[1:] for word in words)
    return [name, camel, camel[:1].lower() + camel[1:], *(mark.join(words).lower() for mark in "_- ")]


if __name__ == "__main__":
    main()
