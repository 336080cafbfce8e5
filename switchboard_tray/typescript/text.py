"""Strangers' text, made safe to stand in TypeScript: comments, literals, names of properties and aliases. Pure."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from textwrap import dedent
from typing import Any

COMMENT_END = "..."
LITERAL_CHARS = 200
"""A string beyond this is written as `string`: nobody chooses among such values."""
_LITERAL_DEPTH = 4
_LARGEST_INTEGER = 2**63
_PLAIN_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_NAME_PART = re.compile(r"[A-Za-z0-9]+")
_ALIAS_CHARS = 40
# What a reader would not see, or would see in another order than it is written in; and halves of surrogate pairs.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f\ud800-\udfff"
)
_NOT_IN_COMMENT = re.compile(f"[{_UNSEEN}]+")
_NOT_IN_LITERAL = re.compile(f"[{_UNSEEN}\t\n]")
_SPACE = re.compile(r"\s+")


def comment(text: str, limit_chars: int) -> str:
    """`text` as a comment of one line, cut at `limit_chars`; empty where there is nothing to say."""
    return _commented(_SPACE.sub(" ", _seen(text, limit_chars)).strip(), limit_chars)


def block_comment(text: str, limit_chars: int) -> str:
    """`text` as a comment that keeps its lines but for empty ones, cut at `limit_chars`; empty for an empty text."""
    lines = [line.rstrip() for line in _seen(text, limit_chars).strip().split("\n") if line.strip()]
    # Servers in Python give a docstring as it stands in their source, indented but for its first line.
    others = dedent("\n".join(lines[1:]))
    return _commented("\n".join(part for part in (*lines[:1], others) if part), limit_chars)


def one_line(text: str) -> str:
    """`text` without line breaks and what cannot be seen, for a name that stands by itself."""
    return _SPACE.sub(" ", _NOT_IN_COMMENT.sub(" ", text)).replace("*/", "* /")


def listed(names: Iterable[str], limit_chars: int) -> str:
    """`names` for a comment, as many as fit; the end says whether that was all."""
    text = ""
    for name in names:
        if len(text) + len(name) > limit_chars:
            return f"{text}, {COMMENT_END}" if text else COMMENT_END
        text += f"{', ' if text else ''}{one_line(name)}"
    return text


def property_name(name: str) -> str:
    """`name` as the name of a property or method, in quotes unless it is an identifier."""
    # A method called new, unquoted, would be a constructor.
    return name if _PLAIN_NAME.match(name) and name != "new" else string(name)


def string(text: str) -> str:
    """`text` as a string literal."""
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_IN_LITERAL.sub(lambda unseen: json.dumps(unseen[0])[1:-1], quoted)


def literal(value: Any, depth: int = 0) -> str:
    """The type of which the JSON `value` is the only value, or a wider one where that would be long or deep."""
    match value:
        case None | bool():
            return json.dumps(value)
        case str():
            return string(value) if len(value) <= LITERAL_CHARS else "string"
        case int():
            return str(value) if abs(value) <= _LARGEST_INTEGER else "number"
        case float():
            return repr(value) if math.isfinite(value) else "number"
        case list() if depth < _LITERAL_DEPTH and len(value) <= LITERAL_CHARS:
            return _short(f"[{', '.join(literal(item, depth + 1) for item in value)}]", "unknown[]")
        case Mapping() if depth < _LITERAL_DEPTH and len(value) <= LITERAL_CHARS:
            members = (f"{property_name(str(key))}: {literal(item, depth + 1)}" for key, item in value.items())
            return _short(f"{{ {'; '.join(members)} }}" if value else "Record<string, never>", "object")
    return "unknown"


def alias_name(pointer: str) -> str:
    """A name for the type at the end of the JSON `pointer`; without it, for the whole schema: ``Dimension_``.

    All end in ``_``, as no type of the language or the browser does, so that none is ever declared twice.
    """
    named = [part for part in pointer.split("/")[1:] if part not in _KEYWORDS and not part.isdecimal()]
    words = _NAME_PART.findall(named[-1][:_ALIAS_CHARS]) if named else ["Args"]
    name = "".join(word[0].upper() + word[1:] for word in words)
    return f"{'' if name[:1].isalpha() else 'Type'}{name}_"


_KEYWORDS = frozenset(("$defs definitions properties items prefixItems anyOf oneOf allOf additionalProperties").split())


def _seen(text: str, limit_chars: int) -> str:
    # Cut first, with room for spaces that go: a text may be megabytes long.
    return _NOT_IN_COMMENT.sub(" ", text[: 2 * limit_chars + 100])


def _commented(text: str, limit_chars: int) -> str:
    if len(text) > limit_chars:
        text = text[:limit_chars].rsplit(" ", 1)[0].rstrip(" .,;:") + COMMENT_END
    # `/*` is harmless in a comment, but a text that ends in `*` would close it early together with our slash.
    text = text.replace("*/", "* /")
    return f"/** {text} */" if limit_chars > 0 and text else ""


def _short(text: str, otherwise: str) -> str:
    return text if len(text) <= LITERAL_CHARS else otherwise
