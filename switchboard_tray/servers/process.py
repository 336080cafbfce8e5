"""One server process and its tree: spawned in a group of its own, its pipes drained, ended without leftovers."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterable
from typing import cast

import psutil

from switchboard_tray.errors import ConnectionLost, ServerError
from switchboard_tray.protocol.messages import one_line
from switchboard_tray.servers.batch_files import batch_command, is_batch_file
from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.job import Job
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
        self._transport: asyncio.SubprocessTransport | None = None
        self._stdin: asyncio.WriteTransport | None = None
        self._gone = asyncio.Event()
        self._job: Job | None = None
        self.pid = 0

    async def spawn(self, launch: Launch) -> None:
        """Start the process. Raises `ServerError` where the command cannot be run."""
        try:
            transport = await _spawn(launch, lambda: _Pipes(self))
        except (OSError, ValueError) as exc:
            raise ServerError(f"{launch.argv[0]} could not be started: {exc}.", hint="Check command and cwd.") from exc
        self._transport, self.pid = transport, transport.get_pid()
        self._job = Job(self.pid)
        # No isinstance: uvloop's transports are none of asyncio's classes.
        self._stdin = cast(asyncio.WriteTransport, transport.get_pipe_transport(0))

    def write(self, message: bytes) -> None:
        """Send one message, as one line. Raises `ServerError` where the process does not take it."""
        if self._stdin is None or self._stdin.is_closing() or self._gone.is_set():
            raise ConnectionLost("The server is not running.", was_sent=False)
        if self._stdin.get_write_buffer_size() > UNREAD_BYTES:
            raise ServerError("The server does not read its input.")
        # A client may send JSON with line ends in it; each part would be a message of its own to the server.
        self._stdin.write(one_line(message) + b"\n")

    async def wait(self) -> None:
        """Wait until the process has ended."""
        await self._gone.wait()

    def has_children(self) -> bool:
        """Whether the process has started one of its own."""
        return bool(_descendants(self.pid))

    @property
    def epitaph(self) -> str:
        """How the process ended, for a person."""
        status = None if self._transport is None else self._transport.get_returncode()
        if status is None:
            return "it closed its output"
        return f"it was ended by {_signal_name(-status)}" if status < 0 else f"it exited with status {status}"

    async def end(self) -> None:
        """End the whole tree: close stdin, wait, terminate, kill. Returns when nothing of it is left."""
        if self._transport is None:
            return
        tree = _descendants(self.pid)
        if self._stdin is not None:
            self._stdin.close()
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
        self._transport.close()
        self._stderr.close()

    def stdout_received(self, chunk: bytes) -> None:
        """Called by the pipes."""
        self._on_stdout(chunk)

    def stderr_received(self, chunk: bytes) -> None:
        """Called by the pipes."""
        self._stderr.write(chunk)

    def ended(self) -> None:
        """Called by the pipes, maybe more than once."""
        if not self._gone.is_set():
            self._gone.set()
            self._on_end()


class _Pipes(asyncio.SubprocessProtocol):
    def __init__(self, process: Process) -> None:
        self._process = process

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == 1:
            self._process.stdout_received(data)
        else:
            self._process.stderr_received(data)

    def process_exited(self) -> None:
        asyncio.get_running_loop().call_later(LAST_WORDS_S, self._process.ended)

    def connection_lost(self, exc: Exception | None) -> None:
        self._process.ended()


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


async def _spawn(launch: Launch, pipes: Callable[[], asyncio.SubprocessProtocol]) -> asyncio.SubprocessTransport:
    loop = asyncio.get_running_loop()
    if sys.platform == "win32" and is_batch_file(launch.argv[0]):
        command = batch_command(launch.argv)
        return (await loop.subprocess_shell(pipes, command, env=dict(launch.env), cwd=launch.cwd))[0]
    transport, _ = await loop.subprocess_exec(
        pipes, *launch.argv, env=dict(launch.env), cwd=launch.cwd, start_new_session=True
    )
    return transport


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
