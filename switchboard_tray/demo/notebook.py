"""What can be done with the notes of one file, as SQL; takes clean values and knows nothing of MCP."""

import re
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

from switchboard_tray.demo.database import connect, prepare, supports_full_text, transaction
from switchboard_tray.demo.notes import Note, NotebookStats, NotePage, Refused, TagCount, excerpt

NOTE_ORDERS = {
    "newest": "n.id DESC",
    "oldest": "n.id",
    "recently_updated": "n.updated_at DESC, n.id DESC",
    "title": "n.title COLLATE NOCASE, n.id",
}

_SELECT_NOTE = (
    "SELECT n.id, n.title, n.body, n.created_at, n.updated_at,"
    " (SELECT group_concat(t.tag, ' ') FROM note_tags t WHERE t.note_id = n.id) FROM notes n"
)
_HAS_TAG = "EXISTS (SELECT 1 FROM note_tags f WHERE f.note_id = n.id AND f.tag = ?)"

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """The time now, in UTC."""
    return datetime.now(UTC)


def open_notebook(path: Path, clock: Clock = utc_now, with_full_text: bool = True) -> "Notebook":
    """Notebook in the file at `path`, created with three welcome notes when missing; the caller closes it.

    Without FTS5 in this Python, or with `with_full_text` off, search compares substrings. Raises OSError,
    sqlite3.Error or `UnreadableNotebook` when the file cannot be used.
    """
    connection = connect(path)
    try:
        has_full_text = with_full_text and supports_full_text(connection)
        prepare(connection, _stamp(clock), has_full_text)
    except BaseException:
        connection.close()
        raise
    return Notebook(connection, clock, has_full_text)


