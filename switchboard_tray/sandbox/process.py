"""One worker process, from the gateway's side: started, talked to in frames, ended."""

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from switchboard_tray.job import Job
from switchboard_tray.sandbox import frames

WORKER = Path(__file__).with_name("worker.py")
READY_S = 20.0
BUFFER_BYTES = 1 << 20


class WorkerGone(Exception):
    """The worker ended, or what it said made no sense."""


class WorkerProcess:
    """A worker; it runs one script. Made by `start`."""

    def __init__(self, process: "_Spawned", reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._process, self._reader, self._writer = process, reader, writer
        self.pid = process.pid
        self._job = Job(process.pid)

    @classmethod
    async def start(cls, engine_folder: str | None = None) -> "WorkerProcess":
        """A worker that waits for its script, with the engine that is installed or the one in `engine_folder`.

        Raises `OSError`, `WorkerGone` where it does not come up.
        """
        command = [sys.executable, "-I", "-S", str(WORKER), _folders(engine_folder), str(os.getpid())]
        worker = cls(*await (_start_on_windows if sys.platform == "win32" else _start_on_posix)(command))
        try:
            async with asyncio.timeout(READY_S):
                await worker.receive()
        except BaseException:
            await worker.end()
            raise
        return worker

    async def receive(self) -> tuple[dict[str, Any], list[bytes]]:
        """The next message. Raises `WorkerGone`."""
        try:
            head, payloads = frames.read_lengths(await self._reader.readexactly(frames.LENGTHS.size))
            return frames.unpack(await self._reader.readexactly(head), await self._reader.readexactly(payloads))
        except (EOFError, OSError, ValueError, RecursionError) as exc:
            raise WorkerGone(str(exc)) from exc

    def send(self, head: dict[str, Any], payloads: Sequence[bytes] = ()) -> None:
        """Send a message; what the worker does not take waits in memory."""
        self._writer.write(frames.pack(head, payloads))

    def restrict(self, memory_bytes: int) -> None:
        """Hold it from outside, where it cannot give up its own rights."""
        self._job.restrict(memory_bytes)

    @property
    def exit_status(self) -> int | None:
        """How it ended, negative for a signal; None while that is not known."""
        return self._process.poll()

    async def end(self) -> None:
        """End it, whatever it is doing. Returns when it is gone."""
        self._writer.close()
        self._job.close()
        if self._process.poll() is None:
            self._process.kill()
            # A process that held much memory takes some milliseconds to go.
            await asyncio.shield(asyncio.get_running_loop().run_in_executor(None, self._process.wait))


class _Spawned(Protocol):
    pid: int

    def poll(self) -> int | None: ...

    def kill(self) -> None: ...

    def wait(self) -> object: ...


_Started = tuple[_Spawned, asyncio.StreamReader, asyncio.StreamWriter]


async def _start_on_posix(command: list[str]) -> _Started:
    ours, process = _spawn(command)
    reader, writer = await asyncio.open_connection(sock=ours, limit=BUFFER_BYTES)
    return process, reader, writer


def _spawn(command: list[str]) -> "tuple[socket.socket, subprocess.Popen[bytes]]":
    """The process, and our end of the socket that is its input and output."""
    ours, theirs = socket.socketpair()
    try:
        process = subprocess.Popen(
            command,
            stdin=theirs.fileno(),
            stdout=theirs.fileno(),
            stderr=subprocess.DEVNULL,
            env={},
            cwd="/",
            start_new_session=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    ours.setblocking(False)
    return ours, process


class _OnWindows:
    """What `subprocess.Popen` says of a process, said of asyncio's."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process, self.pid = process, process.pid

    def poll(self) -> int | None:
        return self._process.returncode

    def kill(self) -> None:
        self._process.kill()

    def wait(self) -> object:
        # The loop takes note of the end by itself; a process that was terminated there is gone.
        return None


async def _start_on_windows(command: list[str]) -> _Started:
    # Windows starts no program without it.
    env = {"SYSTEMROOT": os.environ.get("SYSTEMROOT", "")}
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=env,
        limit=BUFFER_BYTES,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
    )
    assert process.stdin is not None and process.stdout is not None
    return _OnWindows(process), process.stdout, process.stdin


def _folders(engine_folder: str | None) -> str:
    """Where the worker finds this package and the engine."""
    if engine_folder is None:
        found = importlib.util.find_spec("_quickjs")
        if found is None or found.origin is None:
            raise WorkerGone("the engine is not installed")
        engine_folder = str(Path(found.origin).parent)
    package = str(Path(__file__).resolve().parents[2])
    return os.pathsep.join(dict.fromkeys((package, engine_folder)))
