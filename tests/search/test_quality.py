"""How well 378 labelled queries find their tools among 4,032 real ones; `build/bench/search.py` prints the same."""

import os
from dataclasses import astuple
from pathlib import Path

import pytest

from build.bench.search import Quality, measure, names_not_first, read_documents, read_queries
from switchboard_tray.search.index import Document, Index, build_index
from switchboard_tray.search.meaning import Vectors
from switchboard_tray.stores.vectors import VectorStore


@pytest.fixture(scope="module")
def folder() -> Path:
    named = os.environ.get("SWITCHBOARD_TEST_DATA")
    if not named or not (Path(named) / "queries_dev.jsonl").exists():
        pytest.skip("SWITCHBOARD_TEST_DATA names no folder with catalog.json and queries_dev.jsonl")
    return Path(named)


@pytest.fixture(scope="module")
def documents(folder: Path) -> list[Document]:
    return read_documents(folder)


@pytest.fixture(scope="module")
def index(documents: list[Document]) -> Index:
    return build_index(documents)


def quality(folder: Path, index: Index, vectors: Vectors | None) -> dict[str, Quality]:
    return measure(index, read_queries(folder), vectors)


def test_words_alone_find_the_right_tool(folder: Path, index: Index) -> None:
    found = quality(folder, index, None)["macro"]

    assert all(got >= floor for got, floor in zip(astuple(found), (0.73, 0.83, 0.85, 0.77), strict=True)), found


def test_with_meaning_more_is_found_and_paraphrases_most(folder: Path, index: Index) -> None:
    vectors = VectorStore().load()
    assert vectors is not None
    found = quality(folder, index, vectors)

    assert all(got >= floor for got, floor in zip(astuple(found["macro"]), (0.73, 0.85, 0.875, 0.78), strict=True))
    assert found["task"].mrr >= 0.48


def test_every_name_comes_first_in_every_spelling(documents: list[Document], index: Index) -> None:
    assert names_not_first(documents, index) == []
