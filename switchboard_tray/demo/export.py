"""Many notes as one markdown or JSON document, of bounded size; reads no file and writes none."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from switchboard_tray.demo.notes import Note
from switchboard_tray.demo.results import note_object

EXPORT_FORMATS = ("markdown", "json")
EXPORT_LIMIT_CHARS = 1_000_000
PROGRESS_STEPS = 20

Report = Callable[[int, int], None]


@dataclass(frozen=True)
class Document:
    """An export: its text, how many notes are in it, and whether that is all of them."""

    text: str
    note_count: int
    is_complete: bool


def export_notes(notes: Iterable[Note], total: int, export_format: str, report: Report) -> Document:
    """Write `notes`, about `total` in number, as a document in one of `EXPORT_FORMATS`.

    Stops before the note that would take it past `EXPORT_LIMIT_CHARS`. `report(done, total)` is called about
    `PROGRESS_STEPS` times with rising numbers, the last time with as many as were written; never for no notes.
    """
    write = _as_json if export_format == "json" else _as_markdown
    step = max(1, total // PROGRESS_STEPS)
    blocks: list[str] = []
    size_chars = reported = 0
    is_complete = True
    for note in notes:
        block = write(note)
        size_chars += len(block)
        if size_chars > EXPORT_LIMIT_CHARS:
            is_complete = False
            break
        blocks.append(block)
        if len(blocks) - reported >= step:
            reported = len(blocks)
            report(reported, total)
    if len(blocks) > reported:
        report(len(blocks), total)
    return Document(_join(blocks, export_format), len(blocks), is_complete)


def _as_json(note: Note) -> str:
    return json.dumps(note_object(note), ensure_ascii=False, indent=2)


def _as_markdown(note: Note) -> str:
    tags = " ".join(f"#{tag}" for tag in note.tags)
    facts = f"*Note {note.note_id}, updated {note.updated_at}*" + (f" {tags}" if tags else "")
    return f"## {note.title}\n\n{facts}\n\n{note.body}".rstrip() + "\n"


def _join(blocks: list[str], export_format: str) -> str:
    if export_format == "json":
        return "[\n" + ",\n".join(blocks) + "\n]" if blocks else "[]"
    return "# Notebook\n\n" + ("\n".join(blocks) or "No notes.\n")