class Notebook:
    """Notes with tags in one SQLite file, which other processes may have open too.

    Every method that takes a note id raises `Refused` when there is no such note. Every method raises sqlite3.Error
    when the file stays locked for too long or cannot be used.
    """

    def __init__(self, connection: sqlite3.Connection, clock: Clock, has_full_text: bool) -> None:
        """Take over `connection`, whose tables are ready; `open_notebook` is the usual way here."""
        self._connection = connection
        self._clock = clock
        self._has_full_text = has_full_text

    def close(self) -> None:
        """Close the file; further calls raise sqlite3.ProgrammingError."""
        self._connection.close()

    def add_note(self, title: str, body: str, tags: tuple[str, ...]) -> Note:
        """Store a new note; its id is larger than any id before it."""
        stamp = _stamp(self._clock)
        with transaction(self._connection):
            added = self._connection.execute(
                "INSERT INTO notes (title, body, created_at, updated_at) VALUES (?, ?, ?, ?)",
                (title, body, stamp, stamp),
            )
            assert added.lastrowid is not None
            self._add_tags(added.lastrowid, tags)
            return self.get_note(added.lastrowid)

    def get_note(self, note_id: int) -> Note:
        """The note with `note_id`."""
        row = self._connection.execute(f"{_SELECT_NOTE} WHERE n.id = ?", (note_id,)).fetchone()
        if row is None:
            raise Refused(f"There is no note {note_id}; list_notes and search_notes show the ids that exist.")
        return _note(row)

    def list_notes(self, tag: str | None, order: str, limit: int, offset: int) -> NotePage:
        """One page of all notes, or of those with `tag`; `order` is a key of `NOTE_ORDERS`."""
        where, values = _tag_filter(tag)
        rows = self._connection.execute(
            f"{_SELECT_NOTE}{where} ORDER BY {NOTE_ORDERS[order]} LIMIT ? OFFSET ?", (*values, limit, offset)
        )
        notes = tuple(_note(row) for row in rows)
        return NotePage(notes, tuple(excerpt(note.body) for note in notes), self.count_notes(tag))

    def count_notes(self, tag: str | None) -> int:
        """Number of all notes, or of those with `tag`."""
        where, values = _tag_filter(tag)
        return self._number(f"SELECT count(*) FROM notes n{where}", values)

    def iterate_notes(self, tag: str | None) -> Iterator[Note]:
        """All notes, or those with `tag`, oldest first, read as they are taken."""
        where, values = _tag_filter(tag)
        return map(_note, self._connection.execute(f"{_SELECT_NOTE}{where} ORDER BY n.id", values))

    def search_notes(self, query: str, limit: int) -> NotePage:
        """Notes that hold every word of `query` in title or body, best first.

        With full text, a word matches as the beginning of a word and accents do not count. When that finds nothing,
        and without full text, a word matches anywhere, which is what finds Chinese, Japanese or punctuation.
        """
        parts = query.split()
        words = tuple(word for part in parts if (word := part.strip(".,;:!?\"'()"))) or tuple(parts)
        page = self._search_index(words, limit) if self._has_full_text else None
        return page if page and page.total else self._search_substrings(words, limit)

    def tag_note(self, note_id: int, tags: tuple[str, ...]) -> Note:
        """Give a note `tags` beside those it has."""
        with transaction(self._connection):
            before = self.get_note(note_id)
            self._add_tags(note_id, tags)
            self._touch(note_id, is_changed=not set(tags) <= set(before.tags))
            return self.get_note(note_id)

    def untag_note(self, note_id: int, tags: tuple[str, ...]) -> Note:
        """Take `tags` from a note; those it does not have are passed over."""
        with transaction(self._connection):
            before = self.get_note(note_id)
            self._connection.executemany(
                "DELETE FROM note_tags WHERE note_id = ? AND tag = ?", [(note_id, tag) for tag in tags]
            )
            self._touch(note_id, is_changed=bool(set(tags) & set(before.tags)))
            return self.get_note(note_id)

    def list_tags(self, limit: int) -> tuple[TagCount, ...]:
        """Tags in use, the most used first."""
        rows = self._connection.execute(
            "SELECT tag, count(*) FROM note_tags GROUP BY tag ORDER BY count(*) DESC, tag LIMIT ?", (limit,)
        )
        return tuple(TagCount(tag, count) for tag, count in rows)

    def update_note(self, note_id: int, title: str | None, body: str | None) -> Note:
        """Replace title, body or both; None leaves one as it is. The same text again changes nothing."""
        with transaction(self._connection):
            before = self.get_note(note_id)
            after = (before.title if title is None else title, before.body if body is None else body)
            if after != (before.title, before.body):
                self._connection.execute("UPDATE notes SET title = ?, body = ? WHERE id = ?", (*after, note_id))
                self._touch(note_id, is_changed=True)
            return self.get_note(note_id)

    def delete_note(self, note_id: int) -> Note:
        """Remove a note and its tags for good; returns the note as it was."""
        with transaction(self._connection):
            note = self.get_note(note_id)
            self._connection.execute("DELETE FROM notes WHERE id = ?", (note_id,))
            return note

    def stats(self) -> NotebookStats:
        """Counts over the whole notebook."""
        note_count, character_count, first_created_at, last_updated_at = self._connection.execute(
            "SELECT count(*), coalesce(sum(length(body)), 0), min(created_at), max(updated_at) FROM notes"
        ).fetchone()
        return NotebookStats(
            note_count=note_count,
            untagged_count=self._number("SELECT count(*) FROM notes WHERE id NOT IN (SELECT note_id FROM note_tags)"),
            tag_count=self._number("SELECT count(DISTINCT tag) FROM note_tags"),
            character_count=character_count,
            size_bytes=self._number("PRAGMA page_count") * self._number("PRAGMA page_size"),
            has_full_text=self._has_full_text,
            first_created_at=first_created_at,
            last_updated_at=last_updated_at,
        )

    def _search_index(self, words: tuple[str, ...], limit: int) -> NotePage:
        # In quotes, so that a word such as NOT or a character such as * means itself.
        match = " ".join(f'"{word}"*' for word in (word.replace('"', '""') for word in words))
        # A hit in the title counts four times one in the body.
        rows = self._connection.execute(
            f"{_SELECT_NOTE} JOIN notes_fts ON notes_fts.rowid = n.id WHERE notes_fts MATCH ?"
            " ORDER BY bm25(notes_fts, 4.0, 1.0), n.id DESC LIMIT ?",
            (match, limit),
        )
        total = self._number("SELECT count(*) FROM notes_fts WHERE notes_fts MATCH ?", (match,))
        return _hits(rows, words, total)

    def _search_substrings(self, words: tuple[str, ...], limit: int) -> NotePage:
        # In LIKE, % and _ mean anything; with ! before them they mean themselves.
        patterns = ["%" + re.sub("([%_!])", r"!\1", word) + "%" for word in words]
        where = " AND ".join("(n.title LIKE ? ESCAPE '!' OR n.body LIKE ? ESCAPE '!')" for _ in patterns)
        values = tuple(pattern for pattern in patterns for _ in ("title", "body"))
        rows = self._connection.execute(
            f"{_SELECT_NOTE} WHERE {where} ORDER BY n.title LIKE ? ESCAPE '!' DESC, n.id DESC LIMIT ?",
            (*values, patterns[0], limit),
        )
        return _hits(rows, words, self._number(f"SELECT count(*) FROM notes n WHERE {where}", values))

    def _add_tags(self, note_id: int, tags: tuple[str, ...]) -> None:
        self._connection.executemany("INSERT OR IGNORE INTO note_tags VALUES (?, ?)", [(note_id, tag) for tag in tags])

    def _touch(self, note_id: int, is_changed: bool) -> None:
        if is_changed:
            stamp = _stamp(self._clock)
            self._connection.execute("UPDATE notes SET updated_at = ? WHERE id = ?", (stamp, note_id))

    def _number(self, sql: str, values: tuple[str, ...] = ()) -> int:
        number: int = self._connection.execute(sql, values).fetchone()[0]
        return number


def _tag_filter(tag: str | None) -> tuple[str, tuple[str, ...]]:
    return ("", ()) if tag is None else (f" WHERE {_HAS_TAG}", (tag,))


def _hits(rows: sqlite3.Cursor, words: tuple[str, ...], total: int) -> NotePage:
    notes = tuple(_note(row) for row in rows)
    return NotePage(notes, tuple(excerpt(note.body, words) for note in notes), total)


def _note(row: tuple[int, str, str, str, str, str | None]) -> Note:
    note_id, title, body, created_at, updated_at, tags = row
    return Note(note_id, title, body, tuple(sorted((tags or "").split())), created_at, updated_at)


def _stamp(clock: Clock) -> str:
    return clock().astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
