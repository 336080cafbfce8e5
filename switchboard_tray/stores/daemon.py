"""Where the running gateway is, for its clients; and the lock that lets only one run for each user."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from switchboard_tray import __version__
from switchboard_tray.errors import GatewayError
from switchboard_tray.jsonfile import make_private_folder, write_atomic


@dataclass(frozen=True, slots=True)
class Daemon:
    """The running gateway, as `daemon.json` names it."""

    pid: int
    url: str
    version: str


@contextmanager
def only_instance(lock: Path, daemon: Path) -> Iterator[None]:
    """Hold the lock of the one gateway. Raises `GatewayError` that names the gateway which has it."""
    # Costs 50 ms that a command which only looks for the gateway need not pay.
    from filelock import FileLock, Timeout

    make_private_folder(lock.parent)
    held = FileLock(lock, timeout=0, mode=0o600)
    try:
        held.acquire()
    except Timeout:
        raise GatewayError(_already_running(daemon), hint=_what_to_do(daemon)) from None
    try:
        yield
    finally:
        held.release()


def write_daemon(path: Path, daemon: Daemon) -> None:
    """Say where the gateway is."""
    write_atomic(path, json.dumps(asdict(daemon)).encode())


def read_daemon(path: Path) -> Daemon | None:
    """Where the gateway said it is; None where nothing usable was said."""
    try:
        said = json.loads(path.read_bytes())
        return Daemon(int(said["pid"]), str(said["url"]), str(said["version"]))
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None


def remove_daemon(path: Path) -> None:
    """Say that no gateway runs, unless another one said meanwhile that it does."""
    daemon = read_daemon(path)
    if daemon is not None and daemon.pid == os.getpid():
        path.unlink(missing_ok=True)


def _already_running(path: Path) -> str:
    daemon = read_daemon(path)
    if daemon is None:
        return "Another gateway is just starting or ending."
    return f"Switchboard {daemon.version} already runs at {daemon.url} (process {daemon.pid})."


def _what_to_do(path: Path) -> str:
    daemon = read_daemon(path)
    if daemon is None or daemon.version == __version__:
        return "`switchboard status` tells more."
    return f"This is version {__version__}: `switchboard stop`, then start it again."
