"""The tables of `audit.db`: made, brought up to date, filled, kept small. Knows nothing of who writes when.

Source: docs/audit.md.
"""

import logging
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

log = logging.getLogger(__name__)

VERSION = 2
LOCK_WAIT_S = 10
_DAY_S = 86_400
_LEAST_SHARE = 0.05
"""Of the rows, that a prune for size removes at a time."""

_CREATE = """
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  time REAL NOT NULL,
  client TEXT NOT NULL,
  profile TEXT NOT NULL,
  reason TEXT NOT NULL,
  server TEXT NOT NULL,
  tool TEXT NOT NULL,
  origin TEXT NOT NULL,
  status TEXT NOT NULL,
  duration_ms REAL NOT NULL,
  arguments_bytes INTEGER NOT NULL,
  result_bytes INTEGER NOT NULL,
  arguments_tokens INTEGER NOT NULL DEFAULT 0,
  result_tokens INTEGER NOT NULL DEFAULT 0,
  process TEXT NOT NULL DEFAULT '',
  run TEXT NOT NULL DEFAULT '',
  arguments TEXT NOT NULL DEFAULT '',
  result TEXT NOT NULL DEFAULT ''
);
CREATE INDEX calls_by_time ON calls (time);
CREATE TABLE progress (generation TEXT PRIMARY KEY, written INTEGER NOT NULL);
"""
# From each version to the next one. The tables come out as a new file has them.
_UPGRADES = {
    1: """
DROP TABLE IF EXISTS progress;
ALTER TABLE calls ADD COLUMN arguments_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN result_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN process TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN run TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN arguments TEXT NOT NULL DEFAULT '';
ALTER TABLE calls ADD COLUMN result TEXT NOT NULL DEFAULT '';
UPDATE calls SET arguments_tokens = (arguments_bytes + 3) / 4, result_tokens = (result_bytes + 3) / 4;
CREATE TABLE progress (generation TEXT PRIMARY KEY, written INTEGER NOT NULL);
""",
}


class NewerVersion(Exception):
    """The file was written by a later version of us, and is left alone."""


def open_database(path: Path) -> sqlite3.Connection:
    """The database at `path`, in the present version; a file that is none is set aside for a new one.

    Raises `OSError`, `sqlite3.Error` or `NewerVersion` where no rows can be kept there.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        return _open(path)
    except sqlite3.OperationalError:
        # Locked, or a disk that does not answer: the file itself may be well.
        raise
    except sqlite3.DatabaseError:
        for suffix in ("-wal", "-shm", ""):
            part = path.with_name(path.name + suffix)
            if part.exists():
                part.replace(path.with_name(broken_path(path).name + suffix))
        log.warning("audit log: the file was damaged and is now %s; a new one is begun", broken_path(path))
        return _open(path)


def broken_path(path: Path) -> Path:
    """Where a damaged database is put aside."""
    return path.with_name(f"{path.stem}.broken{path.suffix}")


def insert(
    database: sqlite3.Connection, names: Sequence[str], rows: Iterable[Sequence[object]], progress: Mapping[str, int]
) -> None:
    """Keep `rows`, with values for the columns `names`, and how far the journal has been taken in: all or nothing.

    `progress` is the number of the last row of each gateway that is meant.
    """
    places = ", ".join("?" for _ in names)
    with database:
        database.executemany(f"INSERT INTO calls ({', '.join(names)}) VALUES ({places})", rows)
        database.executemany("INSERT OR REPLACE INTO progress VALUES (?, ?)", progress.items())


def read_progress(database: sqlite3.Connection) -> dict[str, int]:
    """The number of the last row of each gateway whose journal was taken in."""
    return dict(database.execute("SELECT generation, written FROM progress").fetchall())


def forget_progress(database: sqlite3.Connection, but: Iterable[str]) -> None:
    """Forget gateways of which the journal holds nothing any more, all but these."""
    kept = set(but)
    with database:
        gone = [(generation,) for generation in read_progress(database) if generation not in kept]
        database.executemany("DELETE FROM progress WHERE generation = ?", gone)


def prune(database: sqlite3.Connection, now: float, days: int, max_mb: int) -> int:
    """Forget rows older than `days`, then the oldest until the rest fits `max_mb`; the number of rows forgotten."""
    with database:
        forgotten = database.execute("DELETE FROM calls WHERE time < ?", (now - days * _DAY_S,)).rowcount
    while (used := _used_bytes(database)) > max_mb << 20:
        total = _number(database, "SELECT count(*) FROM calls")
        if total == 0:
            break
        share = max(_LEAST_SHARE, 1 - (max_mb << 20) / used)
        oldest = "SELECT id FROM calls ORDER BY id LIMIT ?"
        with database:
            rows = database.execute(f"DELETE FROM calls WHERE id IN ({oldest})", (max(1, int(total * share)),)).rowcount
        forgotten += rows
    if forgotten:
        # Gives the room back to the disk. A script runs to its end; `execute` would free one page.
        database.executescript("PRAGMA incremental_vacuum; PRAGMA wal_checkpoint(TRUNCATE);")
    return forgotten


def _open(path: Path) -> sqlite3.Connection:
    path.touch(mode=0o600)
    database = sqlite3.connect(path, timeout=LOCK_WAIT_S)
    try:
        version = _number(database, "PRAGMA user_version")
        if version > VERSION:
            raise NewerVersion(f"{path} is of version {version}, and this Switchboard knows {VERSION}")
        if _number(database, "PRAGMA auto_vacuum") != 2:
            # Holds from the next VACUUM on; without, a file never gets smaller.
            database.execute("PRAGMA auto_vacuum=INCREMENTAL")
            database.execute("VACUUM")
        database.execute("PRAGMA journal_mode=WAL")
        # Survives the end of any process. That of the machine too, but for the last moments.
        database.execute("PRAGMA synchronous=NORMAL")
        _upgrade(database, version)
    except BaseException:
        database.close()
        raise
    return database


def _upgrade(database: sqlite3.Connection, version: int) -> None:
    steps = [_CREATE] if version == 0 else [_UPGRADES[step] for step in range(version, VERSION)]
    if steps:
        # One transaction: a process that is killed in the middle leaves the old version.
        script = "".join(steps)
        try:
            database.executescript(f"BEGIN IMMEDIATE;{script}PRAGMA user_version={VERSION};COMMIT;")
        except sqlite3.Error:
            if database.in_transaction:
                database.rollback()
            raise


def _used_bytes(database: sqlite3.Connection) -> int:
    pages = _number(database, "PRAGMA page_count") - _number(database, "PRAGMA freelist_count")
    return pages * _number(database, "PRAGMA page_size")


def _number(database: sqlite3.Connection, query: str) -> int:
    with closing(database.execute(query)) as cursor:
        found: int = cursor.fetchone()[0]
        return found
