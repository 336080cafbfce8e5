"""What a server writes to stderr: the last lines in memory, all of it in a capped log. Bytes, whatever they are."""

import os
from collections import deque
from pathlib import Path
from typing import BinaryIO

from switchboard_tray.paths import Paths
from switchboard_tray.redact import REDACTED, SHORTEST_CHARS

FILE_BYTES = 2_000_000
TAIL_BYTES = 4_000
_HIDDEN = REDACTED.encode()


def stderr_path(paths: Paths, server: str) -> Path:
    """Where the stderr of `server` is kept."""
    return paths.logs / f"server-{server}.log"


def read_log(path: Path) -> str:
    """All that is kept in the two files at `path`; empty where there is none."""
    parts = [part.read_bytes() for part in (path.with_suffix(".old.log"), path) if part.exists()]
    return b"".join(parts).decode(errors="replace")


class StderrLog:
    """A log of two files of 2 MB each; the older one is replaced. Losing it costs nothing.

    Several processes of one server write to the same files, each through a log of its own.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._hidden: tuple[bytes, ...] = ()
        self._held = b""

    def begin(self, hidden: tuple[str, ...]) -> None:
        """A new process writes now; what it repeats of the values `hidden` is not kept.

        The tail starts anew: what an earlier process wrote explains nothing about this one.
        """
        self._hidden = tuple(value.encode(errors="surrogatepass") for value in hidden)
        self._tail.clear()
        self._tail_size = 0
        self._held = b""

    def write(self, chunk: bytes) -> None:
        """Keep `chunk`. Never raises: a full disk must not end a server."""
        chunk = self._held + chunk
        for value in self._hidden:
            chunk = chunk.replace(value, _HIDDEN)
        # A value may come in two chunks, so what could be the beginning of one waits for the next.
        shown = len(chunk) - max((_begun(value, chunk) for value in self._hidden), default=0)
        self._held = chunk[shown:]
        self._keep(chunk[:shown])

    def tail(self, lines: int = 5) -> str:
        """The last lines, for a person; what is no UTF-8 is replaced."""
        text = b"".join(self._tail)[-TAIL_BYTES:].decode(errors="replace")
        return "\n".join(line for line in text.splitlines()[-lines:] if line.strip())

    def close(self) -> None:
        """Close the file; what is written later opens it again."""
        held, self._held = self._held, b""
        # Most of a value is as bad as all of it.
        self._keep(held if len(held) < SHORTEST_CHARS else _HIDDEN)
        self._close_file()

    def _keep(self, chunk: bytes) -> None:
        if not chunk:
            return
        self._remember(chunk)
        try:
            self._append(chunk)
        except OSError:
            self._close_file()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _remember(self, chunk: bytes) -> None:
        self._tail.append(chunk[-TAIL_BYTES:])
        self._tail_size += len(self._tail[-1])
        while self._tail_size - len(self._tail[0]) >= TAIL_BYTES:
            self._tail_size -= len(self._tail.popleft())

    def _append(self, chunk: bytes) -> None:
        file = self._file or self._open()
        size = os.fstat(file.fileno()).st_size
        if size and size + len(chunk) > FILE_BYTES:
            self._close_file()
            # Another process's log may have moved the file away already.
            if self._path.exists() and self._path.stat().st_size + len(chunk) > FILE_BYTES:
                self._path.replace(self._path.with_suffix(".old.log"))
            file = self._open()
        file.write(chunk[-FILE_BYTES:])

    def _open(self) -> BinaryIO:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._file = open(self._path, "ab", buffering=0, opener=_private)
        return self._file


def _begun(value: bytes, chunk: bytes) -> int:
    """How many bytes at the end of `chunk` are the beginning of `value`."""
    return next((size for size in range(min(len(value) - 1, len(chunk)), 0, -1) if chunk.endswith(value[:size])), 0)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
