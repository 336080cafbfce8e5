"""Rows of finished calls in SQLite: none lost at the end, and a broken file ends no call (docs/audit.md)."""

import sqlite3
import threading
import time
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from switchboard_tray.stores.audit import AuditLog, AuditRow

ROW = AuditRow(
    time=time.time(),
    client="cursor",
    profile="work",
    reason="it is the default profile",
    server="one",
    tool="echo",
    origin="mcp",
    status="ok",
    duration_ms=12.5,
    arguments_bytes=7,
    result_bytes=9,
)


def rows_in(path: Path) -> list[dict[str, Any]]:
    """The rows in order, without their numbers."""
    with closing(sqlite3.connect(path)) as database:
        database.row_factory = sqlite3.Row
        rows = [dict(row) for row in database.execute("SELECT * FROM calls ORDER BY id")]
    return [{key: value for key, value in row.items() if key != "id"} for row in rows]


def test_row_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "state" / "audit.db")
    log.write(ROW)
    log.close()

    assert rows_in(tmp_path / "state" / "audit.db") == [asdict(ROW)]


def test_no_row_is_lost_at_the_end_however_many_wait(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.db")
    for number in range(2000):
        log.write(replace(ROW, arguments_bytes=number))
    log.close()

    assert [row["arguments_bytes"] for row in rows_in(tmp_path / "audit.db")] == list(range(2000))


def test_rows_of_many_threads_all_arrive(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.db")

    def write() -> None:
        for _ in range(100):
            log.write(ROW)

    writers = [threading.Thread(target=write) for _ in range(5)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    log.close()

    assert len(rows_in(tmp_path / "audit.db")) == 500


def test_later_start_adds_to_the_rows_there_are(tmp_path: Path) -> None:
    for name in ("one", "two"):
        log = AuditLog(tmp_path / "audit.db")
        log.write(replace(ROW, server=name))
        log.close()

    assert [row["server"] for row in rows_in(tmp_path / "audit.db")] == ["one", "two"]


def test_file_says_its_version_and_is_for_its_user_alone(tmp_path: Path) -> None:
    AuditLog(tmp_path / "audit.db").close()

    with closing(sqlite3.connect(tmp_path / "audit.db")) as database:
        assert database.execute("PRAGMA user_version").fetchone() >= (1,)
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert (tmp_path / "audit.db").stat().st_mode & 0o077 == 0


def test_reader_sees_rows_while_the_log_is_open(tmp_path: Path) -> None:
    log = AuditLog(tmp_path / "audit.db")
    log.write(ROW)
    log.close()
    second = AuditLog(tmp_path / "audit.db")

    assert len(rows_in(tmp_path / "audit.db")) == 1
    second.close()


def test_damaged_file_is_set_aside_and_rows_are_kept_in_a_new_one(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    path.write_bytes(b"holiday pictures" * 1000)
    log = AuditLog(path)
    log.write(ROW)
    log.close()

    assert rows_in(path) == [asdict(ROW)]
    assert [file for file in tmp_path.iterdir() if file.read_bytes().startswith(b"holiday")] != [path]


def test_place_that_cannot_be_used_keeps_no_rows_and_stops_nobody(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "audit.db").mkdir()
    log = AuditLog(tmp_path / "audit.db")
    log.write(ROW)
    log.close()

    assert "calls are not recorded" in caplog.text


def test_text_that_sqlite_would_take_as_a_command_is_text(tmp_path: Path) -> None:
    odd = replace(ROW, client="'); DROP TABLE calls; --", tool="é\u0000☎")
    log = AuditLog(tmp_path / "audit.db")
    log.write(odd)
    log.close()

    assert rows_in(tmp_path / "audit.db") == [asdict(odd)]
