"""Thousands of calls through a gateway whose servers crash, hang and are edited meanwhile: what is left at the end.

Run by ``.venv/bin/python -m build.bench.soak [--calls N] [--seed N]``. Each call must be answered exactly once and
reach a server at most once; a cancelled one, or one whose client left, is answered at most once. The figures of a run
stand in docs/soak.md.
"""

import argparse
import asyncio
import gc
import json
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from switchboard_tray.paths import Paths
from switchboard_tray.protocol.calls import Call
from switchboard_tray.wire.server import new_event_loop
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, Step, progress, text, tool

CLIENTS = 12
SERVERS = ("one", "two", "three")
CALLS = {"echo": 800, "slow": 60, "chatty": 40, "cancelled": 40, "left": 20, "silent": 8, "crash": 5}
EDITS = {"description": 4, "environment": 3, "limit": 3, "off and on": 2, "restart": 6}
"""What a step may be, and how often of about a thousand."""
CALL_TIMEOUT_S = 1.0
STEPS: dict[str, list[Step]] = {
    "slow": [["pause", 0.05], text("at last")],
    "chatty": [progress('"progress":1'), progress('"progress":2'), text("so much")],
    "crash": [["exit", 3]],
    "silent": [],
}


@dataclass
class Tally:
    """What came of the calls, and what was found at the end."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    calls: int = 0
    rows: int = 0
    """Calls in the audit."""
    took_s: float = 0.0
    processes_left: int = 0
    tasks_left: int = 0
    waits_left: int = 0
    """Calls and futures that something still waits for."""
    descriptors: tuple[int, int] = (0, 0)
    """Before and after."""
    memory_mb: list[float] = field(default_factory=list)
    """Of this process, gateway and clients together, after each tenth."""


async def soak(steps: int, seed: int, folder: Path) -> Tally:
    """Make so many steps, then stop the gateway and count what is left."""
    this, servers = psutil.Process(), Servers(folder)
    made = {name: servers.make(tools=[tool(one) for one in ("echo", *STEPS)], calls=STEPS) for name in SERVERS}
    entries = {name: one.entry(callTimeoutSec=CALL_TIMEOUT_S, maxConcurrent=8) for name, one in made.items()}
    before, started = this.num_fds(), time.monotonic()
    async with running_gateway(folder / "home", config_of(entries)) as gateway:
        await gateway.until_listed(*SERVERS)
        soaking = Soaking(gateway, steps, random.Random(seed))
        clients = [await connected(gateway, name=f"client-{number}") for number in range(CLIENTS)]
        left = iter(range(steps))
        await asyncio.gather(*(soaking.work(client, left) for client in clients))
    tally = soaking.tally
    tally.took_s = time.monotonic() - started
    tally.processes_left = len(servers.kill())
    tally.tasks_left = len(asyncio.all_tasks()) - 1
    tally.waits_left = _waits_left()
    tally.descriptors = (before, this.num_fds())
    tally.rows = _rows(gateway.paths)
    tally.faults += _sent_twice(made)
    return tally


class Soaking:
    """What one run does, step by step."""

    def __init__(self, gateway: RunningGateway, steps: int, chance: random.Random) -> None:
        self.tally = Tally()
        self._gateway, self._tenth, self._chance = gateway, max(1, steps // 10), chance
        self._kinds = {**CALLS, **EDITS}

    async def work(self, client: McpClient, left: Iterator[int]) -> None:
        """Take steps as long as there are any."""
        for number in left:
            kind = self._chance.choices(list(self._kinds), list(self._kinds.values()))[0]
            server = self._chance.choice(SERVERS)
            try:
                if kind in EDITS:
                    await self._edit(kind, server, number)
                else:
                    self.tally.calls += 1
                    await self._call(client, kind, server, number)
            except Exception as fault:
                self.tally.faults.append(f"{number} {kind}: {fault!r}")
            if number % self._tenth == 0:
                self.tally.memory_mb.append(psutil.Process().memory_info().rss / 1e6)

    async def _edit(self, kind: str, server: str, number: int) -> None:
        edits: list[dict[str, object]]
        match kind:
            case "restart":
                answer = await self._gateway.api("POST", f"/servers/{server}/restart")
                self.tally.outcomes[f"{kind}: {'done' if answer.status == 200 else 'not started'}"] += 1
                return
            case "description":
                edits = [{"description": f"edit {number}"}]
            case "environment":
                edits = [{"env": {"EDIT": str(number)}}]
            case "limit":
                edits = [{"maxConcurrent": self._chance.choice([1, 2, 8, None])}]
            case _:
                edits = [{"enabled": False}, {"enabled": True}]
        for edit in edits:
            await self._gateway.patch(servers={server: edit})
        self.tally.outcomes[f"edit: {kind}"] += 1

    async def _call(self, client: McpClient, kind: str, server: str, number: int) -> None:
        name, arguments = f"{server}__{kind}", json.dumps({"n": number})
        match kind:
            case "cancelled":
                call = asyncio.create_task(client.call(f"{server}__slow", arguments, request_id=str(number)))
                await asyncio.sleep(0.02)
                await client.notify("notifications/cancelled", json.dumps({"requestId": number}))
                self._count(number, kind, (await call).body, at_least=0)
            case "left":
                try:
                    async with asyncio.timeout(0.02):
                        await client.call(f"{server}__slow", arguments, request_id=str(number))
                except TimeoutError:
                    self.tally.outcomes["left: no answer"] += 1
            case _:
                meta = '{"progressToken":1}' if kind == "chatty" else ""
                answer = await client.call(name, arguments, meta, request_id=str(number))
                self._count(number, kind, answer.body, at_least=1)

    def _count(self, number: int, kind: str, body: bytes, at_least: int) -> None:
        """Hold what came to the promise: one response with the request's id and its own words, and no other."""
        lines = [line.removeprefix(b"data: ") for line in body.split(b"\n") if line.startswith((b"{", b"data: {"))]
        answers = [one for one in map(json.loads, lines) if "method" not in one]
        if not at_least <= len(answers) <= 1 or any(one["id"] != number for one in answers):
            self.tally.faults.append(f"{number} {kind}: {body[:200]!r}")
        for one in answers:
            is_error = "error" in one or one["result"].get("isError", False)
            self.tally.outcomes[f"{kind}: {'error' if is_error else 'result'}"] += 1
            if kind == "echo" and not is_error and f'{{\\"n\\":{number}}}'.encode() not in body.replace(b" ", b""):
                self.tally.faults.append(f"{number} {kind}: the answer of another: {body[:200]!r}")
        if not answers:
            self.tally.outcomes[f"{kind}: no answer"] += 1


