"""The notebook without MCP: what is stored, found and kept, with and without full-text search."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest

from switchboard_tray.demo.database import UnreadableNotebook, connect, transaction
from switchboard_tray.demo.notebook import Notebook, open_notebook
from switchboard_tray.demo.notes import EXCERPT_CHARS, Refused, clean_tag, excerpt


def ticking_clock() -> Callable[[], datetime]:
    """A clock that is one second later each time it is read."""
    seconds = count()
    return lambda: datetime(2026, 1, 31, tzinfo=UTC) + timedelta(seconds=next(seconds))


@pytest.fixture(params=[True, False], ids=["full_text", "substring"])
def notebook(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Notebook]:
    """A new notebook; every test that takes it runs with and without FTS5."""
    with closing(open_notebook(tmp_path / "notes.db", ticking_clock(), request.param)) as opened:
        yield opened


def found_titles(notebook: Notebook, query: str) -> list[str]:
    return [note.title for note in notebook.search_notes(query, 10).notes]


def test_new_notebook_holds_three_tagged_welcome_notes(notebook: Notebook) -> None:
    page = notebook.list_notes("welcome", "oldest", 10, 0)
    assert [note.note_id for note in page.notes] == [1, 2, 3]
    assert page.total == 3


def test_notebook_makes_its_folder_and_keeps_notes_between_openings(tmp_path: Path) -> None:
    path = tmp_path / "not" / "there" / "notes.db"
    with closing(open_notebook(path)) as first:
        added = first.add_note("Kept", "text", ("a",))
    with closing(open_notebook(path)) as second:
        assert second.get_note(added.note_id) == added


def test_deleted_welcome_notes_do_not_come_back(tmp_path: Path) -> None:
    with closing(open_notebook(tmp_path / "notes.db")) as first:
        for note_id in (1, 2, 3):
            first.delete_note(note_id)
    with closing(open_notebook(tmp_path / "notes.db")) as second:
        assert second.list_notes(None, "newest", 10, 0).total == 0


def test_id_of_a_deleted_note_is_never_given_again(notebook: Notebook) -> None:
    added = notebook.add_note("One", "", ())
    notebook.delete_note(added.note_id)
    assert notebook.add_note("Two", "", ()).note_id == added.note_id + 1


def test_search_needs_every_word_and_puts_title_hits_first(notebook: Notebook) -> None:
    notebook.add_note("Plum cake", "Flour, butter, sugar.", ())
    notebook.add_note("Cooking", "A recipe for plum cake.", ())
    notebook.add_note("Plums", "From the garden.", ())
    assert found_titles(notebook, "plum, cake!") == ["Plum cake", "Cooking"]


def test_search_finds_inside_words_and_in_scripts_without_spaces(notebook: Notebook) -> None:
    notebook.add_note("旅行", "来月は京都に行きます。", ())
    assert found_titles(notebook, "京都") == ["旅行"]
    assert found_titles(notebook, "itchboar") != []


@pytest.mark.parametrize("query", ['"', "NOT", "a OR b*", "title:x", "NEAR(", "^", "%", "_", "!", "-- ;", "{}"])
def test_search_takes_operators_as_plain_text(notebook: Notebook, query: str) -> None:
    notebook.add_note("Odd", f"before {query} after", ())
    assert "Odd" in found_titles(notebook, query)


def test_percent_sign_finds_only_notes_with_a_percent_sign(notebook: Notebook) -> None:
    notebook.add_note("Sale", "100% off", ())
    assert found_titles(notebook, "%") == ["Sale"]


def test_search_follows_updates_and_deletions(notebook: Notebook) -> None:
    note_id = notebook.add_note("Pets", "a zebra", ()).note_id
    notebook.update_note(note_id, None, "an okapi")
    assert (found_titles(notebook, "zebra"), found_titles(notebook, "okapi")) == ([], ["Pets"])
    notebook.delete_note(note_id)
    assert found_titles(notebook, "okapi") == []


def test_search_tells_how_many_match_beyond_the_limit(notebook: Notebook) -> None:
    for number in range(5):
        notebook.add_note(f"Walrus {number}", "", ())
    page = notebook.search_notes("walrus", 2)
    assert (len(page.notes), page.total) == (2, 5)


def test_full_text_search_passes_over_accents(tmp_path: Path) -> None:
    with closing(open_notebook(tmp_path / "notes.db")) as notebook:
        notebook.add_note("Café", "", ())
        assert found_titles(notebook, "cafe") == ["Café"]


def test_notes_written_without_fts5_are_found_once_fts5_is_back(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    open_notebook(path).close()
    with closing(open_notebook(path, with_full_text=False)) as without:
        without.add_note("Naïve quagga", "", ())
        with closing(sqlite3.connect(path)) as other:
            # A trigger that is left would ask a SQLite without FTS5 to write the index, and so refuse every note.
            assert other.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall() == []
    with closing(open_notebook(path)) as again:
        assert found_titles(again, "naive quagga") == ["Naïve quagga"]


def test_pages_in_every_order_join_to_all_notes(notebook: Notebook) -> None:
    notebook.add_note("apple", "", ())
    notebook.update_note(1, "Zoo", None)

    def ids(order: str) -> list[int]:
        return [note.note_id for offset in (0, 2) for note in notebook.list_notes(None, order, 2, offset).notes]

    assert ids("oldest") == [1, 2, 3, 4]
    assert ids("newest") == [4, 3, 2, 1]
    assert ids("recently_updated") == [1, 4, 3, 2]
    assert ids("title") == [4, 2, 3, 1]


def test_tags_are_added_once_counted_and_taken_off(notebook: Notebook) -> None:
    notebook.tag_note(1, ("b", "a"))
    assert notebook.tag_note(1, ("a",)).tags == ("a", "b", "welcome")
    assert [(tag.tag, tag.note_count) for tag in notebook.list_tags(3)] == [("welcome", 3), ("a", 1), ("about", 1)]
    assert notebook.untag_note(1, ("a", "never")).tags == ("b", "welcome")


def test_deleting_a_note_takes_its_tags_out_of_use(notebook: Notebook) -> None:
    notebook.delete_note(3)
    assert "about" not in [tag.tag for tag in notebook.list_tags(10)]


def test_call_that_changes_nothing_leaves_the_time_of_change(notebook: Notebook) -> None:
    before = notebook.get_note(1)
    assert notebook.update_note(1, before.title, before.body) == before
    assert notebook.tag_note(1, ("welcome",)) == before
    assert notebook.untag_note(1, ("never",)) == before


def test_call_that_changes_something_moves_the_time_of_change(notebook: Notebook) -> None:
    times = [
        notebook.get_note(1).updated_at,
        notebook.update_note(1, "New", None).updated_at,
        notebook.tag_note(1, ("new",)).updated_at,
        notebook.untag_note(1, ("new",)).updated_at,
    ]
    assert times == sorted(set(times))


UNKNOWN_NOTE_CALLS: dict[str, Callable[[Notebook], object]] = {
    "get": lambda notebook: notebook.get_note(99),
    "tag": lambda notebook: notebook.tag_note(99, ("a",)),
    "untag": lambda notebook: notebook.untag_note(99, ("a",)),
    "update": lambda notebook: notebook.update_note(99, "a", None),
    "delete": lambda notebook: notebook.delete_note(99),
}


@pytest.mark.parametrize("call", UNKNOWN_NOTE_CALLS.values(), ids=UNKNOWN_NOTE_CALLS)
def test_unknown_note_is_refused(notebook: Notebook, call: Callable[[Notebook], object]) -> None:
    with pytest.raises(Refused, match="no note 99"):
        call(notebook)


def test_stats_of_an_emptied_notebook_have_no_times(notebook: Notebook) -> None:
    for note_id in (1, 2, 3):
        notebook.delete_note(note_id)
    stats = notebook.stats()
    assert (stats.note_count, stats.tag_count, stats.character_count) == (0, 0, 0)
    assert stats.first_created_at is stats.last_updated_at is None


def test_two_openings_of_one_file_see_each_others_notes(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    with closing(open_notebook(path)) as one, closing(open_notebook(path)) as two:
        assert two.get_note(one.add_note("Shared", "", ()).note_id).title == "Shared"
        assert one.get_note(two.add_note("Back", "", ()).note_id).title == "Back"


def test_failed_write_leaves_nothing_behind(tmp_path: Path) -> None:
    open_notebook(tmp_path / "notes.db").close()
    with closing(connect(tmp_path / "notes.db")) as connection:
        with pytest.raises(sqlite3.IntegrityError), transaction(connection):
            connection.execute("DELETE FROM note_tags")
            connection.execute("INSERT INTO note_tags VALUES (99, 'no such note')")
        assert connection.execute("SELECT count(*) FROM note_tags").fetchone() == (5,)


def test_file_of_a_later_version_is_refused_and_left_alone(tmp_path: Path) -> None:
    with closing(connect(tmp_path / "notes.db")) as connection:
        connection.execute("PRAGMA user_version = 2")
    with pytest.raises(UnreadableNotebook, match="version 2"):
        open_notebook(tmp_path / "notes.db")


def test_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    path.write_bytes(b"holiday pictures" * 100)
    with pytest.raises(sqlite3.DatabaseError):
        open_notebook(path)
    assert path.read_bytes() == b"holiday pictures" * 100


@pytest.mark.parametrize(
    ("raw", "tag"), [(" #To-Do ", "to-do"), ("Été", "été"), ("हिन्दी", "हिन्दी"), ("a/b_1", "a/b_1")]
)
def test_tag_is_lower_case_without_its_hash(raw: str, tag: str) -> None:
    assert clean_tag(raw) == tag


@pytest.mark.parametrize("raw", ["", " ", "#", "two words", "a,b", "a\tb", "a\u200bb", "\ud800", "İ" * 40])
def test_text_that_is_not_one_visible_word_is_no_tag(raw: str) -> None:
    with pytest.raises(Refused):
        clean_tag(raw)


def test_excerpt_shows_the_place_of_the_word_and_marks_both_cuts() -> None:
    shown = excerpt("start " * 100 + "needle" + " end" * 100, ("needle",))
    assert "needle" in shown
    assert shown.startswith("…start") and shown.endswith("…")
    assert len(shown) <= EXCERPT_CHARS + 2


def test_excerpt_of_a_short_text_is_that_text_on_one_line() -> None:
    assert excerpt("one\n two", ("two",)) == "one two"
