"""The workers: some kept warm, since a script should not wait for a process to start; each is used once."""

import asyncio
import logging
from collections.abc import Coroutine

from switchboard_tray.sandbox.model import Host, Outcome, Script
from switchboard_tray.sandbox.process import WorkerGone, WorkerProcess
from switchboard_tray.sandbox.run import Run, refuse_source

log = logging.getLogger(__name__)

WARM = 2
RUNS = 8
"""So many scripts run side by side; others wait for their turn, which is no time of theirs."""
IDLE_S = 600.0
"""Without a script for so long, no worker is kept."""


class SandboxPool:
    """Runs scripts. Starts no process before the first one is wanted."""

    def __init__(self, engine_folder: str | None = None) -> None:
        self._engine_folder = engine_folder
        self._warm: list[WorkerProcess] = []
        self._turns, self._filling = asyncio.Semaphore(RUNS), asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._cooling: asyncio.TimerHandle | None = None
        self._is_closed = False

    async def __aenter__(self) -> "SandboxPool":
        return self

    async def __aexit__(self, *_: object) -> None:
        self._is_closed = True
        if self._cooling is not None:
            self._cooling.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)
        await self._cool()

    @property
    def pids(self) -> list[int]:
        """The processes that wait for a script."""
        return [worker.pid for worker in self._warm]

    async def run(self, script: Script, host: Host) -> Outcome:
        """Run a script to its end. Cancelling this ends it at once, with its calls.

        Raises `WorkerGone` or `OSError` where no process can be started for it.
        """
        refused = refuse_source(script)
        if refused is not None:
            return refused
        async with self._turns:
            worker = await self._take()
            run = Run(script, host)
            try:
                return await run.through(worker)
            except TimeoutError:
                return run.timed_out()
            finally:
                self._later(worker.end())
                self._later(self._refill())

    async def warm_up(self) -> None:
        """Return when the workers are there that are kept."""
        await self._refill()

    def expect(self) -> None:
        """Have workers ready: a script is likely to come."""
        if len(self._warm) < WARM and not self._is_closed:
            self._later(self._refill())

    async def _take(self) -> WorkerProcess:
        while self._warm:
            worker = self._warm.pop()
            if worker.exit_status is None:
                return worker
            await worker.end()
        return await WorkerProcess.start(self._engine_folder)

    async def _refill(self) -> None:
        try:
            async with self._filling:
                while len(self._warm) < WARM and not self._is_closed:
                    self._warm.append(await WorkerProcess.start(self._engine_folder))
        except (OSError, WorkerGone, TimeoutError) as exc:
            log.warning("no process for scripts can be started: %s", exc)
        self._cool_later()

    def _cool_later(self) -> None:
        if self._cooling is not None:
            self._cooling.cancel()
        if not self._is_closed:
            self._cooling = asyncio.get_running_loop().call_later(IDLE_S, lambda: self._later(self._cool()))

    async def _cool(self) -> None:
        warm, self._warm = self._warm, []
        for worker in warm:
            await worker.end()

    def _later(self, work: Coroutine[object, object, None]) -> None:
        """Have something done that nobody waits for, but the end of the pool."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
