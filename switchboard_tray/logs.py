"""The gateway's own log: one line for each change of state, in UTC; never arguments, results, headers or env."""

import io
import logging
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from switchboard_tray.jsonfile import make_private_folder

FILE_BYTES = 5_000_000
FILES = 5
ROOT = "switchboard_tray"


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


class _PrivateFile(RotatingFileHandler):
    """A log that only its user can read."""

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        return io.TextIOWrapper(open(descriptor, "ab"), encoding="utf-8", write_through=True)
