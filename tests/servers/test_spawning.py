"""Processes and their pipes, on the event loops we run on: nothing of ours is left in them, nothing left open."""

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import psutil
import pytest

from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.spawning import Child, PipeEnd, spawn
from switchboard_tray.wire.server import new_event_loop

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX processes")

LOOPS = {"asyncio": asyncio.new_event_loop, "product": new_event_loop}


class Owner:
    """Keeps what it is told of a process."""

    def __init__(self) -> None:
        self.said = {1: b"", 2: b""}
        self.told: list[str] = []
        self._changed = asyncio.Event()

    def received(self, fd: int, chunk: bytes) -> None:
        self.said[fd] += chunk
        self._changed.set()

    def closed(self, fd: int) -> None:
        self._tell(f"closed {fd}")

    def exited(self) -> None:
        self._tell("exited")

    async def until(self, *told: str) -> None:
        """Return when it was told all of these."""
        while not set(told) <= set(self.told):
            self._changed.clear()
            async with asyncio.timeout(20):
                await self._changed.wait()

    def _tell(self, what: str) -> None:
        self.told.append(what)
        self._changed.set()


def run(loop: str, test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(test())


async def shell(script: str, owner: Owner) -> Child:
    return await spawn(Launch(("/bin/sh", "-c", script), {"PATH": "/usr/bin:/bin"}, "/"), owner)


@pytest.mark.parametrize("loop", LOOPS)
def test_process_is_told_from_its_first_word_to_its_end(loop: str) -> None:
    async def test() -> None:
        owner = Owner()
        child = await shell("read word; echo $word; echo of $PWD >&2; exit 3", owner)
        child.stdin.write(b"hello\n")
        await owner.until("exited", "closed 1", "closed 2")

        assert (owner.said, child.exit_status) == ({1: b"hello\n", 2: b"of /\n"}, 3)
        child.close()

    run(loop, test)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("fd", [0, 1, 2])
def test_pipe_that_the_process_closes_is_noticed_while_it_lives(loop: str, fd: int) -> None:
    async def test() -> None:
        owner = Owner()
        child = await shell(f"exec {fd}{'<' if fd == 0 else '>'}&-; while :; do sleep 0.01; done", owner)
        await owner.until(f"closed {fd}")

        assert child.exit_status is None
        os.killpg(child.pid, 9)
        await owner.until("exited")
        assert child.exit_status == -9
        child.close()

    run(loop, test)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="no list of open descriptors")
@pytest.mark.parametrize("loop", LOOPS)
def test_process_has_its_three_pipes_and_nothing_else_open(loop: str) -> None:
    async def test() -> None:
        owner = Owner()
        ours = os.open("/dev/null", os.O_RDONLY)
        os.set_inheritable(ours, True)
        child = await shell("for one in /proc/$$/fd/*; do readlink $one; done; test -p /dev/stdin && echo pipe", owner)
        await owner.until("exited", "closed 1")
        os.close(ours)
        kinds = [line.partition(b":")[0] for line in owner.said[1].splitlines()]

        assert kinds.count(b"pipe") == 4 and b"/dev/null" not in owner.said[1] and b"socket" not in kinds
        child.close()

    run(loop, test)


@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize("argv", [("/no/such/program",), ("/",), ("/bin/sh", "a\0b")])
def test_process_that_cannot_be_started_leaves_no_descriptor_open(loop: str, argv: tuple[str, ...]) -> None:
    async def test() -> None:
        before = psutil.Process().num_fds()
        for _ in range(3):
            with pytest.raises((OSError, ValueError)):
                await spawn(Launch(argv, {}, "/"), Owner())

        assert psutil.Process().num_fds() == before

    run(loop, test)


@pytest.mark.parametrize("loop", LOOPS)
def test_process_that_has_ended_leaves_no_descriptor_open(loop: str) -> None:
    async def test() -> None:
        counts = []
        for _ in range(4):
            owner = Owner()
            child = await shell("exit 0", owner)
            await owner.until("exited", "closed 1", "closed 2")
            child.close()
            await owner.until("closed 0")
            await asyncio.sleep(0)
            counts.append(psutil.Process().num_fds())

        # The event loop may open one of its own for the first.
        assert len(set(counts[1:])) == 1

    run(loop, test)


def test_end_of_a_pipe_that_was_closed_by_its_number_closes_no_file_that_has_the_number_now(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    end = PipeEnd(reading)
    os.close(reading)
    # The system gives the lowest number that is free.
    with (tmp_path / "other").open("wb") as other:
        assert other.fileno() == reading
        end.close()

        assert os.fstat(reading).st_size == 0
    os.close(writing)


def test_end_of_a_pipe_is_closed_once() -> None:
    reading, writing = os.pipe()
    end = PipeEnd(writing)
    end.close()
    end.close()

    assert os.read(reading, 1) == b""
    os.close(reading)
