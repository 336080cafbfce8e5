"""config.json as it is on disk at one moment: bytes, JSON, migration, checks, and the line of each problem.

Reads and never writes; raises nothing for a file that is broken or gone, since that is a state like another.
"""

import errno
import os
import stat
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from switchboard_tray.config.keys import VERSION
from switchboard_tray.config.migrate import document_version, migrate, old_pointer
from switchboard_tray.config.model import Config
from switchboard_tray.config.parse import parse_config
from switchboard_tray.config.problems import Problem
from switchboard_tray.jsonfile import JsonSyntaxError, digest, locator, parse_json, patiently

ABSENT = "absent"
_MAX_BYTES = 4 * 1024 * 1024
_READ_WAIT_S = 0.2
_SETTLE_S = 0.05
_SETTLE_LOOKS = 10

Stamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Reading:
    """What some bytes say. `config` is None where there are problems; `document` is in the current format.

    `is_older`: it was migrated to be read. `is_newer`: a newer version of ours wrote it.
    """

    config: Config | None
    document: dict[str, Any] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    is_older: bool = False
    is_newer: bool = False


@dataclass(frozen=True, slots=True)
class Look:
    """The file at one moment.

    `identity` tells its states apart: the digest of its bytes, or a word. `data` is None where there is nothing to
    read. `stamp` (time, size, inode) changes when the file does, except within the same tick of the file system.
    """

    identity: str
    data: bytes | None
    reading: Reading
    stamp: Stamp | None = None

    @property
    def is_good(self) -> bool:
        """Whether there is a config in it."""
        return self.reading.config is not None


class ConfigFile:
    """The file at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def look(self) -> Look:
        """The file now."""
        # The stat comes first: what changes after it differs from it at the next look.
        stamp = self.stamp()
        try:
            data = self.read()
        except OSError as exc:
            reason = exc.strerror or type(exc).__name__
            return _unreadable(f"unreadable: {reason}", f"the file cannot be read: {reason}")
        if data is None:
            return _unreadable(ABSENT, "the file is gone")
        if len(data) > _MAX_BYTES:
            return _unreadable("too large", f"the file is larger than {_MAX_BYTES} bytes")
        return Look(digest(data), data, read_config(data), stamp)

    def settled_look(self) -> Look:
        """A look at a good file at once, at a broken one when it stays the same for a moment.

        An editor may be half-way through writing, or between removing the file and writing it anew.
        """
        look = self.look()
        for _ in range(_SETTLE_LOOKS):
            if look.is_good:
                break
            time.sleep(_SETTLE_S)
            before, look = look, self.look()
            if look.identity == before.identity:
                break
        return look

    def read(self) -> bytes | None:
        """Its bytes, at most one more than a config may have; None where there is no file. Raises OSError."""

        def first_bytes() -> bytes:
            with open(self.path, "rb", opener=_open_at_once) as file:
                if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                    raise OSError(errno.EINVAL, "it is not a regular file")
                return file.read(_MAX_BYTES + 1)

        try:
            return patiently(first_bytes, wait_s=_READ_WAIT_S)
        except FileNotFoundError:
            return None

    def stamp(self) -> Stamp | None:
        """What a stat says, None where it says nothing."""
        try:
            found = os.stat(self.path)
        except OSError:
            return None
        return found.st_mtime_ns, found.st_size, found.st_ino


def _open_at_once(path: str, flags: int) -> int:
    # To open a named pipe would wait for its writer, for ever.
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_config(data: bytes) -> Reading:
    """What `data` says, with all problems and warnings placed by line and column. Raises nothing."""
    try:
        found = parse_json(data)
    except JsonSyntaxError as exc:
        return Reading(None, problems=(Problem("", exc.reason, exc.hint, exc.line, exc.column),))
    version = document_version(found)
    document = migrate(found) if isinstance(found, dict) else {}
    parsed = parse_config(document if isinstance(found, dict) else found)
    return Reading(
        config=parsed.config,
        document=document,
        problems=_placed(parsed.problems, version, data),
        warnings=_placed(parsed.warnings, version, data),
        is_older=version < VERSION,
        is_newer=parsed.is_newer,
    )


def _placed(problems: Sequence[Problem], version: int, data: bytes) -> tuple[Problem, ...]:
    if not problems:
        return ()
    place = locator(data)
    placed = []
    for problem in problems:
        pointer = old_pointer(problem.pointer, version)
        line, column = place(pointer) or (None, None)
        placed.append(replace(problem, pointer=pointer, line=line, column=column))
    return tuple(placed)


def _unreadable(identity: str, message: str) -> Look:
    return Look(identity, None, Reading(None, problems=(Problem("", message),)))
