"""A fault in the config, with its place. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from switchboard_tray.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong at a JSON pointer ("" is the whole file), and how to mend it.

    `line` and `column` count from 1; None where the value stands in no file. Never holds a value of env or headers.
    """

    pointer: str
    message: str
    hint: str = ""
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}, column {self.column}"
        where = " at ".join(part for part in (place, self.pointer) if part)
        line = (f"{where}: " if where else "") + self.message + (f". {self.hint}" if self.hint else "")
        # Names come from the file, so they may hold what no terminal should get: newlines, escapes, half surrogates.
        return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


class InvalidConfig(ConfigError):
    """The config, or an edit's outcome, has `faults`; `problems` are the same as lines for a person."""

    def __init__(self, message: str, faults: Sequence[Problem], *, hint: str = "") -> None:
        super().__init__(message, problems=[str(fault) for fault in faults], hint=hint)
        self.faults = tuple(faults)


class BrokenFile(InvalidConfig):
    """The file itself is broken, so that no edit can be applied to it; nothing is wrong with the edit."""
