"""One run: a script in a worker, its calls made at once and side by side, its budgets counted where it cannot reach."""

import asyncio
import json
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from switchboard_tray.sandbox.answer import Logs, write_failure, write_result
from switchboard_tray.sandbox.model import (
    CATALOG,
    CATALOG_CALLS,
    LOG_CHARS,
    START_COUNTED_S,
    Ended,
    Fault,
    Host,
    Outcome,
    Script,
    ToolFailed,
)
from switchboard_tray.sandbox.process import WorkerGone, WorkerProcess
from switchboard_tray.sandbox.values import Notes, to_value

log = logging.getLogger(__name__)

GRACE_S = 0.3
"""The engine ends a script itself, with what it logged; the process is killed so much later."""
ANSWERS_BYTES = 24 << 20
"""Results that go to the script together; more of them wait for the next message."""
SPARE_BYTES = 64 << 20
"""What the process itself may hold beside twice the script's memory."""
MEMORY_SIGNALS = (-9, -6)


class Run:
    """One script, from its start to its end."""

    def __init__(self, script: Script, host: Host) -> None:
        self._script, self._host = script, host
        self._loop = asyncio.get_running_loop()
        self._logs, self._notes = Logs(LOG_CHARS), Notes()
        self._hints: dict[str, str] = {}
        self._running: dict[asyncio.Task[bytes], tuple[int, str]] = {}
        self._made: list[str] = []
        self._catalog_calls = 0
        self._began = self._loop.time()
        self._given_s, self._starting, self._starting_since, self._waited_s = 0.0, 0, 0.0, 0.0

    # -- the clock of the run --------------------------------------------------------------------------------------

    @asynccontextmanager
    async def starting(self) -> AsyncIterator[None]:
        """While this is held a server starts: of that, a few seconds in all are time of the run."""
        if not self._starting:
            self._starting_since = self._loop.time()
        self._starting += 1
        try:
            yield
        finally:
            self._starting -= 1
            if not self._starting:
                self._waited_s += self._loop.time() - self._starting_since

    def _left_s(self) -> float:
        waited_s = self._waited_s + (self._loop.time() - self._starting_since if self._starting else 0.0)
        given_s = max(0.0, waited_s - START_COUNTED_S)
        return self._script.budgets.wall_s + given_s - (self._loop.time() - self._began)

    # -- the run ---------------------------------------------------------------------------------------------------

    async def through(self, worker: WorkerProcess) -> Outcome:
        """Run the script in `worker`. The worker is of no use after."""
        memory_bytes = 0
        try:
            self._begin(worker)
            said = await self._converse(worker)
            ended, memory_bytes = _ended(said), int(said.get("memoryBytes", 0))
            for server, method in said.get("missed", ()):
                self._host.missed(str(server), str(method))
        except WorkerGone as gone:
            ended = await self._gone(worker, gone)
        finally:
            for task in self._running:
                task.cancel()
        return self._outcome(ended, memory_bytes)

    def _begin(self, worker: WorkerProcess) -> None:
        budgets = self._script.budgets
        order = {
            "servers": {name: list(methods) for name, methods in self._script.servers.items()},
            "wallS": budgets.wall_s,
            "calls": budgets.calls,
            "memoryBytes": budgets.memory_mb << 20,
            "resultChars": budgets.result_chars,
            "logChars": LOG_CHARS,
            "mark": f"@{secrets.token_hex(16)}:",
        }
        worker.restrict(2 * (budgets.memory_mb << 20) + SPARE_BYTES)
        worker.send(order, [self._script.source.encode("utf-8", "surrogatepass")])

    async def _converse(self, worker: WorkerProcess) -> dict[str, Any]:
        """Answer the worker until it is done; what it said then."""
        while True:
            said, payloads = await self._next(worker)
            self._logs.add(str(said.get("logs") or ""), bool(said.get("isLogCut")))
            if said.get("type") != "calls":
                return said
            fault = self._start_calls(said["calls"], payloads)
            if fault is not None:
                return {"ok": False, **fault}
            if not self._running:
                raise WorkerGone("it waits for nothing")
            await self._until_one_is_back(worker)
            results, texts = self._results()
            worker.send({"results": results, "leftS": max(0.0, self._left_s())}, texts)

    async def _next(self, worker: WorkerProcess) -> tuple[dict[str, Any], list[bytes]]:
        """The worker's next message, within the time of the run."""
        receiving = asyncio.ensure_future(worker.receive())
        try:
            while not receiving.done():
                left_s = self._left_s() + GRACE_S
                if left_s <= 0:
                    raise TimeoutError
                await asyncio.wait([receiving], timeout=left_s)
            return receiving.result()
        finally:
            receiving.cancel()

    def _start_calls(self, calls: list[list[Any]], payloads: list[bytes]) -> dict[str, str] | None:
        for (number, server, method), arguments in zip(calls, payloads, strict=True):
            name = f"{server}.{method}"
            if server == CATALOG:
                task = self._loop.create_task(self._catalog(method, arguments))
            elif method not in self._script.servers.get(server, ()):
                raise WorkerGone(f"it asks for {name}")
            elif len(self._made) >= self._script.budgets.calls:
                used_up = f"the budget of {self._script.budgets.calls} tool calls is used up"
                return {"kind": "budget", "name": "Budget", "message": used_up}
            else:
                self._made.append(name)
                task = self._loop.create_task(self._call(server, method, arguments))
            self._running[task] = (number, name)
        return None

    async def _until_one_is_back(self, worker: WorkerProcess) -> None:
        """Wait for a call. Raises `WorkerGone` where the worker, which has nothing to say meanwhile, ends or speaks."""
        listening = asyncio.ensure_future(worker.receive())
        try:
            while not any(task.done() for task in self._running):
                left_s = self._left_s()
                if left_s <= 0:
                    raise TimeoutError
                awaited = {listening, *self._running}
                await asyncio.wait(awaited, timeout=left_s, return_when=asyncio.FIRST_COMPLETED)
                if listening.done():
                    listening.result()
                    raise WorkerGone("it spoke out of turn")
        finally:
            listening.cancel()

    def _results(self) -> tuple[list[list[Any]], list[bytes]]:
        """The calls that have come back, as many as go into one message."""
        done = [task for task in self._running if task.done()]
        results: list[list[Any]] = []
        texts: list[bytes] = []
        for task in done:
            if texts and sum(map(len, texts)) > ANSWERS_BYTES:
                break
            number, _ = self._running.pop(task)
            is_done, text = self._come_back(task)
            results.append([number, is_done])
            texts.append(text)
        return results, texts

    def _come_back(self, task: "asyncio.Task[bytes]") -> tuple[bool, bytes]:
        fault = task.exception()
        if fault is None:
            return True, task.result()
        if not isinstance(fault, ToolFailed):
            log.error("a call of a script: bug", exc_info=fault)
            fault = ToolFailed("the call failed, through a fault of Switchboard")
        if fault.hint:
            self._hints[str(fault)] = fault.hint
        return False, json.dumps(str(fault)).encode()

    async def _call(self, server: str, method: str, arguments: bytes) -> bytes:
        return to_value(f"{server}.{method}", await self._host.call(server, method, arguments, self), self._notes)

    async def _catalog(self, method: str, arguments: bytes) -> bytes:
        self._catalog_calls += 1
        if self._catalog_calls > CATALOG_CALLS:
            raise ToolFailed(f"catalog can be asked {CATALOG_CALLS} times in one run")
        given = json.loads(arguments)
        match method, given.get("query"), given.get("limit", 10), given.get("names"):
            case "search", str(query), int() | float() as limit, _ if not isinstance(limit, bool):
                found = await self._host.search(query, max(1, min(50, int(limit))))
                return json.dumps([{"name": name, "summary": summary} for name, summary in found]).encode()
            case "describe", _, _, str(name):
                return json.dumps(await self._host.describe([name])).encode()
            case "describe", _, _, list(names) if all(isinstance(name, str) for name in names):
                return json.dumps(await self._host.describe(names)).encode()
            case "search", *_:
                raise ToolFailed("catalog.search takes a query as text, and a limit as a number")
            case _:
                raise ToolFailed("catalog.describe takes an array of names")

    # -- what came of it -------------------------------------------------------------------------------------------

    async def _gone(self, worker: WorkerProcess, gone: WorkerGone) -> Ended:
        """What it means that the worker ended by itself."""
        await worker.end()
        status = worker.exit_status
        if status in MEMORY_SIGNALS:
            return Ended(Fault("memory", "OutOfMemory", "the memory is used up"))
        log.warning("a script's process ended with status %s: %s", status, gone)
        return Ended(Fault("aborted", "Crash", "the process that ran the code ended"))

    def _outcome(self, ended: Ended, memory_bytes: int = 0) -> Outcome:
        # A script that came to its end tells also of calls that were not begun.
        not_awaited = ended.not_awaited or [name for _, name in self._running.values()]
        if ended.fault is None:
            kind, result = "ok", write_result(ended, self._logs, self._notes, not_awaited)
        else:
            kind = ended.fault.kind
            result = write_failure(ended.fault, self._logs, self._script.servers, self._hints, not_awaited)
        wall_ms = (self._loop.time() - self._began) * 1000
        return Outcome(kind, result, wall_ms, len(self._made), memory_bytes, tuple(self._made))

    def timed_out(self) -> Outcome:
        """What the run comes to when its time is up and its process was killed."""
        fault = Fault("timeout", "Timeout", f"the run took longer than {self._script.budgets.wall_s:g} s")
        return self._outcome(Ended(fault))


def refuse_source(script: Script) -> Outcome | None:
    """What a script comes to that is not even tried."""
    size = len(script.source.encode("utf-8", "surrogatepass"))
    most = script.budgets.source_bytes
    if size <= most:
        return None
    fault = Fault("syntax", "SyntaxError", f"the source has {size} bytes, more than {most}")
    return Outcome("syntax", write_failure(fault, Logs(0), {}, {}, ()), 0.0, 0)


def _ended(said: dict[str, Any]) -> Ended:
    not_awaited = tuple(map(str, said.get("notAwaited", ())))
    if said.get("ok") is True:
        return Ended(None, str(said["value"]), int(said["chars"]), str(said["returned"]), not_awaited)
    line, column = said.get("line"), said.get("column")
    fault = Fault(
        str(said.get("kind", "runtime")),
        str(said.get("name", "Error")),
        str(said.get("message", "")),
        line if isinstance(line, int) else None,
        column if isinstance(column, int) else None,
    )
    return Ended(fault, not_awaited=not_awaited)
