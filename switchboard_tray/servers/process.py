"""One server process and its tree: spawned in a group of its own, its pipes drained, ended without leftovers."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable

import psutil

from switchboard_tray.errors import ConnectionLost, ServerError
from switchboard_tray.job import Job
from switchboard_tray.protocol.messages import one_line
from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.spawning import Child, spawn
from switchboard_tray.servers.stderr import StderrLog

LAST_WORDS_S = 0.2
"""An exit may be noticed before the last output was read, and a grandchild may hold the pipe open for ever."""
GRACE_S = 2.0
UNREAD_BYTES = 64 << 20
if sys.platform == "win32":
    _KILL = signal.SIGTERM
else:
    _KILL = signal.SIGKILL


class Process:
    """A running server process. `on_stdout` gets bytes as they come, `on_end` is called once, when it is gone."""

    def __init__(self, on_stdout: Callable[[bytes], None], on_end: Callable[[], None], stderr: StderrLog) -> None:
        self._on_stdout, self._on_end, self._stderr = on_stdout, on_end, stderr
        self._child: Child | None = None
        self._gone = asyncio.Event()
        self._open = {1, 2}
        self._has_exited = False
        self._closed_pipe = ""
        self._is_ending = False
        self._job: Job | None = None
        self.pid = 0

    async def spawn(self, launch: Launch) -> None:
        """Start the process. Raises `ServerError` where the command cannot be run."""
        try:
            self._child = await spawn(launch, self)
        except (OSError, ValueError) as exc:
            raise ServerError(f"{launch.argv[0]} could not be started: {exc}.", hint="Check command and cwd.") from exc
        self.pid = self._child.pid
        self._job = Job(self.pid)

    def write(self, message: bytes) -> None:
        """Send one message, as one line. Raises `ServerError` where the process does not take it."""
        if self._child is None or self._child.stdin.is_closing() or self._gone.is_set():
            raise ConnectionLost("The server is not running.", was_sent=False)
        if self._child.stdin.get_write_buffer_size() > UNREAD_BYTES:
            raise ServerError("The server does not read its input.")
        # A client may send JSON with line ends in it; each part would be a message of its own to the server.
        self._child.stdin.write(one_line(message) + b"\n")

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await self._gone.wait()

    def has_children(self) -> bool:
        """Whether the process has started one of its own."""
        return bool(_descendants(self.pid))

    @property
    def epitaph(self) -> str:
        """How the process ended, for a person."""
        if self._closed_pipe:
            return f"it closed its {self._closed_pipe}"
        status = None if self._child is None else self._child.exit_status
        if status is None:
            return "it ended"
        return f"it was ended by {_signal_name(-status)}" if status < 0 else f"it exited with status {status}"

    async def end(self) -> None:
        """End the whole tree: close stdin, wait, terminate, kill. Returns when nothing of it is left."""
        self._is_ending = True
        if self._child is None:
            return
        tree = _descendants(self.pid)
        self._child.stdin.close()
        for signal_number in (None, signal.SIGTERM):
            if signal_number is not None:
                _signal_tree(self.pid, tree, signal_number)
            try:
                async with asyncio.timeout(GRACE_S):
                    await self._gone.wait()
                break
            except TimeoutError:
                continue
        _signal_tree(self.pid, tree, _KILL)
        if self._job is not None:
            self._job.terminate()
            self._job.close()
        await self._gone.wait()
        self._child.close()
        self._stderr.close()

    # -- told by the pipes -----------------------------------------------------------------------------------------

    def received(self, fd: int, chunk: bytes) -> None:
        """It wrote something."""
        if fd == 1:
            self._on_stdout(chunk)
        else:
            self._stderr.write(chunk)

    def closed(self, fd: int) -> None:
        """The other end of a pipe is gone. The process ends right after, or it is of no use any more."""
        self._open.discard(fd)
        if self._has_exited and not self._open:
            self._end()
        elif fd in (0, 1) and not self._is_ending:
            asyncio.get_running_loop().call_later(LAST_WORDS_S, self._end_useless, "input" if fd == 0 else "output")

    def exited(self) -> None:
        """The process itself has ended; there may be more to read."""
        self._has_exited = True
        if self._open:
            asyncio.get_running_loop().call_later(LAST_WORDS_S, self._end)
        else:
            self._end()

    def _end(self) -> None:
        if not self._gone.is_set():
            self._gone.set()
            self._on_end()

    def _end_useless(self, pipe: str) -> None:
        if not self._is_ending and not self._has_exited and not self._closed_pipe:
            self._closed_pipe = pipe
            self._signal(signal.SIGTERM)
            asyncio.get_running_loop().call_later(GRACE_S, self._signal, _KILL)

    def _signal(self, signal_number: int) -> None:
        if not self._has_exited:
            _signal_tree(self.pid, _descendants(self.pid), signal_number)


def memory_of_trees(pids: Iterable[int]) -> dict[int, int]:
    """Resident memory in bytes of each process and all it started, for those that run. Reads each process once."""
    parents, sizes = {}, {}
    for process in psutil.process_iter():
        try:
            parents[process.pid], sizes[process.pid] = process.ppid(), process.memory_info().rss
        except psutil.Error:
            continue
    totals = {pid: 0 for pid in pids if pid in sizes}
    for pid, size in sizes.items():
        above, seen = pid, set[int]()
        while above in parents and above not in seen:
            seen.add(above)
            if above in totals:
                totals[above] += size
            above = parents[above]
    return totals


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _descendants(pid: int) -> list[psutil.Process]:
    try:
        return psutil.Process(pid).children(recursive=True)
    except psutil.Error:
        return []


def _signal_tree(pid: int, tree: list[psutil.Process], signal_number: int) -> None:
    if sys.platform != "win32":
        try:
            os.killpg(pid, signal_number)
        except (ProcessLookupError, PermissionError):
            pass
    for process in tree:
        try:
            process.send_signal(signal_number)
        except psutil.Error:
            pass
