"""Reading one value of the config by its kind: types, ranges, names, all faults with their pointers. Pure.

What several keys say together (a command beside a url) is not here but in `config.parse`.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, assert_never
from urllib.parse import urlsplit

from switchboard_tray.config.keys import (
    NEW_NAMES,
    RESERVED,
    Choice,
    ExactTool,
    Flag,
    Kind,
    ListOf,
    MapOf,
    Name,
    NewName,
    Number,
    Table,
    Text,
    ToolPattern,
    Url,
)
from switchboard_tray.config.problems import Problem
from switchboard_tray.config.references import Reference, value_parts
from switchboard_tray.errors import ConfigError
from switchboard_tray.names import ToolRef, did_you_mean, near
from switchboard_tray.pointers import child

_SHOWN_CHARS = 40
_SURROGATE = re.compile(r"[\ud800-\udfff]")


class Invalid:
    """Stands for a value that could not be read; its faults are noted."""


INVALID: Final = Invalid()


@dataclass(frozen=True, slots=True)
class Notes:
    """What was found while reading, and the names that other values may refer to.

    `names` maps folded names to their spelling, for servers and profiles; a missing entry means that nobody knows,
    because the object that defines them could not be read.
    """

    names: Mapping[Literal["server", "profile"], Mapping[str, str]]
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)

    def fault(self, pointer: str, message: str, hint: str = "") -> Invalid:
        """Note a problem; the value is not usable."""
        self.problems.append(Problem(pointer, message, hint))
        return INVALID

    def warn(self, pointer: str, message: str, hint: str = "") -> None:
        """Note what works, and is probably not what was meant."""
        self.warnings.append(Problem(pointer, message, hint))


def read(kind: Kind, value: object, at: str, notes: Notes) -> Any:
    """`value` as a model holds it, or INVALID; faults go into `notes` with pointers below `at`.

    A Table becomes a dict by field name that lacks invalid and absent keys.
    """
    match kind:
        case Table():
            return _read_table(kind, value, at, notes)
        case MapOf():
            return _read_map(kind, value, at, notes)
        case ListOf():
            return _read_list(kind, value, at, notes)
        case Number():
            return _read_number(kind, value, at, notes)
        case Flag():
            return value if isinstance(value, bool) else _mismatch(value, "true or false", at, notes)
    if not isinstance(value, str):
        hint = "Put it in quotes." if isinstance(value, int | float) and not isinstance(kind, Choice) else ""
        return _mismatch(value, _expected(kind), at, notes, hint)
    if _SURROGATE.search(value):
        return notes.fault(at, "found half of a surrogate pair in the text, expected whole characters")
    return _read_text(kind, value, at, notes)


def _read_text(
    kind: Text | Url | Choice | NewName | Name | ToolPattern | ExactTool, value: str, at: str, notes: Notes
) -> Any:
    match kind:
        case Text():
            return _read_plain(kind, value, at, notes)
        case Url():
            return _read_url(value, at, notes)
        case Choice():
            if value in kind.spellings:
                return kind.spellings[value]
            found = f"found {_shown(value)}, expected {_expected(kind)}"
            return notes.fault(at, found, did_you_mean(value[:_SHOWN_CHARS], kind.spellings))
        case NewName():
            return _read_new_name(kind, value, at, notes)
        case Name():
            return _read_name(kind, value, at, notes)
        case ToolPattern():
            return _read_pattern(value, at, notes)
        case ExactTool():
            return _read_exact_tool(value, at, notes)
        case _:
            assert_never(kind)


def _read_table(table: Table, value: object, at: str, notes: Notes) -> dict[str, Any] | Invalid:
    if not isinstance(value, dict):
        return _mismatch(value, "an object", at, notes)
    fields: dict[str, Any] = {}
    for name, member in value.items():
        key = table.by_name.get(name)
        if key is None:
            notes.warn(child(at, name), f"unknown key {_shown(name)}", did_you_mean(name[:_SHOWN_CHARS], table.by_name))
            continue
        is_none = member is None and key.may_be_null
        result = None if is_none else read(key.kind, member, child(at, name), notes)
        if key.field and result is not INVALID:
            fields[key.field] = result
    for key in table.keys:
        if key.is_required and key.name not in value:
            notes.fault(at, f'"{key.name}" is missing', key.about)
    return fields


def _read_map(kind: MapOf, value: object, at: str, notes: Notes) -> Mapping[str, Any] | Invalid:
    if not isinstance(value, dict):
        return _mismatch(value, "an object", at, notes)
    items: dict[str, Any] = {}
    seen: dict[str, str] = {}
    for name, member in value.items():
        # A faulty name of a variable may be a whole NAME=SECRET, so it is not shown in the pointer either.
        name_at = at if isinstance(kind.key, Text) else child(at, name)
        key = read(kind.key, name, name_at, notes)
        item = read(kind.item, member, name_at if key is INVALID else child(at, name), notes)
        folded = name.casefold() if kind.ignores_case else name
        if folded in seen:
            notes.fault(child(at, name), f"{_shown(seen[folded])} and {_shown(name)} differ only in letter case")
        seen[folded] = name
        if key is not INVALID and item is not INVALID:
            items[key] = item
    return MappingProxyType(items)


def _read_list(kind: ListOf, value: object, at: str, notes: Notes) -> tuple[Any, ...] | Invalid:
    if not isinstance(value, list):
        hint = "Put it in [ ]." if isinstance(value, str) else ""
        return _mismatch(value, "a list", at, notes, hint)
    items: list[Any] = []
    seen: set[str] = set()
    for index, member in enumerate(value):
        item = read(kind.item, member, child(at, index), notes)
        if item is INVALID:
            continue
        if kind.is_set:
            if item.casefold() in seen:
                notes.warn(child(at, index), f"{_shown(item)} is listed twice")
                continue
            seen.add(item.casefold())
        items.append(item)
    return tuple(items)


def _read_number(kind: Number, value: object, at: str, notes: Notes) -> int | float | Invalid:
    if isinstance(value, bool) or not isinstance(value, int | float):
        hint = "Take it out of its quotes." if isinstance(value, str) else ""
        return _mismatch(value, _expected(kind), at, notes, hint)
    if isinstance(value, float) and not math.isfinite(value):
        return notes.fault(at, f"found {value}, expected {_expected(kind)}")
    is_low = (kind.minimum is not None and value < kind.minimum) or (kind.above is not None and value <= kind.above)
    is_high = kind.maximum is not None and value > kind.maximum
    if is_low or is_high or (kind.is_whole and value != math.floor(value)):
        # str() refuses an int of thousands of digits.
        shown = str(value) if abs(value) < 10**_SHOWN_CHARS else "a huge number"
        return notes.fault(at, f"found {shown}, expected {_expected(kind)}")
    return int(value) if kind.is_whole else float(value)


def _read_plain(kind: Text, value: str, at: str, notes: Notes) -> str | Invalid:
    # fullmatch, because $ alone lets a newline follow.
    if kind.pattern and re.fullmatch(kind.pattern, value) is None:
        found = "text with a character that has no place here" if value else "empty text"
        return notes.fault(at, f"found {found}, expected {kind.what}")
    if kind.has_references and _parts(value, at, notes) is None:
        return INVALID
    return value


def _read_url(value: str, at: str, notes: Notes) -> str | Invalid:
    parts = _parts(value, at, notes)
    if parts is None:
        return INVALID
    is_open = bool(parts) and isinstance(parts[0], Reference)
    plain = "".join("x" if isinstance(part, Reference) else part for part in parts)
    try:
        split = urlsplit(plain)
        is_address = split.scheme in ("http", "https") and bool(split.hostname) and split.port != 0
    except ValueError:
        is_address = False
    if re.search(r"[\x00-\x20\x7f]", value) or not (is_address or is_open):
        return notes.fault(at, "found text that is no such address, expected http:// or https:// with a host")
    return value


def _read_new_name(kind: NewName, value: str, at: str, notes: Notes) -> str | Invalid:
    rule = NEW_NAMES[kind.of]
    if re.fullmatch(rule.pattern, value) is None:
        return notes.fault(at, f"found {_shown(value)}, expected {rule.what}")
    if value.casefold() in RESERVED[kind.of]:
        return notes.fault(at, f"the name {_shown(value)} is reserved", "Give the server another name.")
    return value


def _read_name(kind: Name, value: str, at: str, notes: Notes) -> str | Invalid:
    known = notes.names.get(kind.of)
    if known is None or value.casefold() in known:
        return value if known is None else known[value.casefold()]
    hint = did_you_mean(value[:_SHOWN_CHARS], known.values())
    if kind.of == "server" and ("." in value or "*" in value):
        hint = "Single tools and patterns belong in include."
    return notes.fault(at, f"no {kind.of} is called {_shown(value)}", hint)


def _read_pattern(value: str, at: str, notes: Notes) -> str | Invalid:
    server, dot, tool = value.partition(".")
    if not dot:
        hint = f"Write {_shown((value or '*') + '.*')} for all its tools."
        return notes.fault(at, f"found {_shown(value)}, expected a pattern server.tool", hint)
    if not server or not tool:
        return notes.fault(at, f"found {_shown(value)}, expected a pattern server.tool with both parts")
    if "*" not in server:
        _warn_unknown_server(server, at, notes, ".*" if tool == "*" else "")
    return value


def _read_exact_tool(value: str, at: str, notes: Notes) -> str | Invalid:
    ref = ToolRef.parse(value)
    if ref is None or "*" in value:
        return notes.fault(at, f"found {_shown(value)}, expected one tool as server.tool, without *")
    _warn_unknown_server(ref.server, at, notes)
    return ref.folded


def _warn_unknown_server(server: str, at: str, notes: Notes, ending: str = "") -> None:
    known = notes.names.get("server")
    if known is not None and server.casefold() not in known:
        meant = near(server[:_SHOWN_CHARS], known.values())
        hint = f"Did you mean {' or '.join(name + ending for name in meant)}?" if meant else ""
        notes.warn(at, f"no server is called {_shown(server)}", hint)


def _parts(value: str, at: str, notes: Notes) -> tuple[str | Reference, ...] | None:
    try:
        return value_parts(value)
    except ConfigError as exc:
        notes.fault(at, exc.message, exc.hint)
        return None


def _mismatch(value: object, expected: str, at: str, notes: Notes, hint: str = "") -> Invalid:
    return notes.fault(at, f"found {_described(value)}, expected {expected}", hint)


def _described(value: object) -> str:
    """What `value` is, without saying which."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    for kind, words in ((int | float, "a number"), (str, "text"), (list, "a list")):
        if isinstance(value, kind):
            return words
    return "an object"


def _expected(kind: Kind) -> str:
    match kind:
        case Text():
            return kind.what
        case Choice():
            *words, last = (f'"{word}"' for word in dict.fromkeys(kind.spellings.values()))
            return f"{', '.join(words)} or {last}" if words else last
        case Number():
            return _range(kind)
        case NewName() | Name():
            return f"the name of a {kind.of}"
        case ToolPattern() | ExactTool():
            return "text such as server.tool"
        case _:
            return "text"


def _range(kind: Number) -> str:
    noun = "a whole number" if kind.is_whole else "a number"
    if kind.above is not None:
        return f"{noun} above {kind.above}, at most {kind.maximum}"
    return f"{noun} from {kind.minimum}" + ("" if kind.maximum is None else f" to {kind.maximum}")


def _shown(value: str) -> str:
    """`value` in quotes for a message, cut where it is long; only for names and words, never for env or headers."""
    return f'"{value[:_SHOWN_CHARS]}..."' if len(value) > _SHOWN_CHARS else f'"{value}"'