def _sent_twice(made: dict[str, ScriptedServer]) -> list[str]:
    """Calls that reached a server more than once: none of the tools says that it may be repeated."""
    sent = [call["params"]["arguments"]["n"] for server in made.values() for call in server.received("tools/call")]
    return [f"{number}: {count} times at a server" for number, count in Counter(sent).items() if count > 1]


def _waits_left() -> int:
    gc.collect()
    loop = asyncio.get_running_loop()
    found = 0
    for thing in gc.get_objects():
        is_call = isinstance(thing, Call) and not thing.is_done
        is_wait = isinstance(thing, asyncio.Future) and not thing.done() and thing.get_loop() is loop
        found += is_call or (is_wait and not isinstance(thing, asyncio.Task))
    return found


def _rows(paths: Paths) -> int:
    with closing(sqlite3.connect(paths.audit)) as database:
        rows: int = database.execute("SELECT count(*) FROM calls").fetchone()[0]
        return rows


def main() -> int:
    """Print the figures; 1 where something was wrong."""
    parser = argparse.ArgumentParser(description="Thousands of calls while everything goes wrong.")
    parser.add_argument("--calls", type=int, default=10_000, help="steps; some are edits and restarts")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=new_event_loop) as runner:
        tally = runner.run(soak(options.calls, options.seed, Path(folder)))
    print(f"{options.calls} steps, {tally.calls} of them calls, in {tally.took_s:.0f} s, seed {options.seed}")
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"  {outcome:24} {count}")
    left = (tally.processes_left, tally.tasks_left, tally.waits_left)
    print(f"faults {len(tally.faults)}; left: processes {left[0]}, tasks {left[1]}, waits {left[2]}")
    print(f"rows in the audit {tally.rows}; descriptors before {tally.descriptors[0]}, after {tally.descriptors[1]}")
    print("memory MB at each tenth: " + " ".join(f"{size:.0f}" for size in tally.memory_mb))
    print("\n".join(tally.faults[:20]))
    return 1 if tally.faults or any(left) else 0


if __name__ == "__main__":
    sys.exit(main())
