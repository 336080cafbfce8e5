"""Values as the JSON objects that tools return, next to the JSON Schemas that promise them."""

from switchboard_tray.demo.notes import Note, NotebookStats, NotePage, TagCount

JsonObject = dict[str, object]


def object_schema(properties: JsonObject, optional: tuple[str, ...] = ()) -> JsonObject:
    """JSON Schema of an object with exactly `properties`, all required but `optional`."""
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _text(description: str) -> JsonObject:
    return {"type": "string", "description": description}


def _count(description: str) -> JsonObject:
    return {"type": "integer", "minimum": 0, "description": description}


def _array(items: JsonObject, description: str) -> JsonObject:
    return {"type": "array", "items": items, "description": description}


_HEAD: JsonObject = {
    "id": {"type": "integer", "minimum": 1, "description": "Number of the note; the note_id of other tools."},
    "title": _text("Title, one line."),
    "tags": _array({"type": "string"}, "Tags of the note, sorted."),
    "created_at": _text("When it was added: UTC, ISO 8601."),
    "updated_at": _text("When it was last changed: UTC, ISO 8601."),
}

NOTE_SCHEMA = object_schema({**_HEAD, "body": _text("Whole text of the note.")})
SUMMARY_SCHEMA = object_schema({**_HEAD, "excerpt": _text("About 160 characters of the text; … marks a cut.")})
PAGE_SCHEMA = object_schema(
    {
        "notes": _array(SUMMARY_SCHEMA, "Notes found, without their whole text; get_note has that."),
        "total": _count("How many notes match, also beyond these."),
    }
)
TAGS_SCHEMA = object_schema(
    {
        "tags": _array(
            object_schema({"tag": _text("The tag."), "note_count": _count("How many notes carry it.")}),
            "Tags in use, the most used first.",
        )
    }
)
DELETED_SCHEMA = object_schema(
    {
        "deleted_id": {"type": "integer", "minimum": 1, "description": "Number of the note that is gone."},
        "title": _text("Title it had."),
    }
)
DOCUMENT_SCHEMA = object_schema(
    {
        "format": {"type": "string", "enum": ["markdown", "json"], "description": "Format of the document."},
        "document": _text("The notes as one document."),
        "note_count": _count("How many notes are in the document."),
        "is_complete": {"type": "boolean", "description": "False when the size limit cut notes off: export by tag."},
    }
)
STATS_SCHEMA = object_schema(
    {
        "note_count": _count("Notes in the notebook."),
        "untagged_count": _count("Notes without a tag."),
        "tag_count": _count("Different tags in use."),
        "character_count": _count("Characters in the text of all notes."),
        "size_bytes": _count("Size of the notebook file in bytes."),
        "search": {"type": "string", "enum": ["full_text", "substring"], "description": "How search_notes compares."},
        "first_created_at": _text("When the oldest note was added; absent while the notebook is empty."),
        "last_updated_at": _text("When a note was last changed; absent while the notebook is empty."),
    },
    optional=("first_created_at", "last_updated_at"),
)


def note_object(note: Note) -> JsonObject:
    """`note` by `NOTE_SCHEMA`."""
    return {**_head_object(note), "body": note.body}


def summary_object(note: Note, excerpt: str) -> JsonObject:
    """`note` by `SUMMARY_SCHEMA`, with `excerpt` in place of its text."""
    return {**_head_object(note), "excerpt": excerpt}


def page_object(page: NotePage) -> JsonObject:
    """`page` by `PAGE_SCHEMA`."""
    notes = [summary_object(note, excerpt) for note, excerpt in zip(page.notes, page.excerpts, strict=True)]
    return {"notes": notes, "total": page.total}


def tags_object(tags: tuple[TagCount, ...]) -> JsonObject:
    """`tags` by `TAGS_SCHEMA`."""
    return {"tags": [{"tag": tag.tag, "note_count": tag.note_count} for tag in tags]}


def stats_object(stats: NotebookStats) -> JsonObject:
    """`stats` by `STATS_SCHEMA`."""
    times = {"first_created_at": stats.first_created_at, "last_updated_at": stats.last_updated_at}
    return {
        "note_count": stats.note_count,
        "untagged_count": stats.untagged_count,
        "tag_count": stats.tag_count,
        "character_count": stats.character_count,
        "size_bytes": stats.size_bytes,
        "search": "full_text" if stats.has_full_text else "substring",
        **{name: time for name, time in times.items() if time is not None},
    }


def _head_object(note: Note) -> JsonObject:
    return {
        "id": note.note_id,
        "title": note.title,
        "tags": list(note.tags),
        "created_at": note.created_at,
        "updated_at": note.updated_at,
    }
