"""A process with pipes on stdin, stdout and stderr, and nothing else of ours open in it.

On POSIX the standard library starts it, whatever the event loop: uvloop leaves a process second copies of its pipes, so
that nobody would notice when it closes one, and connects sockets, which no program can open as /dev/stdin.
"""

import asyncio
import os
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
    loop = asyncio.get_running_loop()
    process, ends = _start(launch)
    _tell_of_end(process, loop, owner)
    transports: list[Any] = []
    try:
        transports.append((await loop.connect_write_pipe(lambda: _Pipe(owner, 0), ends[0]))[0])
        transports.append((await loop.connect_read_pipe(lambda: _Pipe(owner, 1), ends[1]))[0])
        transports.append((await loop.connect_read_pipe(lambda: _Pipe(owner, 2), ends[2]))[0])
    except BaseException:
        process.kill()
        for transport in transports:
            transport.close()
        for end in ends[len(transports) :]:
            end.close()
        raise
    return Child(process.pid, lambda: process.returncode, *transports)


def _start(launch: Launch) -> "tuple[subprocess.Popen[bytes], list[PipeEnd]]":
    """The process, and our ends of its stdin, stdout and stderr."""
    pipes = [os.pipe() for _ in range(3)]
    # The process reads from the first pipe, and writes into the others.
    theirs = (pipes[0][0], pipes[1][1], pipes[2][1])
    ends = [PipeEnd(pipes[0][1]), PipeEnd(pipes[1][0]), PipeEnd(pipes[2][0])]
    try:
        process = subprocess.Popen(
            launch.argv,
            stdin=theirs[0],
            stdout=theirs[1],
            stderr=theirs[2],
            env=dict(launch.env),
            cwd=launch.cwd,
            start_new_session=True,
        )
    except BaseException:
        for end in ends:
            end.close()
        raise
    finally:
        for descriptor in theirs:
            os.close(descriptor)
    return process, ends


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


class PipeEnd:
    """One end of a pipe, as any event loop wants it.

    asyncio closes it by `close`. When uvloop calls that, libuv has closed the descriptor already, and its number may be
    that of a file which another thread has opened since: a plain file object would close that one.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._identity = descriptor, _identity(descriptor)

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def close(self) -> None:
        """Close it, unless that is done."""
        if _identity(self._descriptor) == self._identity:
            os.close(self._descriptor)


def _identity(descriptor: int) -> tuple[int, int] | None:
    try:
        status = os.fstat(descriptor)
    except OSError:
        return None
    return status.st_dev, status.st_ino


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
