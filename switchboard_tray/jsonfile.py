"""JSON files that people and programs share: strict reading with line and column, writing that is never half done.

Knows nothing of what a file means. For settings and small state: `parse_json` reads a few MB a second.
"""

import contextlib
import hashlib
import json
import os
import re
import secrets
import subprocess
import time
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from switchboard_tray.errors import SwitchboardError
from switchboard_tray.jsonscan import ScanFault, scan
from switchboard_tray.pointers import parent, pointer_keys

SHARING_WAIT_S = 2.0
_SHARING_STEP_S = 0.02
_ICACLS_WAIT_S = 10.0
_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_BOM = "\ufeff"
_LINE_END = re.compile(r"\r\n|\r|\n")
_Result = TypeVar("_Result")


class JsonSyntaxError(SwitchboardError):
    """The bytes are not strict JSON: `reason` says why, `line` and `column` (in characters, from 1) where."""

    def __init__(self, reason: str, line: int, column: int, *, hint: str = "") -> None:
        super().__init__(f"line {line}, column {column}: {reason}", hint=hint)
        self.reason = reason
        self.line = line
        self.column = column


def parse_json(data: bytes) -> object:
    """The value that `data` spells, read strictly.

    UTF-8, with or without a byte order mark. Refused: a key twice in one object, NaN, comments, trailing commas, more
    than 100 levels, numbers beyond a float. Whole numbers stay exact. Raises JsonSyntaxError.
    """
    text = _decoded(data)
    try:
        return scan(text)
    except ScanFault as exc:
        line, column = _place(_line_starts(text), exc.offset)
        raise JsonSyntaxError(exc.reason, line, column, hint=exc.hint) from exc


def locate(data: bytes, pointer: str) -> tuple[int, int] | None:
    """Line and column (from 1) of the value at a JSON pointer, or of its nearest parent that exists.

    None where `data` is not strict JSON or `pointer` is none.
    """
    return locator(data)(pointer)


def locator(data: bytes) -> Callable[[str], tuple[int, int] | None]:
    """`locate` for many pointers into the same bytes, which are read once."""
    starts: dict[str, int] = {}
    try:
        text = _decoded(data)
        scan(text, starts)
    except (JsonSyntaxError, ScanFault):
        return lambda pointer: None
    lines = _line_starts(text)

    def place(pointer: str) -> tuple[int, int] | None:
        try:
            pointer_keys(pointer)
        except ValueError:
            return None
        while pointer not in starts:
            pointer = parent(pointer)
        return _place(lines, starts[pointer])

    return place


def render(document: object) -> bytes:
    """`document` as JSON for people: two spaces of indent, letters as they are, a newline at the end.

    Half a surrogate pair is written as its escape, so that text from anywhere can be written.
    """
    text = json.dumps(document, indent=2, ensure_ascii=False)
    return (text + "\n").encode("utf-8", "backslashreplace")


def digest(data: bytes) -> str:
    """SHA-256 of `data` in hex: the ETag of a file with these bytes."""
    return hashlib.sha256(data).hexdigest()


def write_atomic(path: Path, data: bytes, *, before_replace: Callable[[], None] | None = None) -> None:
    """Put `data` at `path` so that a reader sees the old bytes or the new ones, whenever this process dies.

    For the user alone (0600, missing folders 0700; on Windows an ACL), on disk when this returns. A symlink stays and
    its target is replaced. `before_replace` runs at the last moment and may stop the write by raising. Raises OSError.
    """
    # os.replace on a symlink would replace the link, so write beside its target.
    target = Path(os.path.realpath(path))
    make_private_folder(target.parent)
    temporary = target.parent / f".{target.name}.{os.getpid()}.{secrets.token_hex(4)}.tmp"
    try:
        descriptor = os.open(temporary, _NEW_FILE, 0o600)
        with open(descriptor, "wb") as file:
            if os.name == "nt":
                _restrict_to_user(temporary)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if before_replace is not None:
            before_replace()
        patiently(lambda: os.replace(temporary, target))
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _sync_folder(target.parent)


def remove_leftovers(path: Path) -> None:
    """Remove what writers of `path` left behind when they were killed; only for whoever keeps other writers out."""
    target = Path(os.path.realpath(path))
    with contextlib.suppress(OSError):
        for temporary in target.parent.iterdir():
            if temporary.name.startswith(f".{target.name}.") and temporary.suffix == ".tmp":
                temporary.unlink(missing_ok=True)


def make_private_folder(folder: Path) -> None:
    """Make `folder` and its missing parents, each for the user alone; those that exist stay as they are."""
    if not folder.is_dir():
        make_private_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir(mode=0o700)


def patiently(
    action: Callable[[], _Result], *, wait_s: float = SHARING_WAIT_S, is_windows: bool = os.name == "nt"
) -> _Result:
    """The result of `action`, tried again for `wait_s` while another Windows process holds its file open.

    Virus scanners and editors do so for moments. Elsewhere a refusal is final, and raised at once.
    """
    deadline = time.monotonic() + wait_s
    while True:
        try:
            return action()
        except PermissionError:
            if not is_windows or time.monotonic() >= deadline:
                raise
        time.sleep(_SHARING_STEP_S)


def _decoded(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise JsonSyntaxError("the file is in UTF-16", 1, 1, hint="Save it as UTF-8.")
    try:
        return data.decode("utf-8").removeprefix(_BOM)
    except UnicodeDecodeError as exc:
        before = data[: exc.start].decode("utf-8").removeprefix(_BOM)
        line, column = _place(_line_starts(before), len(before))
        raise JsonSyntaxError("a byte here is not UTF-8", line, column, hint="Save the file as UTF-8.") from exc


def _line_starts(text: str) -> list[int]:
    return [0, *(found.end() for found in _LINE_END.finditer(text))]


def _place(line_starts: list[int], offset: int) -> tuple[int, int]:
    line = bisect_right(line_starts, offset)
    return line, offset - line_starts[line - 1] + 1


def _restrict_to_user(path: Path) -> None:
    # Windows has no mode to create a file with, so this comes before the first byte. FAT knows no owners at all.
    user = "\\".join(filter(None, (os.environ.get("USERDOMAIN"), os.environ.get("USERNAME"))))
    icacls = Path(os.environ.get("SystemRoot", r"C:\Windows"), "System32", "icacls.exe")
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        subprocess.run(
            [str(icacls), str(path), "/inheritance:r", "/grant:r", f"{user}:F"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_ICACLS_WAIT_S,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )


def _sync_folder(folder: Path) -> None:
    # Windows opens no folders, and some network file systems sync none; the rename itself is done by now.
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
