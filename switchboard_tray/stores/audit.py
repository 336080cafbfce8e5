"""One row for each tool call. A row is a value; whoever has a sink may write it. The sink here is SQLite.

Writing never holds up a call: rows go through a queue to a thread of their own, which commits them in batches.
"""

import logging
import queue
import sqlite3
import threading
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Protocol

log = logging.getLogger(__name__)

VERSION = 1
BATCH_ROWS = 500


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A finished tool call. Neither arguments nor results are in it."""

    time: float
    """When the call came, in seconds since 1970."""
    client: str
    profile: str
    reason: str
    """Why the client has this profile."""
    server: str
    tool: str
    origin: str
    """How it came: mcp, api."""
    status: str
    """ok, tool-error (the tool's own), failed (server or protocol), refused (not in the profile), cancelled."""
    duration_ms: float
    arguments_bytes: int
    result_bytes: int


class AuditSink(Protocol):
    """Takes rows."""

    def write(self, row: AuditRow) -> None:
        """Keep `row`; returns at once."""


class AuditLog:
    """The rows in `audit.db`. `close` returns when all are on disk."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._rows: queue.SimpleQueue[AuditRow | None] = queue.SimpleQueue()
        self._writer = threading.Thread(target=self._run, name="audit", daemon=True)
        self._writer.start()

    def write(self, row: AuditRow) -> None:
        """Keep `row`; returns at once."""
        self._rows.put(row)

    def close(self) -> None:
        """Write what is left and end the thread."""
        self._rows.put(None)
        self._writer.join()

    def _run(self) -> None:
        try:
            database = self._open()
        except (OSError, sqlite3.Error) as exc:
            log.error("audit log not opened, calls are not recorded: %s", exc)
            return
        try:
            while self._write_batch(database):
                pass
        finally:
            database.close()

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path.touch(mode=0o600)
        database = sqlite3.connect(self._path, timeout=10)
        database.execute("PRAGMA journal_mode=WAL")
        columns = ", ".join(f"{column.name} {_sql_type(column.type)} NOT NULL" for column in fields(AuditRow))
        database.execute(f"CREATE TABLE IF NOT EXISTS calls (id INTEGER PRIMARY KEY, {columns})")
        database.execute("CREATE INDEX IF NOT EXISTS calls_by_time ON calls (time)")
        database.execute(f"PRAGMA user_version={VERSION}")
        database.commit()
        return database

    def _write_batch(self, database: sqlite3.Connection) -> bool:
        """Write the rows that wait, at least one; False at the end."""
        rows = [self._rows.get()]
        while len(rows) < BATCH_ROWS and not self._rows.empty():
            rows.append(self._rows.get())
        kept = [astuple(row) for row in rows if row is not None]
        names = [column.name for column in fields(AuditRow)]
        places = ", ".join("?" for _ in names)
        try:
            with database:
                database.executemany(f"INSERT INTO calls ({', '.join(names)}) VALUES ({places})", kept)
        except sqlite3.Error as exc:
            log.error("audit log: %d rows not written: %s", len(kept), exc)
        return None not in rows


def _sql_type(kind: object) -> str:
    return {float: "REAL", int: "INTEGER"}.get(kind, "TEXT") if isinstance(kind, type) else "TEXT"
