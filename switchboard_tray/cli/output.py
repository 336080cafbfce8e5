"""What a command prints: tables and facts for people, JSON for programs, notes and errors on stderr.

Text from servers and files may hold control characters, which no terminal should obey: they are shown as escapes.
No colours.
"""

import json
import shutil
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from switchboard_tray.errors import ConfigError, SwitchboardError

GAP = "  "
WIDEST_SHARE = 0.5
"""Of the line, for a column other than the last; a wider cell pushes the rest of its row to a line below."""
_LAST_COLUMN_CHARS = 20


def print_json(value: Any) -> None:
    """`value` as indented JSON."""
    is_unicode = (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf")
    print(json.dumps(value, indent=2, ensure_ascii=not is_unicode))


def print_table(headings: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """A table that fits the terminal's width, 80 columns where there is none: only the last column is cut."""
    for line in table_lines(headings, rows, shutil.get_terminal_size((80, 24)).columns):
        print(line)


def table_lines(headings: Sequence[str], rows: Iterable[Sequence[object]], line_chars: int) -> list[str]:
    """The lines of a table, none longer than `line_chars` unless a cell before the last column alone is."""
    cells = [list(headings), *([one_line(_shown(cell)) for cell in row] for row in rows)]
    longest = [max(len(row[column]) for row in cells) for column in range(len(headings))]
    fits = sum(longest) + len(GAP) * (len(longest) - 1) <= line_chars
    most = line_chars if fits else int(line_chars * WIDEST_SHARE)
    widths = []
    for column in range(len(headings) - 1):
        fitting = [len(row[column]) for row in cells if len(row[column]) <= most]
        widths.append(max(fitting, default=0))
    left = max(line_chars - sum(widths) - len(GAP) * len(widths), _LAST_COLUMN_CHARS)
    return [line for row in cells for line in _row_lines(row, widths, left)]


def _row_lines(row: Sequence[str], widths: Sequence[int], last_chars: int) -> list[str]:
    lines, line = [], ""
    for at, (cell, width) in enumerate(zip(row, widths, strict=False)):
        line += cell.ljust(width) + GAP
        if len(cell) > width:
            lines.append(line.rstrip())
            line = " " * (sum(widths[: at + 1]) + len(GAP) * (at + 1))
    last = row[-1] if len(row[-1]) <= last_chars else f"{row[-1][: last_chars - 3]}..."
    line = (line + last).rstrip()
    return [*lines, line] if line else lines


def print_facts(facts: Iterable[tuple[str, object]]) -> None:
    """Lines of ``name: value``, without those that have no value; a list or an object has a line for each item."""
    for name, value in facts:
        match value:
            case None | "":
                continue
            case Mapping() | list() | tuple() if not value:
                continue
            case Mapping():
                print(f"{name}:")
                for key, item in value.items():
                    print(f"  {one_line(str(key))}: {one_line(_shown(item))}")
            case list() | tuple():
                print(f"{name}:")
                for item in value:
                    print(f"  {one_line(_shown(item))}")
            case _:
                print(f"{name}: {one_line(_shown(value))}")


def note(text: str) -> None:
    """Something beside the result, on stderr."""
    print(one_line(text), file=sys.stderr)


def warn(message: str, hint: str = "") -> None:
    """Something that was done, and is probably not what was meant."""
    note(f"warning: {message}")
    if hint:
        note(hint)


def report(error: SwitchboardError) -> None:
    """An error on stderr: one sentence, then what to do next."""
    note(sentence(error.message))
    if isinstance(error, ConfigError):
        for problem in error.problems:
            # The first one is usually in the message already.
            if problem not in error.message:
                note(f"  {problem}")
    if error.hint:
        note(error.hint)


def sentence(text: str) -> str:
    """`text` with a capital at its start, unless that is a name or a path, and a full stop at its end."""
    first = text.partition(" ")[0]
    if first.isalpha() and first.islower():
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", "!", "?", ":")) else f"{text}."


def one_line(text: str) -> str:
    """`text` in one line that a terminal shows and does not obey."""
    # A newline or a tab separates words; everything else that is not printable is shown as an escape.
    return "".join(sign if sign.isprintable() else " " if sign in "\n\r\t" else escaped(sign) for sign in text)


def plain(text: str) -> str:
    """`text` in its own lines; for a terminal, control characters are shown as escapes."""
    if not sys.stdout.isatty():
        return text
    return "".join(sign if sign.isprintable() or sign in "\n\t" else escaped(sign) for sign in text)


def escaped(sign: str) -> str:
    """A character as it is written in source."""
    return sign.encode("unicode_escape").decode()


def first_line(text: str) -> str:
    """The first line of `text` that is not blank."""
    return next((line.strip() for line in text.splitlines() if line.strip()), "")


def count(number: int, noun: str) -> str:
    """``1 tool``, ``2 tools``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def span(seconds: float) -> str:
    """A length of time for people: ``12 s``, ``3 min``, ``5 h``, ``2 days``."""
    for size, unit in ((86_400, "day"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            whole = int(seconds // size)
            return count(whole, unit) if unit == "day" else f"{whole} {unit}"
    return f"{int(seconds)} s"


def _shown(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
