"""The table of meanings: the one in the package, and ones that cannot be loaded."""

import logging
from pathlib import Path

import numpy as np
import pytest

from switchboard_tray.search.meaning import nearness
from switchboard_tray.stores.vectors import VectorStore


def test_the_table_of_the_package_knows_what_is_near() -> None:
    vectors = VectorStore().load()

    assert vectors is not None
    refund, money, weather = vectors.embed(["create_refund", "give the money back", "weather forecast"])
    assert nearness(refund[None], money)[0] > nearness(refund[None], weather)[0] + 0.2


def test_the_table_has_its_notice_beside_it() -> None:
    notice = Path(__file__).parents[2] / "switchboard_tray" / "data" / "toolvec" / "NOTICE"

    assert "Apache-2.0" in notice.read_text("utf-8")


def test_the_table_is_read_once(tmp_path: Path) -> None:
    table = tmp_path / "table.npz"
    write_table(table, 2, "a\nb")
    store = VectorStore(lambda: table)
    first = store.load()
    table.unlink()

    assert first is not None
    assert store.load() is first


def test_a_missing_table_is_said_once_and_search_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    store = VectorStore(lambda: tmp_path / "none.npz")

    with caplog.at_level(logging.WARNING):
        assert store.load() is None
        assert store.load() is None
    assert len(caplog.records) == 1


@pytest.mark.parametrize("content", [b"", b"PK\3\4 not a zip", b"\x93NUMPY", b"cos\nsystem\n"])
def test_a_damaged_table_is_none(tmp_path: Path, content: bytes) -> None:
    table = tmp_path / "table.npz"
    table.write_bytes(content)

    assert VectorStore(lambda: table).load() is None


@pytest.mark.parametrize(("rows", "words"), [(2, "a"), (1, "a\nb"), (1, "é")])
def test_a_table_that_does_not_fit_together_is_none(tmp_path: Path, rows: int, words: str) -> None:
    table = tmp_path / "table.npz"
    write_table(table, rows, words)

    assert VectorStore(lambda: table).load() is None


def write_table(path: Path, rows: int, words: str) -> None:
    vocabulary = np.frombuffer(words.encode(), np.uint8)
    np.savez(path, vec=np.ones((rows, 3), np.int8), scale=np.ones(rows, np.float16), vocab=vocabulary)
