"""One row for each tool call. A row is a value; whoever has a sink may write it. The sink here is SQLite.

A row is safe when `write` returns: it stands in a journal, which outlives the process, before a thread of its own takes
it into the database with others. So writing never waits for the database, and a killed gateway loses no row. Its
arguments and result, where they are kept, come into the database alone.
"""

import contextlib
import logging
import os
import secrets
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from pathlib import Path
from typing import Protocol

import msgspec

from switchboard_tray.config.model import AuditSettings
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.redact import redact, spellings
from switchboard_tray.stores.audit_database import (
    NewerVersion,
    forget_progress,
    insert,
    open_database,
    prune,
    read_progress,
)

log = logging.getLogger(__name__)

PAUSE_S = 0.25
PRUNE_EVERY_S = 3600.0
RETRY_S = 5.0
MOST_WAITING_ROWS = 10_000
"""While the database takes none, the oldest of more are given up."""
BODY_CHARS = 65_536
HANDED_OVER_BYTES = 2 * BODY_CHARS
"""What is kept of a body until the secrets are out of it: one that stands across the later cut is found whole."""


@dataclass(frozen=True, slots=True)
class AuditRow:
    """A finished tool call."""

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
    arguments_tokens: int = 0
    """What they would take up in a model's context, estimated."""
    result_tokens: int = 0
    process: str = ""
    """The client's process, where it is known."""
    run: str = ""
    """The run of code that made the call; empty for a direct one."""
    arguments: str = ""
    """As JSON, where `settings.audit.bodies` asks for them; on disk cut, and without secrets."""
    result: str = ""


class AuditSink(Protocol):
    """Takes rows."""

    def write(self, row: AuditRow) -> None:
        """Keep `row`; returns at once and never raises."""


