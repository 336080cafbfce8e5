"""The gateway's own log: one line for each change of state, in UTC; never arguments, results, headers or env."""

import faulthandler
import io
import logging
import os
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path
from types import TracebackType

from switchboard_tray.jsonfile import make_private_folder

FILE_BYTES = 5_000_000
FILES = 5
ROOT = "switchboard_tray"


def set_level(level: str) -> None:
    """Have an edit of the level take effect. Full output, once asked for, stays full."""
    logger = logging.getLogger(ROOT)
    is_verbose = any(type(handler) is logging.StreamHandler for handler in logger.handlers)
    if not is_verbose:
        logger.setLevel(level.upper())


@contextmanager
def log_to(folder: Path, level: str, *, verbose: bool) -> Iterator[None]:
    """Write what the package logs to `folder`/gateway.log; with `verbose` also to stderr, in full."""
    make_private_folder(folder)
    handlers: list[logging.Handler] = [
        _PrivateFile(folder / "gateway.log", maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8")
    ]
    if verbose:
        handlers.append(logging.StreamHandler(sys.stderr))
    formatter = logging.Formatter("%(asctime)sZ %(levelname)s %(name)s: %(message)s", "%Y-%m-%dT%H:%M:%S")
    formatter.converter = time.gmtime
    logger = logging.getLogger(ROOT)
    logger.setLevel(logging.DEBUG if verbose else level.upper())
    for handler in handlers:
        handler.setFormatter(formatter)
        logger.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            logger.removeHandler(handler)
            handler.close()


@contextmanager
def crashes_to(folder: Path) -> Iterator[None]:
    """Leave a trace of what ends the process or one of its threads: `folder`/crash.log."""
    make_private_folder(folder)
    with open(folder / "crash.log", "a", encoding="utf-8", opener=_private) as trace:

        def write(kind: type[BaseException], error: BaseException | None, where: TracebackType | None) -> None:
            trace.write(time.strftime("%Y-%m-%dT%H:%M:%SZ\n", time.gmtime()))
            traceback.print_exception(kind, error, where, file=trace)
            trace.flush()

        def in_thread(failed: threading.ExceptHookArgs) -> None:
            write(failed.exc_type, failed.exc_value, failed.exc_traceback)

        former = sys.excepthook, threading.excepthook
        sys.excepthook, threading.excepthook = write, in_thread
        faulthandler.enable(trace)
        try:
            yield
        finally:
            faulthandler.disable()
            sys.excepthook, threading.excepthook = former


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


class _PrivateFile(RotatingFileHandler):
    """A log that only its user can read."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = _private(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        return io.TextIOWrapper(open(descriptor, "ab"), encoding="utf-8", write_through=True)
