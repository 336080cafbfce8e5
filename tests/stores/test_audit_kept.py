"""What the audit keeps, how long, and over what: old versions, killed gateways, full disks (docs/audit.md)."""

import os
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from switchboard_tray.config.model import AuditSettings
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.stores import audit
from switchboard_tray.stores.audit import BODY_CHARS, AuditLog, AuditRow, estimate_tokens
from switchboard_tray.stores.audit_database import VERSION, broken_path, open_database
from tests.fixtures.gateway import ROOT

DAY_S = 86_400
ROW = AuditRow(time.time(), "cursor", "work", "it is the default", "one", "echo", "mcp", "ok", 12.5, 7, 9)
TABLE_OF_VERSION_1 = """
CREATE TABLE calls (id INTEGER PRIMARY KEY, time REAL NOT NULL, client TEXT NOT NULL, profile TEXT NOT NULL,
  reason TEXT NOT NULL, server TEXT NOT NULL, tool TEXT NOT NULL, origin TEXT NOT NULL, status TEXT NOT NULL,
  duration_ms REAL NOT NULL, arguments_bytes INTEGER NOT NULL, result_bytes INTEGER NOT NULL);
CREATE INDEX calls_by_time ON calls (time);
PRAGMA user_version=1;
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "audit.db"


def kept(path: Path, columns: str = "tool") -> list[Any]:
    """What the database has of these columns, in order; not in tuples where there is one."""
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute(f"SELECT {columns} FROM calls ORDER BY id").fetchall()
    return [row[0] if len(row) == 1 else row for row in rows]


def write(path: Path, *rows: AuditRow, **keys: Any) -> None:
    """Have a log keep `rows`, from its start to its end."""
    log = AuditLog(path, **keys)
    for row in rows:
        log.write(row)
    log.close()


def settings(**keys: Any) -> Callable[[], AuditSettings]:
    return lambda: AuditSettings(**keys)


def has_rows(path: Path) -> bool:
    with closing(sqlite3.connect(path)) as database:
        tables = database.execute("SELECT name FROM sqlite_master WHERE name='calls'").fetchall()
        return bool(tables) and bool(database.execute("SELECT id FROM calls").fetchall())


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        time.sleep(0.005)


# -- versions of the file ----------------------------------------------------------------------------------------------


def test_file_of_version_1_keeps_its_rows_and_gets_the_columns_of_a_new_one(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as old:
        old.executescript(TABLE_OF_VERSION_1)
        old.execute("INSERT INTO calls VALUES (1, 9e9, 'cursor', 'work', 'why', 'one', 'old', 'mcp', 'ok', 1.5, 5, 8)")
        old.commit()
    write(path, ROW)
    write(path.with_name("new.db"), ROW)

    assert kept(path, "tool, arguments_tokens, result_tokens, run") == [("old", 2, 2, ""), ("echo", 0, 0, "")]
    assert columns(path) == columns(path.with_name("new.db"))


def columns(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA user_version").fetchone() == (VERSION,)
        return [(name, kind) for _, name, kind, *_ in database.execute("PRAGMA table_info(calls)")]


def test_columns_are_the_members_of_a_row(path: Path) -> None:
    write(path)

    assert {name for name, _ in columns(path)} == {"id", *AuditRow.__dataclass_fields__}


def test_file_of_a_later_version_is_left_as_it_is(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as later:
        later.execute(f"PRAGMA user_version={VERSION + 1}")
    before = path.read_bytes()
    write(path, ROW)

    assert path.read_bytes() == before
    assert f"of version {VERSION + 1}" in caplog.text


def test_second_damaged_file_takes_the_place_of_the_first(path: Path) -> None:
    path.parent.mkdir()
    for content in (b"holiday pictures" * 1000, b"letters to myself" * 1000):
        path.write_bytes(content)
        write(path, ROW)

    assert kept(path) == ["echo"]
    assert broken_path(path).read_bytes().startswith(b"letters")


# -- nothing lost ------------------------------------------------------------------------------------------------------

WRITE_AND_DIE = """
import os, signal, sys
from pathlib import Path
from switchboard_tray.stores.audit import AuditLog
from tests.stores.test_audit_kept import ROW, replace
log = AuditLog(Path(sys.argv[1]))
for number in range(int(sys.argv[2])):
    log.write(replace(ROW, arguments_bytes=number))
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_killed_process_loses_no_row_that_was_written_and_none_is_there_twice(path: Path) -> None:
    for _ in range(2):
        environ = {**os.environ, "PYTHONPATH": str(ROOT)}
        killed = subprocess.run([sys.executable, "-c", WRITE_AND_DIE, str(path), "3000"], env=environ)
        assert killed.returncode == -9
    write(path, ROW)
    write(path)

    assert kept(path, "arguments_bytes") == [*range(3000), *range(3000), ROW.arguments_bytes]


def test_rows_of_a_journal_are_taken_in_once_also_where_that_was_cut_short(path: Path) -> None:
    write(path)
    lines = [msgspec.json.encode(["killed", number, replace(ROW, arguments_bytes=number)]) for number in (1, 2, 3)]
    journal = path.with_suffix(".journal")
    journal.write_bytes(b"\n".join([*lines[:2], b'["killed",2,{"time":1.', lines[2]]) + b"\n")
    again = journal.read_bytes()
    write(path)
    journal.write_bytes(again)
    write(path)

    assert kept(path, "arguments_bytes") == [1, 2, 3]


