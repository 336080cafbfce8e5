"""The eleven tools of the notebook: what each does, and the texts and schemas a model gets. Does not call them."""

from switchboard_tray.demo import notes
from switchboard_tray.demo.export import EXPORT_FORMATS, export_notes
from switchboard_tray.demo.notebook import NOTE_ORDERS
from switchboard_tray.demo.notes import Note, Refused, clean_tag, clean_tags, clean_title
from switchboard_tray.demo.parameters import ChoiceParameter, TextListParameter, TextParameter, WholeParameter
from switchboard_tray.demo.results import (
    DELETED_SCHEMA,
    DOCUMENT_SCHEMA,
    NOTE_SCHEMA,
    PAGE_SCHEMA,
    STATS_SCHEMA,
    SUMMARY_SCHEMA,
    TAGS_SCHEMA,
    JsonObject,
    note_object,
    page_object,
    stats_object,
    summary_object,
    tags_object,
)
from switchboard_tray.demo.tool import Call, Effect, Tool

# Numbers past 2**53 are not the same number in every JSON reader.
LARGEST_NUMBER = 2**53 - 1


def _summary(note: Note) -> JsonObject:
    return summary_object(note, notes.excerpt(note.body))


def _add_note(call: Call, title: str, body: str, tags: tuple[str, ...]) -> JsonObject:
    return _summary(call.notebook.add_note(clean_title(title), body, clean_tags(tags)))


def _get_note(call: Call, note_id: int) -> JsonObject:
    return note_object(call.notebook.get_note(note_id))


def _search_notes(call: Call, query: str, limit: int) -> JsonObject:
    if not query.strip():
        raise Refused("query is blank; give at least one word, or use list_notes to see all notes.")
    return page_object(call.notebook.search_notes(query, limit))


def _list_notes(call: Call, tag: str | None, order: str, limit: int, offset: int) -> JsonObject:
    return page_object(call.notebook.list_notes(tag and clean_tag(tag), order, limit, offset))


def _tag_note(call: Call, note_id: int, tags: tuple[str, ...]) -> JsonObject:
    return _summary(call.notebook.tag_note(note_id, clean_tags(tags)))


def _untag_note(call: Call, note_id: int, tags: tuple[str, ...]) -> JsonObject:
    return _summary(call.notebook.untag_note(note_id, clean_tags(tags)))


def _list_tags(call: Call, limit: int) -> JsonObject:
    return tags_object(call.notebook.list_tags(limit))


def _update_note(call: Call, note_id: int, title: str | None, body: str | None) -> JsonObject:
    if title is None and body is None:
        raise Refused("There is nothing to update; give title, body or both.")
    return _summary(call.notebook.update_note(note_id, None if title is None else clean_title(title), body))


def _delete_note(call: Call, note_id: int) -> JsonObject:
    deleted = call.notebook.delete_note(note_id)
    return {"deleted_id": deleted.note_id, "title": deleted.title}


def _export_notes(call: Call, format: str, tag: str | None) -> JsonObject:
    wanted = tag and clean_tag(tag)
    total = call.notebook.count_notes(wanted)
    document = export_notes(call.notebook.iterate_notes(wanted), total, format, call.report)
    return {
        "format": format,
        "document": document.text,
        "note_count": document.note_count,
        "is_complete": document.is_complete,
    }


def _notebook_stats(call: Call) -> JsonObject:
    return stats_object(call.notebook.stats())


_NOTE_ID = WholeParameter("note_id", "Number of the note, its id in other results.", 1, LARGEST_NUMBER, True)
_ONLY_TAG = TextParameter("tag", "Only notes with this tag, for example to-do.", notes.TAG_LIMIT_CHARS)


def _tags(description: str, is_required: bool) -> TextListParameter:
    limits = (notes.TAGS_PER_CALL_LIMIT, notes.TAG_LIMIT_CHARS)
    return TextListParameter("tags", description, *limits, min_items=int(is_required), is_required=is_required)


