"""Strict reading of JSON text, with faults that a person can mend. Pure; knows no files, bytes or line numbers.

The standard library's reader names no position for a duplicate key, takes NaN, overflows the stack on deep nesting
and calls a comment "Expecting property name". Settings are small, so plain Python is quick enough: about 5 MB/s.
"""

import math
import re
from typing import NoReturn

from switchboard_tray.pointers import child

MAX_DEPTH = 100
_SPACE = re.compile(r"[ \t\r\n]*")
_PLAIN = re.compile(r'[^"\\\x00-\x1f]*')
_WORD = re.compile(r"-?[A-Za-z_$][A-Za-z0-9_$]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?(?![0-9A-Za-z_.+-])")
_NUMBER_LIKE = re.compile(r"[-+.]?[0-9]")
_HEX4 = re.compile(r"[0-9A-Fa-f]{4}")
_ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None}
_SPELLED_OTHERWISE = {"True": "true", "False": "false", "None": "null", "undefined": "null"}
_NOT_NUMBERS = ("NaN", "Infinity", "-Infinity", "-NaN")
_SHOWN_KEY_CHARS = 60


class ScanFault(Exception):
    """The text is not strict JSON: what is wrong at `offset` (characters from the start), and the way out."""

    def __init__(self, offset: int, reason: str, hint: str = "") -> None:
        super().__init__(reason)
        self.offset = offset
        self.reason = reason
        self.hint = hint


def scan(text: str, starts: dict[str, int] | None = None) -> object:
    """The value that `text` spells; `starts` is filled with the offset of each value, by JSON pointer.

    Raises ScanFault for anything but strict JSON, for a key that stands twice in its object, for numbers that no
    float holds, and below `MAX_DEPTH` levels.
    """
    scanner = _Scanner(text, starts)
    scanner.skip_space()
    if scanner.at == len(text):
        raise ScanFault(0, "the file is empty", "An empty document is {}.")
    value = scanner.value("", 0)
    scanner.skip_space()
    if scanner.at < len(text):
        scanner.refuse("something follows the end of the document")
    return value


