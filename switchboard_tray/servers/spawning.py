"""A process with pipes on stdin, stdout and stderr, and nothing else of ours open in it.

On POSIX the standard library starts it, whatever the event loop: uvloop leaves a process second copies of its pipes, so
that nobody would notice when it closes one, and connects sockets, which no program can open as /dev/stdin.
"""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, Protocol, cast

from switchboard_tray.servers.batch_files import batch_command, is_batch_file
from switchboard_tray.servers.environment import Launch


class Spawned(Protocol):
    """Told of what comes of a process. A descriptor is 0, 1 or 2, as the process has it."""

    def received(self, fd: int, chunk: bytes) -> None:
        """It wrote something."""

    def closed(self, fd: int) -> None:
        """The other end of a pipe is gone."""

    def exited(self) -> None:
        """The process itself has ended; there may be more to read."""


class Child:
    """A process that was spawned, and our ends of its pipes."""

    def __init__(self, pid: int, status: Callable[[], int | None], stdin: asyncio.WriteTransport, *others: Any) -> None:
        self.pid, self.stdin = pid, stdin
        self._status, self._others = status, others

    @property
    def exit_status(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._status()

    def close(self) -> None:
        """Close all pipes."""
        for transport in (self.stdin, *self._others):
            transport.close()


async def spawn(launch: Launch, owner: Spawned) -> Child:
    """Start a process in a session of its own. Raises `OSError`, or `ValueError` for what no system can start."""
    return await (_spawn_on_windows if sys.platform == "win32" else _spawn_on_posix)(launch, owner)


async def _spawn_on_posix(launch: Launch, owner: Spawned) -> Child:
    loop, process = asyncio.get_running_loop(), _start(launch)
    _tell_of_end(process, loop, owner)
    transports: list[Any] = []
    try:
        transports.append((await loop.connect_write_pipe(lambda: _Pipe(owner, 0), process.stdin))[0])
        transports.append((await loop.connect_read_pipe(lambda: _Pipe(owner, 1), process.stdout))[0])
        transports.append((await loop.connect_read_pipe(lambda: _Pipe(owner, 2), process.stderr))[0])
    except BaseException:
        process.kill()
        for transport in transports:
            transport.close()
        for file in (process.stdin, process.stdout, process.stderr)[len(transports) :]:
            cast(Any, file).close()
        raise
    return Child(process.pid, lambda: process.returncode, *transports)


def _start(launch: Launch) -> "subprocess.Popen[bytes]":
    pipe, env = subprocess.PIPE, dict(launch.env)
    return subprocess.Popen(
        launch.argv, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, env=env, cwd=launch.cwd, start_new_session=True
    )


def _tell_of_end(process: "subprocess.Popen[bytes]", loop: asyncio.AbstractEventLoop, owner: Spawned) -> None:
    """Have `owner` told of the end, by a thread that waits for it: what every system and every event loop has."""

    def wait() -> None:
        process.wait()
        try:
            loop.call_soon_threadsafe(owner.exited)
        except RuntimeError:
            # The loop was closed before: there is nobody left to tell.
            pass

    threading.Thread(target=wait, name=f"waits for {process.pid}", daemon=True).start()


async def _spawn_on_windows(launch: Launch, owner: Spawned) -> Child:
    loop, env = asyncio.get_running_loop(), dict(launch.env)
    if is_batch_file(launch.argv[0]):
        command = batch_command(launch.argv)
        process, _ = await loop.subprocess_shell(lambda: _Process(owner), command, env=env, cwd=launch.cwd)
    else:
        process, _ = await loop.subprocess_exec(lambda: _Process(owner), *launch.argv, env=env, cwd=launch.cwd)
    stdin = cast(asyncio.WriteTransport, process.get_pipe_transport(0))
    return Child(process.get_pid(), process.get_returncode, stdin, process)


class _Pipe(asyncio.Protocol):
    def __init__(self, owner: Spawned, fd: int) -> None:
        self._owner, self._fd = owner, fd

    def data_received(self, data: bytes) -> None:
        self._owner.received(self._fd, data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.closed(self._fd)


class _Process(asyncio.SubprocessProtocol):
    def __init__(self, owner: Spawned) -> None:
        self._owner = owner

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        self._owner.received(fd, data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        self._owner.closed(fd)

    def process_exited(self) -> None:
        self._owner.exited()