TOOLS: tuple[Tool, ...] = (
    Tool(
        "add_note",
        "Add a note",
        "Store a new note in the user's notebook. Returns its id. To change a note that exists, use update_note.",
        Effect.ADDS,
        False,
        (
            TextParameter("title", "Short title on one line.", notes.TITLE_LIMIT_CHARS, is_required=True),
            TextParameter("body", "Text of the note; markdown is fine.", notes.BODY_LIMIT_CHARS, 0, default=""),
            _tags("Tags such as to-do: one word each, case does not count.", is_required=False),
        ),
        SUMMARY_SCHEMA,
        _add_note,
    ),
    Tool(
        "get_note",
        "Read a note",
        "Read one note with its whole text. search_notes and list_notes give ids.",
        Effect.READS,
        True,
        (_NOTE_ID,),
        NOTE_SCHEMA,
        _get_note,
    ),
    Tool(
        "search_notes",
        "Search notes",
        "Find notes whose title or text holds all the words of a query, best match first. Returns excerpts; "
        "get_note has the whole text. To find notes by tag, use list_notes.",
        Effect.READS,
        True,
        (
            TextParameter(
                "query",
                "Words to look for, without operators; the beginning of a word is enough.",
                notes.QUERY_LIMIT_CHARS,
                is_required=True,
            ),
            WholeParameter("limit", "How many notes to return at most.", 1, 50, default=10),
        ),
        PAGE_SCHEMA,
        _search_notes,
    ),
    Tool(
        "list_notes",
        "List notes",
        "List notes page by page, all of them or those with one tag. Returns excerpts; get_note has the whole text.",
        Effect.READS,
        True,
        (
            _ONLY_TAG,
            ChoiceParameter("order", "Which notes come first.", tuple(NOTE_ORDERS), "newest"),
            WholeParameter("limit", "How many notes to return at most.", 1, 100, default=20),
            WholeParameter("offset", "How many notes to skip: for the next page.", 0, LARGEST_NUMBER, default=0),
        ),
        PAGE_SCHEMA,
        _list_notes,
    ),
    Tool(
        "tag_note",
        "Tag a note",
        "Add tags to a note; those it has stay. A tag need not exist before.",
        Effect.ADDS,
        True,
        (_NOTE_ID, _tags("Tags to add, such as to-do: one word each, case does not count.", is_required=True)),
        SUMMARY_SCHEMA,
        _tag_note,
    ),
    Tool(
        "untag_note",
        "Take tags off a note",
        "Remove tags from a note; tags that it does not have are passed over.",
        Effect.REPLACES,
        True,
        (_NOTE_ID, _tags("Tags to remove.", is_required=True)),
        SUMMARY_SCHEMA,
        _untag_note,
    ),
    Tool(
        "list_tags",
        "List tags",
        "List the tags in use and how many notes carry each, the most used first.",
        Effect.READS,
        True,
        (WholeParameter("limit", "How many tags to return at most.", 1, 500, default=100),),
        TAGS_SCHEMA,
        _list_tags,
    ),
    Tool(
        "update_note",
        "Change a note",
        "Replace the title, the text or both of a note. What is left out stays. The old text is gone afterwards, so "
        "read the note with get_note first when only a part should change.",
        Effect.REPLACES,
        True,
        (
            _NOTE_ID,
            TextParameter("title", "New title on one line.", notes.TITLE_LIMIT_CHARS),
            TextParameter("body", "New text, in place of all the old text.", notes.BODY_LIMIT_CHARS, 0),
        ),
        SUMMARY_SCHEMA,
        _update_note,
    ),
    Tool(
        "delete_note",
        "Delete a note",
        "Delete a note for good. This cannot be undone: be sure that the user wants it.",
        Effect.REPLACES,
        True,
        (_NOTE_ID,),
        DELETED_SCHEMA,
        _delete_note,
    ),
    Tool(
        "export_notes",
        "Export notes",
        "Write all notes, or those with one tag, as one document, oldest first, up to a million characters. "
        "Long: to look something up, use search_notes.",
        Effect.READS,
        True,
        (ChoiceParameter("format", "Format of the document.", EXPORT_FORMATS, "markdown"), _ONLY_TAG),
        DOCUMENT_SCHEMA,
        _export_notes,
        text_member="document",
    ),
    Tool(
        "notebook_stats",
        "Notebook statistics",
        "Count the notes, tags and characters in the notebook, and tell its size and age.",
        Effect.READS,
        True,
        (),
        STATS_SCHEMA,
        _notebook_stats,
    ),
)
