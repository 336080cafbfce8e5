"""Tool lists that are missing: servers that were never listed are started once for it, a few at a time."""

import asyncio
import logging
from collections.abc import Callable, Iterable

from switchboard_tray.errors import ServerError
from switchboard_tray.servers.lifecycle import StopAsked
from switchboard_tray.servers.worker import Worker

log = logging.getLogger(__name__)

FILL_AT_ONCE = 3
FILL_PAUSES_S = (1.5, 5.0)
"""A list that cannot be read is tried again after these pauses, then left to a call, an edit or a person.

Longer than the backoff of the lifecycle after as many failed starts: a try before its end would start nothing."""
REST_AFTER_FILL_S = 5.0


class Filling:
    """Has missing lists read. `find` gives the worker of a server that is still in the config."""

    def __init__(self, tasks: asyncio.TaskGroup, find: Callable[[str], Worker | None]) -> None:
        self._tasks, self._find = tasks, find
        self._fills: dict[str, asyncio.Task[None]] = {}
        self._slots = asyncio.Semaphore(FILL_AT_ONCE)

    def fill(self, servers: Iterable[str]) -> list[asyncio.Task[None]]:
        """Have the lists of these servers read; the tasks end when each was read or given up.

        A server that was given up is not tried again here until it is forgotten.
        """
        names = [name for name in servers if self._find(name) is not None]
        for name in names:
            if name not in self._fills:
                self._fills[name] = self._tasks.create_task(self._fill(name))
        return [self._fills[name] for name in names]

    def forget(self, server: str) -> None:
        """Begin anew with a server that was edited, or removed."""
        if (fill := self._fills.pop(server, None)) is not None:
            fill.cancel()

    def close(self) -> None:
        """Give up what is under way."""
        for fill in self._fills.values():
            fill.cancel()

    async def _fill(self, name: str) -> None:
        for pause_s in (*FILL_PAUSES_S, None):
            async with self._slots:
                worker = self._find(name)
                if worker is None:
                    return
                try:
                    await worker.refresh(by_call=False)
                    asyncio.get_running_loop().call_later(REST_AFTER_FILL_S, _rest, worker, worker.last_used)
                    return
                except ServerError as fault:
                    # As text: who keeps the record would keep the fault, and with it all that was at work.
                    log.warning("server %s: tools not listed: %s %s", name, str(fault), fault.hint)
            if pause_s is not None:
                await asyncio.sleep(pause_s)


def _rest(worker: Worker, last_used: float) -> None:
    """Stop a server that was started for its list alone, unless somebody used it meanwhile."""
    if worker.server.idle_timeout_s > 0 and not worker.is_busy and worker.last_used == last_used:
        worker.post(StopAsked())