def test_rows_wait_while_another_program_holds_the_database(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("switchboard_tray.stores.audit_database.LOCK_WAIT_S", 0.01)
    monkeypatch.setattr(audit, "RETRY_S", 0.01)
    monkeypatch.setattr(audit, "PAUSE_S", 0.001)
    monkeypatch.setattr(audit, "MOST_WAITING_ROWS", 3)
    log = AuditLog(path)
    log.write(ROW)
    until(lambda: path.exists() and has_rows(path))
    with closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN EXCLUSIVE")
        for number in range(5):
            log.write(replace(ROW, arguments_bytes=number))
        until(lambda: "2 rows lost" in caplog.text)
        other.rollback()
    log.close()

    assert kept(path, "arguments_bytes") == [ROW.arguments_bytes, 2, 3, 4]
    assert caplog.text.count("rows not written yet") == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_full_disk_under_the_journal_fails_no_call_and_the_row_is_kept(path: Path) -> None:
    path.parent.mkdir()
    path.with_suffix(".journal").symlink_to("/dev/full")
    write(path, ROW)

    assert kept(path) == ["echo"]


def test_rows_are_given_up_where_no_database_can_be_opened(path: Path) -> None:
    path.mkdir(parents=True)
    log = AuditLog(path)
    log.close()
    log.write(ROW)

    assert path.with_suffix(".journal").read_bytes() == b""


# -- how long ----------------------------------------------------------------------------------------------------------


def test_rows_older_than_the_days_are_removed_at_the_start(path: Path) -> None:
    old = replace(ROW, time=ROW.time - 3 * DAY_S, tool="old")
    write(path, old, ROW)
    write(path, settings=settings(days=2))

    assert kept(path) == ["echo"]


def test_old_rows_are_removed_from_time_to_time(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(audit, "PRUNE_EVERY_S", 0.01)
    monkeypatch.setattr(audit, "PAUSE_S", 0.001)
    log = AuditLog(path, settings(days=2))
    log.write(replace(ROW, time=ROW.time - 3 * DAY_S, tool="old"))
    log.write(replace(ROW, tool="new"))
    until(lambda: path.exists() and has_rows(path) and kept(path) == ["new"])
    log.close()


def test_no_days_keep_no_calls(path: Path) -> None:
    write(path, ROW)
    write(path, ROW, settings=settings(days=0))

    assert kept(path) == []


def test_oldest_rows_go_when_there_is_too_much_and_the_file_gets_smaller(path: Path) -> None:
    bodies = settings(bodies=True, max_mb=100)
    write(path, *(replace(ROW, tool=f"t{number}", arguments="x" * 60_000) for number in range(60)), settings=bodies)
    assert path.stat().st_size > 3 << 20
    write(path, settings=settings(max_mb=1))

    left = kept(path)
    assert left == [f"t{number}" for number in range(60 - len(left), 60)] and 5 < len(left) < 20
    assert path.stat().st_size <= 1 << 20


def test_file_of_version_1_gets_smaller_too(path: Path) -> None:
    path.parent.mkdir()
    with closing(sqlite3.connect(path)) as old:
        old.executescript(TABLE_OF_VERSION_1)
    open_database(path).close()

    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA auto_vacuum").fetchone() == (2,)


# -- bodies ------------------------------------------------------------------------------------------------------------

SECRET = 'hunter/2 "quoted"'
SPELLINGS = (SECRET, 'hunter/2 \\"quoted\\"', 'hunter\\/2 \\"quoted\\"', "hunter%2F2%20%22quoted%22")


def test_bodies_are_kept_where_that_is_asked_for_without_secrets_however_they_are_spelled(path: Path) -> None:
    row = replace(ROW, arguments=f'{{"a":"{"|".join(SPELLINGS)}"}}', result=f"before {SECRET} after")
    write(path, row, settings=settings(bodies=True), hidden=lambda: [SECRET])

    assert kept(path, "arguments, result") == [('{"a":"•••|•••|•••|•••"}', "before ••• after")]


def test_body_is_cut_and_a_secret_across_the_cut_is_not_half_there(path: Path) -> None:
    row = replace(ROW, result="x" * (BODY_CHARS - 5) + SECRET * 2)
    write(path, row, settings=settings(bodies=True), hidden=lambda: [SECRET])

    (result,) = kept(path, "result")
    assert len(result) == BODY_CHARS and "hunter" not in result


def test_bodies_are_not_kept_where_nobody_asked_for_them_and_never_in_the_journal(path: Path) -> None:
    log = AuditLog(path, settings(bodies=False))
    log.write(replace(ROW, arguments="private words", result="private words"))
    in_journal = path.with_suffix(".journal").read_bytes()
    log.close()

    assert kept(path, "tool, arguments, result") == [("echo", "", "")]
    assert b"echo" in in_journal and b"private" not in in_journal


def test_no_bodies_are_kept_where_the_secrets_are_not_known(path: Path) -> None:
    def damaged() -> list[str]:
        raise SwitchboardError("the secrets file cannot be read")

    write(path, replace(ROW, result="may hold one"), settings=settings(bodies=True), hidden=damaged)

    assert kept(path, "tool, result") == [("echo", "")]


@pytest.mark.parametrize(("size_bytes", "tokens"), [(0, 0), (1, 1), (4, 1), (5, 2)])
def test_tokens_are_estimated_as_a_quarter_of_the_bytes_rounded_up(size_bytes: int, tokens: int) -> None:
    assert estimate_tokens(size_bytes) == tokens
