"""Values of the notebook and the rules for their text; knows neither SQL nor MCP."""

from dataclasses import dataclass

TITLE_LIMIT_CHARS = 200
BODY_LIMIT_CHARS = 100_000
TAG_LIMIT_CHARS = 40
TAGS_PER_CALL_LIMIT = 20
QUERY_LIMIT_CHARS = 200
EXCERPT_CHARS = 160


class Refused(Exception):
    """Something asked of the notebook cannot be done; the message is one sentence for a model, with the way out."""


@dataclass(frozen=True)
class Note:
    """A note as stored; times are UTC in ISO 8601, such as ``2026-01-31T12:00:00Z``."""

    note_id: int
    title: str
    body: str
    tags: tuple[str, ...]
    created_at: str
    updated_at: str


@dataclass(frozen=True)
class NotePage:
    """Some of the notes that match, `excerpts` beside them, and how many match in total."""

    notes: tuple[Note, ...]
    excerpts: tuple[str, ...]
    total: int


@dataclass(frozen=True)
class TagCount:
    """A tag and the number of notes that carry it."""

    tag: str
    note_count: int


@dataclass(frozen=True)
class NotebookStats:
    """Counts over the whole notebook; the two times are None while it is empty."""

    note_count: int
    untagged_count: int
    tag_count: int
    character_count: int
    size_bytes: int
    has_full_text: bool
    first_created_at: str | None
    last_updated_at: str | None


def clean_title(raw: str) -> str:
    """`raw` on one line with single spaces; raises `Refused` when nothing is left."""
    title = " ".join(raw.split())
    if not title:
        raise Refused("title is blank; give the note a title of at least one visible character.")
    return title


def clean_tag(raw: str) -> str:
    """`raw` as a tag: lower case, without a leading ``#``; raises `Refused` when it is not one visible word.

    No tag holds a space, so the tags of a note can be read from one line.
    """
    tag = raw.strip().removeprefix("#").lower()
    if not tag.isprintable() or not tag or any(char.isspace() or char in ",#" for char in tag):
        raise Refused(f"{quote(raw)} is not a tag; use one word without spaces, commas or '#', for example 'to-do'.")
    # lower() can lengthen: a tag of 40 'İ' becomes 80 characters.
    if len(tag) > TAG_LIMIT_CHARS:
        raise Refused(f"{quote(raw)} is too long for a tag; use at most {TAG_LIMIT_CHARS} characters.")
    return tag


def clean_tags(raw: tuple[str, ...]) -> tuple[str, ...]:
    """Every one of `raw` through `clean_tag`, sorted and without repeats."""
    return tuple(sorted({clean_tag(tag) for tag in raw}))


def excerpt(body: str, words: tuple[str, ...] = ()) -> str:
    """Up to `EXCERPT_CHARS` of `body` on one line, around the first of `words` when one occurs; ``…`` marks a cut."""
    text = " ".join(body.split())
    # casefold() may change lengths and so shift the place by a few characters; the cut is only a courtesy.
    folded = text.casefold()
    places = [place for word in words if (place := folded.find(word.casefold())) >= 0]
    start = max(0, min(places, default=0) - EXCERPT_CHARS // 4)
    start = min(start, max(0, len(text) - EXCERPT_CHARS))
    # Begin with a whole word where one begins nearby; a text without spaces has none.
    start = text.find(" ", start, start + EXCERPT_CHARS // 8) + 1 or start if start else 0
    cut = text[start : start + EXCERPT_CHARS]
    return ("…" if start else "") + cut + ("…" if start + len(cut) < len(text) else "")


def quote(text: str) -> str:
    """The beginning of `text` in quotes and on one line, for a message."""
    return repr(shorten(text, 60))


def shorten(text: str, limit_chars: int) -> str:
    """The first `limit_chars` of `text`, with ``…`` when that cuts; halves of surrogate pairs become ``?``."""
    cut = text if len(text) <= limit_chars else text[:limit_chars] + "…"
    return cut.encode("utf-8", "replace").decode("utf-8")