def estimate_tokens(size_bytes: int) -> int:
    """About how many tokens of a model so many bytes of JSON are."""
    return -(-size_bytes // 4)


class AuditLog:
    """The rows in `audit.db`, and the newest ones in `audit.journal`. `close` returns when all are in the database.

    `settings` says what is kept now, `hidden` the values that must not be; both are called in the writer's thread.
    """

    def __init__(
        self,
        path: Path,
        settings: Callable[[], AuditSettings] = AuditSettings,
        hidden: Callable[[], Iterable[str]] = tuple,
    ) -> None:
        self._path, self._settings, self._hidden = path, settings, hidden
        self._generation = secrets.token_hex(8)
        self._lock = threading.Lock()
        self._rows: list[AuditRow] = []
        self._written = 0
        self._wake = threading.Event()
        self._is_closing = threading.Event()
        self._is_given_up = False
        self._is_refused = False
        self._journal = _open_journal(path.with_suffix(".journal"))
        self._writer = threading.Thread(target=self._run, name="audit", daemon=True)
        self._writer.start()

    def write(self, row: AuditRow) -> None:
        """Keep `row`; returns at once and never raises."""
        with self._lock:
            if self._is_given_up:
                return
            self._written += 1
            if self._journal is not None:
                self._note_down(self._journal, self._written, row)
            self._rows.append(row)
        if not self._wake.is_set():
            self._wake.set()

    def close(self) -> None:
        """Write what is left and end the thread."""
        self._is_closing.set()
        self._wake.set()
        self._writer.join()

    # -- the writer's thread ---------------------------------------------------------------------------------------

    def _run(self) -> None:
        try:
            database = open_database(self._path)
        except (OSError, sqlite3.Error, NewerVersion) as exc:
            log.error("audit log not opened, calls are not recorded: %s", exc)
            with self._lock:
                self._is_given_up = True
                self._rows.clear()
            return
        with contextlib.closing(database):
            try:
                self._recover(database)
                self._serve(database)
            except Exception:
                log.exception("audit log: bug, calls are no longer recorded")
            finally:
                self._give_up()

    def _serve(self, database: sqlite3.Connection) -> None:
        self._prune(database)
        prune_at = time.monotonic() + PRUNE_EVERY_S
        while not self._is_closing.is_set():
            if time.monotonic() >= prune_at:
                self._prune(database)
                prune_at = time.monotonic() + PRUNE_EVERY_S
            self._wake.wait(RETRY_S if self._is_refused else max(0.0, prune_at - time.monotonic()))
            # Rows that come together go in together; a thread that woke for each would slow the calls down.
            self._is_closing.wait(PAUSE_S)
            self._take_in(database)
        self._take_in(database)

    def _take_in(self, database: sqlite3.Connection) -> None:
        """Bring the rows that wait into the database, and empty the journal if nothing came meanwhile."""
        self._wake.clear()
        with self._lock:
            rows, last = list(self._rows), self._written
        if not rows:
            return
        try:
            insert(database, _NAMES, map(_VALUES, self._kept(rows)), {self._generation: last})
        except sqlite3.Error as exc:
            self._refused(exc)
            return
        self._is_refused = False
        with self._lock:
            # By number: what waited for too long may have been given up meanwhile.
            del self._rows[: max(0, len(self._rows) - (self._written - last))]
            if not self._rows and self._journal is not None:
                os.ftruncate(self._journal, 0)

    def _refused(self, error: sqlite3.Error) -> None:
        """The database takes nothing now: the rows wait for it, as far as there is room."""
        if not self._is_refused:
            log.error("audit log: rows not written yet: %s", error)
        self._is_refused = True
        with self._lock:
            given_up = len(self._rows) - MOST_WAITING_ROWS
            if given_up > 0:
                del self._rows[:given_up]
        if given_up > 0:
            log.error("audit log: %d rows lost, since none are taken", given_up)

    def _kept(self, rows: Sequence[AuditRow]) -> Iterable[AuditRow]:
        """`rows` as they are to be on disk."""
        settings = self._settings()
        if settings.days == 0:
            return ()
        if not any(row.arguments or row.result for row in rows):
            return rows
        if not settings.bodies:
            return [_without_bodies(row) for row in rows]
        try:
            hidden = spellings(self._hidden())
        except SwitchboardError as exc:
            log.error("audit log: no bodies kept, since the secrets to leave out are not known: %s", exc)
            return [_without_bodies(row) for row in rows]

        def shown(body: str) -> str:
            return redact(body, hidden)[:BODY_CHARS]

        return [replace(row, arguments=shown(row.arguments), result=shown(row.result)) for row in rows]

    def _prune(self, database: sqlite3.Connection) -> None:
        settings = self._settings()
        try:
            forgotten = prune(database, time.time(), settings.days, settings.max_mb)
        except sqlite3.Error as exc:
            log.warning("audit log: old rows not removed: %s", exc)
            return
        if forgotten:
            log.info("audit log: %d old rows removed", forgotten)

    def _recover(self, database: sqlite3.Connection) -> None:
        """Take in what gateways that were killed left in the journal."""
        written, lines = read_progress(database), _journal_lines(self._path.with_suffix(".journal"))
        of_others = [line for line in lines if line.generation != self._generation]
        missing = [line for line in of_others if line.number > written.get(line.generation, 0)]
        if missing:
            progress = {line.generation: line.number for line in missing}
            insert(database, _NAMES, (_VALUES(line.row) for line in missing), progress)
            log.info("audit log: %d rows of a gateway that was killed are taken in", len(missing))
        forget_progress(database, but=(line.generation for line in of_others))

    def _note_down(self, journal: int, number: int, row: AuditRow) -> None:
        line = msgspec.json.encode(_Line(self._generation, number, _without_bodies(row))) + b"\n"
        try:
            os.write(journal, line)
        except OSError as exc:
            # The call must not fail for it, and the row is on its way into the database all the same.
            log.warning("audit log: a row is not in the journal: %s", exc)

    def _give_up(self) -> None:
        with self._lock:
            self._is_given_up = True
            if self._journal is not None:
                os.close(self._journal)
                self._journal = None


class _Line(msgspec.Struct, array_like=True):
    """A row in the journal; its number tells whether the database has it already."""

    generation: str
    number: int
    row: AuditRow


_NAMES = tuple(column.name for column in fields(AuditRow))
_VALUES = attrgetter(*_NAMES)


def _without_bodies(row: AuditRow) -> AuditRow:
    return replace(row, arguments="", result="") if row.arguments or row.result else row


def _open_journal(path: Path) -> int | None:
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    except OSError as exc:
        log.warning("audit log: no journal, so a gateway that is killed may lose rows: %s", exc)
        return None


def _journal_lines(path: Path) -> list[_Line]:
    """The whole lines of a journal; the last may be torn."""
    found = []
    for line in path.read_bytes().splitlines() if path.is_file() else ():
        try:
            found.append(msgspec.json.decode(line, type=_Line))
        except msgspec.MsgspecError:
            log.info("audit log: a torn row in the journal is left out")
    return found
