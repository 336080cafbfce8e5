"""The notebook's SQLite file: opening it, its tables, its search index, its first notes. Asks no questions of it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCHEMA_VERSION = 1
BUSY_TIMEOUT_S = 2.0

TABLES = (
    # AUTOINCREMENT: a model may remember the id of a deleted note, so an id must never mean another note.
    "CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY AUTOINCREMENT, title TEXT NOT NULL, body TEXT NOT NULL,"
    " created_at TEXT NOT NULL, updated_at TEXT NOT NULL)",
    "CREATE TABLE IF NOT EXISTS note_tags (note_id INTEGER NOT NULL REFERENCES notes (id) ON DELETE CASCADE,"
    " tag TEXT NOT NULL, PRIMARY KEY (note_id, tag)) WITHOUT ROWID",
    "CREATE INDEX IF NOT EXISTS note_tags_by_tag ON note_tags (tag)",
)

_FORGET = "INSERT INTO notes_fts (notes_fts, rowid, title, body) VALUES ('delete', old.id, old.title, old.body);"
_LEARN = "INSERT INTO notes_fts (rowid, title, body) VALUES (new.id, new.title, new.body);"

FULL_TEXT_INDEX = (
    "CREATE VIRTUAL TABLE IF NOT EXISTS notes_fts USING fts5 (title, body, content='notes', content_rowid='id')",
    f"CREATE TRIGGER notes_fts_insert AFTER INSERT ON notes BEGIN {_LEARN} END",
    f"CREATE TRIGGER notes_fts_delete AFTER DELETE ON notes BEGIN {_FORGET} END",
    f"CREATE TRIGGER notes_fts_update AFTER UPDATE OF title, body ON notes BEGIN {_FORGET} {_LEARN} END",
    "INSERT INTO notes_fts (notes_fts) VALUES ('rebuild')",
)

DROP_TRIGGERS = (
    "DROP TRIGGER IF EXISTS notes_fts_insert",
    "DROP TRIGGER IF EXISTS notes_fts_delete",
    "DROP TRIGGER IF EXISTS notes_fts_update",
)

WELCOME_NOTES: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Welcome to the demo notebook",
        "This notebook is a small MCP server that comes with Switchboard. Your AI app reaches it through the gateway, "
        "like any other server, so it is a safe place to see how that works.\n\n"
        'Ask your assistant: "What is in my notebook?" It should find this note.',
        ("welcome",),
    ),
    (
        "Things to ask your assistant",
        '- "Write down three ideas for the weekend, one note each, tagged weekend."\n'
        '- "Which notes mention the gateway?"\n'
        '- "Tag every note about Switchboard with to-read."\n'
        '- "Export all my notes as markdown."\n'
        '- "Delete the welcome notes." (A careful client asks you first.)',
        ("welcome", "ideas"),
    ),
    (
        "Where your notes live",
        "Every note is a row in one SQLite file on this computer; nothing is sent anywhere by this server. "
        "The notes stay when the server stops, and several apps may use the notebook at the same time.",
        ("welcome", "about"),
    ),
)


class UnreadableNotebook(Exception):
    """The file is no notebook that this version can use; the message says why and what to do."""


def connect(path: Path, busy_timeout_s: float = BUSY_TIMEOUT_S) -> sqlite3.Connection:
    """Connection to the file at `path`, created with its folder when missing; waits `busy_timeout_s` for a lock.

    Raises OSError when the folder cannot be made and sqlite3.Error when the file cannot be opened or is no database.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # isolation_level=None: transactions are begun by `transaction` alone, not by the module's guess.
    connection = sqlite3.connect(path, timeout=busy_timeout_s, isolation_level=None)
    try:
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def prepare(connection: sqlite3.Connection, stamp: str, with_full_text: bool) -> None:
    """Make tables, index and, in a new file, the welcome notes; `stamp` is the time they carry.

    Safe when several processes open a new file at once. Raises `UnreadableNotebook` for a file of a later version.
    """
    with transaction(connection):
        version: int = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > SCHEMA_VERSION:
            raise UnreadableNotebook(
                f"the notebook has version {version}, this server knows {SCHEMA_VERSION}; update Switchboard"
            )
        _run(connection, TABLES)
        _settle_index(connection, with_full_text)
        if version == 0:
            _add_welcome_notes(connection, stamp)
            connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def supports_full_text(connection: sqlite3.Connection) -> bool:
    """Whether this Python's SQLite was built with FTS5."""
    try:
        connection.execute("CREATE VIRTUAL TABLE temp.fts5_probe USING fts5 (text)")
    except sqlite3.OperationalError:
        return False
    connection.execute("DROP TABLE temp.fts5_probe")
    return True


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Hold the write lock for the block; commits at its end, rolls back when it raises."""
    # IMMEDIATE: a read that turns into a write later gets "locked" at once, whatever the busy timeout says.
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back by itself after some errors, such as a full disk.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _use_wal(connection: sqlite3.Connection) -> None:
    try:
        connection.execute("PRAGMA journal_mode = WAL").fetchone()
    except sqlite3.OperationalError as exc:
        # The switch does not wait for locks. When another process is at it, the file is about to be WAL anyway.
        if "locked" not in str(exc):
            raise


def _settle_index(connection: sqlite3.Connection, with_full_text: bool) -> None:
    """Leave the index complete and fed by triggers, or no trigger at all.

    A Python without FTS5 cannot write a note while a trigger feeds the index, so it drops them; the next Python with
    FTS5 finds none and builds the index anew.
    """
    if not with_full_text:
        _run(connection, DROP_TRIGGERS)
    elif not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'notes_fts_update'").fetchone():
        _run(connection, FULL_TEXT_INDEX)


def _add_welcome_notes(connection: sqlite3.Connection, stamp: str) -> None:
    for title, body, tags in WELCOME_NOTES:
        note_id = connection.execute(
            "INSERT INTO notes (title, body, created_at, updated_at) VALUES (?, ?, ?, ?)", (title, body, stamp, stamp)
        ).lastrowid
        connection.executemany("INSERT INTO note_tags VALUES (?, ?)", [(note_id, tag) for tag in tags])


def _run(connection: sqlite3.Connection, statements: tuple[str, ...]) -> None:
    # Not executescript: it commits the open transaction first.
    for statement in statements:
        connection.execute(statement)
