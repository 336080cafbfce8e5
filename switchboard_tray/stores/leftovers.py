"""The server processes of a gateway that was killed: found at the next start, and ended.

Each process is written down when it starts and crossed out when its tree has ended. A number alone proves nothing,
since numbers are given again: the start of the machine and the start time must agree too. A gateway may be killed when
a process runs and its number is not written down yet; so each is first announced by a mark, which it carries in its
variables.
"""

import json
import logging
import os
import secrets
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path

import psutil

from switchboard_tray.jsonfile import write_atomic

log = logging.getLogger(__name__)

AGREE_S = 2.0
"""Start times are worked out from clocks that are set now and then; no number is given twice in so short a time."""
WAIT_S = 3.0
MOST_PID = 2**31 - 1
LOOK_EVERY_S = 0.02
MARK = "SWITCHBOARD_START"
"""The variable by which a process is known that was announced and never noted."""
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


class Leftovers:
    """The processes written down in one file. Sole writer of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._announced: set[str] = set()
        self._running: dict[int, float] = {}

    def starting(self) -> dict[str, str]:
        """Announce a process that is about to start; the variable it must be given."""
        mark = secrets.token_hex(8)
        self._announced.add(mark)
        self._save()
        return {MARK: mark}

    def started(self, env: Mapping[str, str], pid: int) -> None:
        """Write down the process that was announced and got `env`, before anything else is done with it.

        Where nothing was started, `pid` is 0.
        """
        self._announced.discard(env.get(MARK, ""))
        try:
            if pid:
                self._running[pid] = _start_time(psutil.Process(pid))
        except psutil.Error:
            pass
        self._save()

    def ended(self, pid: int) -> None:
        """Cross a process out: nothing of its tree is left."""
        if self._running.pop(pid, None) is not None:
            self._save()

    def end_all(self) -> int:
        """End what an earlier gateway left running; the number of processes ended. Blocks for some seconds at most."""
        announced, noted = self._read()
        found = list({one for pid, started in (*noted, *_marked(announced)) for one in _tree(pid, started)})
        for process in found:
            _kill(process)
        _wait(found)
        if found:
            log.info("%d processes of an earlier gateway were still running and were ended", len(found))
        self._save()
        return len(found)

    def _read(self) -> tuple[set[str], list[tuple[int, float]]]:
        """The marks of processes that were announced, and number and start time of those that were noted."""
        try:
            said = json.loads(self._path.read_bytes())
            noted = [(int(pid), float(started)) for pid, started in said["processes"].items()]
            announced, boot = {str(mark) for mark in said.get("starting", ())}, said["boot"]
        except (OSError, ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError):
            return set(), []
        if boot != _boot_id():
            # After a restart of the machine all numbers are given anew, also to sessions whose leader is gone.
            return set(), []
        earliest = 0.0 if boot else psutil.boot_time() - AGREE_S
        # What no server can have had, as 0, stands for processes of the system.
        return announced, [(pid, started) for pid, started in noted if 1 < pid <= MOST_PID and started >= earliest]

    def _save(self) -> None:
        try:
            said = {"boot": _boot_id(), "starting": sorted(self._announced), "processes": self._running}
            write_atomic(self._path, json.dumps(said).encode())
        except OSError as exc:
            log.warning("running servers not written down: %s", exc)


def _boot_id() -> str:
    """What names this run of the machine; empty where the system has no such name."""
    try:
        return BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _start_time(process: psutil.Process) -> float:
    """When a process started: since the start of the machine where that has a name, which no clock can move."""
    started: float = process.create_time()
    return started - psutil.boot_time() if _boot_id() else started


def _marked(marks: set[str]) -> list[tuple[int, float]]:
    """Number and start time of each process that carries one of these marks."""
    found = []
    for process in psutil.process_iter() if marks else ():
        try:
            if process.environ().get(MARK) in marks:
                found.append((process.pid, _start_time(process)))
        except (psutil.Error, OSError):
            # It has ended meanwhile, or belongs to somebody else.
            continue
    return found


def _tree(pid: int, started: float) -> list[psutil.Process]:
    """What is left of a server: itself with its children, and whatever still lives in the session it led."""
    found: dict[int, psutil.Process] = {}
    try:
        process = psutil.Process(pid)
        if abs(_start_time(process) - started) < AGREE_S:
            found = {one.pid: one for one in (process, *process.children(recursive=True))}
        else:
            # Another process has the number now, and with it the session.
            return []
    except psutil.NoSuchProcess:
        pass
    if sys.platform != "win32":
        for one in psutil.process_iter():
            if _is_of_session(one, pid, started):
                found[one.pid] = one
    found.pop(os.getpid(), None)
    return list(found.values())


def _is_of_session(process: psutil.Process, leader: int, started: float) -> bool:
    try:
        return os.getsid(process.pid) == leader and _start_time(process) >= started - AGREE_S
    except (OSError, psutil.Error):
        return False


def _wait(processes: list[psutil.Process]) -> None:
    """Wait until all are gone, or dead and only not yet taken note of by their parent."""
    give_up = time.monotonic() + WAIT_S
    while any(_is_alive(process) for process in processes) and time.monotonic() < give_up:
        time.sleep(LOOK_EVERY_S)


def _is_alive(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def _kill(process: psutil.Process) -> None:
    try:
        process.send_signal(signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
    except psutil.Error:
        pass