class _Scanner:
    def __init__(self, text: str, starts: dict[str, int] | None) -> None:
        self.text = text
        self.at = 0
        self.starts = starts

    def skip_space(self) -> None:
        self.at = _end(_SPACE, self.text, self.at)

    def value(self, pointer: str, depth: int) -> object:
        if self.starts is not None:
            self.starts[pointer] = self.at
        first = self.text[self.at : self.at + 1]
        if first in ("{", "[") and depth == MAX_DEPTH:
            raise ScanFault(self.at, f"the nesting is deeper than {MAX_DEPTH} levels")
        match first:
            case "{":
                return self.members(pointer, depth)
            case "[":
                return self.items(pointer, depth)
            case '"':
                return self.string()
        if word := _WORD.match(self.text, self.at):
            if word.group() in _CONSTANTS:
                self.at = word.end()
                return _CONSTANTS[word.group()]
        elif _NUMBER_LIKE.match(self.text, self.at):
            return self.number()
        self.refuse("a value is missing here")

    def members(self, pointer: str, depth: int) -> dict[str, object]:
        opened, found = self.at, dict[str, object]()
        self.at += 1
        while not self.closes("}", opened, is_first=not found):
            start = self.at
            if self.text[start] != '"':
                self.refuse("a key in double quotes is missing here")
            key = self.string()
            if key in found:
                raise ScanFault(start, f"the key {shown_key(key)} stands twice in its object", "Take one of them out.")
            self.skip_space()
            if not self.text.startswith(":", self.at):
                self.refuse("a colon is missing after the key", opened)
            self.at += 1
            self.skip_space()
            found[key] = self.value(child(pointer, key) if self.starts is not None else "", depth + 1)
        return found

    def items(self, pointer: str, depth: int) -> list[object]:
        opened, found = self.at, list[object]()
        self.at += 1
        while not self.closes("]", opened, is_first=not found):
            found.append(self.value(child(pointer, len(found)) if self.starts is not None else "", depth + 1))
        return found

    def closes(self, bracket: str, opened: int, *, is_first: bool) -> bool:
        """Step over what stands between two members; True after the closing `bracket`."""
        self.skip_space()
        if self.text.startswith(bracket, self.at):
            self.at += 1
            return True
        if not is_first:
            comma = self.at
            if not self.text.startswith(",", comma):
                self.refuse("a comma is missing before this", opened)
            self.at += 1
            self.skip_space()
            if self.text.startswith(bracket, self.at):
                raise ScanFault(comma, f"a comma stands before the closing {bracket}", "Take the comma out.")
        if self.at == len(self.text):
            self.refuse("", opened)
        return False

    def string(self) -> str:
        opened = self.at
        self.at += 1
        parts: list[str] = []
        while True:
            start, self.at = self.at, _end(_PLAIN, self.text, self.at)
            parts.append(self.text[start : self.at])
            match self.text[self.at : self.at + 1]:
                case '"':
                    self.at += 1
                    return "".join(parts)
                case "\\":
                    parts.append(self.escape())
                case "" | "\n" | "\r":
                    raise ScanFault(opened, "the text that starts here is not closed on its line", 'Add the missing ".')
                case _:
                    raise ScanFault(self.at, "a control character stands in a text", r"Write it as \t or \u0000.")

    def escape(self) -> str:
        letter = self.text[self.at + 1 : self.at + 2]
        if letter in _ESCAPES:
            self.at += 2
            return _ESCAPES[letter]
        code = self.code_unit(self.at)
        self.at += 6
        if 0xD800 <= code < 0xDC00 and self.text.startswith("\\u", self.at):
            low = self.code_unit(self.at)
            if 0xDC00 <= low < 0xE000:
                self.at += 6
                return chr(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
        return chr(code)

    def code_unit(self, at: int) -> int:
        digits = _HEX4.match(self.text, at + 2)
        if not self.text.startswith("\\u", at) or digits is None:
            hint = r"A backslash is written twice in JSON: \\. A slash works in Windows paths too."
            raise ScanFault(at, "a backslash starts no known escape here", hint)
        return int(digits.group(), 16)

    def number(self) -> int | float:
        found = _NUMBER.match(self.text, self.at)
        if found is None:
            hint = "Write digits, without leading zeros or +, as in 0.5 or -12."
            raise ScanFault(self.at, "this is not a JSON number", hint)
        start, self.at = self.at, found.end()
        if found.group(1) is None and found.group(2) is None:
            try:
                return int(found.group())
            except ValueError as exc:  # Python's own limit on the digits of an int, 4,300 unless someone moved it.
                raise ScanFault(start, "this number has too many digits") from exc
        value = float(found.group())
        if math.isinf(value):
            raise ScanFault(start, "this number is too large")
        return value

    def refuse(self, reason: str, opened: int | None = None) -> NoReturn:
        """Say what is wrong at this place, by what people write there; `reason` where none of that fits."""
        rest = self.text[self.at : self.at + 2]
        if rest in ("//", "/*") or rest.startswith("#"):
            raise ScanFault(self.at, "a comment stands here, and JSON has none", "Take the comment out.")
        if not rest and opened is not None:
            raise ScanFault(opened, f"the {self.text[opened]} that stands here is never closed")
        if rest.startswith(("'", "`", "\u201c", "\u201d")):
            raise ScanFault(self.at, "JSON puts text in plain double quotes", 'Use " on both sides.')
        word = _WORD.match(self.text, self.at)
        spelled = word.group() if word else ""
        if spelled in _NOT_NUMBERS:
            raise ScanFault(self.at, f"{spelled} is not a JSON number")
        if spelled in _SPELLED_OTHERWISE:
            raise ScanFault(self.at, f"JSON does not know {spelled}", f"Write {_SPELLED_OTHERWISE[spelled]}.")
        # The word itself is not repeated: it may be a secret whose quotes were forgotten.
        hint = "Text and keys stand in double quotes." if word else ""
        raise ScanFault(self.at, reason, hint)


def shown_key(key: str) -> str:
    """`key` in quotes, cut where it is long."""
    return f'"{key}"' if len(key) <= _SHOWN_KEY_CHARS else f'"{key[:_SHOWN_KEY_CHARS]}..."'


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
