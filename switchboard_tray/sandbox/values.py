"""Tool results as the values that a script gets. Pure.

Structured content is taken as it is; else each block of content: text that is one JSON value as that value, other text
as a string, images and the like as a short note, since a script has no use for their bytes.
"""

from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.protocol.messages import dumps, read_members, read_text
from switchboard_tray.protocol.spans import items
from switchboard_tray.sandbox.model import ToolFailed

VALUE_BYTES = 8 << 20
MESSAGE_CHARS = 4000
_any = msgspec.json.Decoder(Raw).decode


class Notes:
    """The blocks that a script got a note for, in one run."""

    def __init__(self) -> None:
        self._blocks: dict[str, Raw] = {}

    def add(self, kind: str, block: Raw, size_bytes: int, media: str) -> str:
        """The note for a block."""
        note = f"[{' '.join(part for part in (kind, media) if part)} {size_bytes} bytes #{len(self._blocks) + 1}]"
        self._blocks[note] = block
        return note

    def named_in(self, text: str) -> list[Raw]:
        """The blocks whose notes stand in `text`, in the order in which the script got them."""
        return [block for note, block in self._blocks.items() if note in text]


def to_value(tool: str, result: bytes | Raw, notes: Notes) -> bytes:
    """The JSON that a call of `tool` gives to the script. Raises `ToolFailed` for a result that says it is an error."""
    members = read_members(result)
    if bytes(members.get("isError", b"")) == b"true":
        raise ToolFailed(f"{tool}: {_words_of(members) or 'the tool failed and did not say why'}"[:MESSAGE_CHARS])
    structured = members.get("structuredContent")
    value = bytes(structured) if structured is not None else _of_content(members.get("content"), notes)
    if len(value) > VALUE_BYTES:
        raise ToolFailed(f"{tool}: its answer has {len(value)} bytes, more than the {VALUE_BYTES} a script can get")
    return value


def _of_content(content: Raw | None, notes: Notes) -> bytes:
    values = [_of_block(block, notes) for block in _blocks(content)]
    if len(values) == 1:
        return values[0]
    return b"[" + b",".join(values) + b"]" if values else b"null"


def _blocks(content: Raw | None) -> list[Raw]:
    try:
        return items(content) if content is not None else []
    except msgspec.MsgspecError:
        return []


def _of_block(block: Raw, notes: Notes) -> bytes:
    members = read_members(block)
    kind = read_text(members.get("type"))
    media = read_text(members.get("mimeType")) or ""
    match kind:
        case "text":
            return _of_text(members.get("text"))
        case "image" | "audio":
            return dumps(notes.add(kind, block, _decoded_bytes(members.get("data")), media))
        case "resource":
            inner = read_members(members.get("resource"))
            if "blob" in inner:
                media = read_text(inner.get("mimeType")) or ""
                return dumps(notes.add(kind, block, _decoded_bytes(inner["blob"]), media))
            return _of_text(inner.get("text"))
        case _:
            return bytes(block)


def _of_text(raw: Raw | None) -> bytes:
    """JSON of a text: itself where it is one JSON value."""
    if raw is None:
        return b"null"
    encoded = (read_text(raw) or "").strip().encode("utf-8", "surrogatepass")
    try:
        _any(encoded)
        return encoded
    except msgspec.MsgspecError:
        return bytes(raw)


def _decoded_bytes(raw: Raw | None) -> int:
    """How many bytes a text in base64 stands for."""
    text = bytes(raw or b"").strip(b'"')
    return len(text) * 3 // 4 - text[-2:].count(b"=")


def _words_of(members: dict[str, Raw]) -> str:
    texts: list[Any] = [read_text(read_members(block).get("text")) for block in _blocks(members.get("content"))]
    words = "\n".join(text for text in texts if text)
    structured = members.get("structuredContent")
    return words or (bytes(structured).decode("utf-8", "replace") if structured is not None else "")
