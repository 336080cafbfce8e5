"""Thousands of calls through a gateway whose servers crash, hang and are edited meanwhile: what is left at the end.

Run by ``.venv/bin/python -m build.bench.soak [--calls N] [--seed N]``. Each call must be answered exactly once; a
cancelled one, or one whose client left, at most once. The figures of a run stand in docs/soak.md.
"""

import argparse
import asyncio
import json
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from switchboard_tray.wire.server import new_event_loop
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import Servers, progress, text, tool

CLIENTS = 12
KINDS = {
    "echo": 800,
    "slow": 60,
    "chatty": 40,
    "cancelled": 40,
    "left": 20,
    "crash": 3,
    "silent": 8,
    "edit": 5,
    "restart": 6,
}
"""What a step may be, and how often of a thousand."""
CALL_TIMEOUT_S = 1.0
SERVERS = ("one", "two", "three")
SCRIPT = {
    "tools": [tool(name) for name in ("echo", "slow", "chatty", "crash", "silent")],
    "calls": {
        "slow": [["pause", 0.05], text("at last")],
        "chatty": [progress('"progress":1'), progress('"progress":2'), text("so much")],
        "crash": [["exit", 3]],
        "silent": [],
    },
}


@dataclass
class Tally:
    """What came of the calls, and what was found at the end."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    took_s: float = 0.0
    processes_left: int = 0
    tasks_left: int = 0
    descriptors: tuple[int, int] = (0, 0)
    """Before and after."""
    memory_mb: list[float] = field(default_factory=list)
    """Of this process, gateway and clients together, after each tenth."""


async def soak(calls: int, seed: int, folder: Path) -> Tally:
    """Make the calls, then stop the gateway and count what is left."""
    tally, chance, this = Tally(), random.Random(seed), psutil.Process()
    servers = Servers(folder)
    entries = {name: servers.make(**SCRIPT).entry(callTimeoutSec=CALL_TIMEOUT_S) for name in SERVERS}
    tally.descriptors = (this.num_fds(), 0)
    started = time.monotonic()
    async with running_gateway(folder / "home", config_of(entries)) as gateway:
        clients = [await connected(gateway, name=f"client-{number}") for number in range(CLIENTS)]
        left = iter(range(calls))
        await asyncio.gather(*(_work(gateway, client, left, calls, chance, tally) for client in clients))
    tally.took_s = time.monotonic() - started
    tally.processes_left = len(servers.kill())
    tally.tasks_left = len(asyncio.all_tasks()) - 1
    tally.descriptors = (tally.descriptors[0], this.num_fds())
    return tally


async def _work(
    gateway: RunningGateway, client: McpClient, left: Iterator[int], calls: int, chance: random.Random, tally: Tally
) -> None:
    for number in left:
        kind = chance.choices(list(KINDS), list(KINDS.values()))[0]
        server = chance.choice(SERVERS)
        try:
            await _one(gateway, client, kind, server, number, tally)
        except Exception as fault:
            tally.faults.append(f"{number} {kind}: {fault!r}")
        if number % max(1, calls // 10) == 0:
            tally.memory_mb.append(psutil.Process().memory_info().rss / 1e6)


async def _one(
    gateway: RunningGateway, client: McpClient, kind: str, server: str, number: int, tally: Tally
) -> None:
    match kind:
        case "edit":
            await gateway.patch(servers={server: {"description": f"edit {number}", "callTimeoutSec": CALL_TIMEOUT_S}})
        case "restart":
            answer = await gateway.api("POST", f"/servers/{server}/restart")
            tally.outcomes[f"restart {answer.status}"] += 1
            return
        case "cancelled":
            call = asyncio.create_task(client.call(f"{server}__slow", request_id=str(number)))
            await asyncio.sleep(0.02)
            await client.notify("notifications/cancelled", json.dumps({"requestId": number}))
            _count(number, kind, (await call).body, tally, at_least=0)
            return
        case "left":
            try:
                async with asyncio.timeout(0.02):
                    await client.call(f"{server}__slow", request_id=str(number))
            except TimeoutError:
                tally.outcomes["left"] += 1
            return
        case _:
            meta = '{"progressToken":1}' if kind == "chatty" else ""
            answer = await client.call(f"{server}__{kind}", meta=meta, request_id=str(number))
            _count(number, kind, answer.body, tally, at_least=1)
            return
    tally.outcomes[kind] += 1


def _count(number: int, kind: str, body: bytes, tally: Tally, at_least: int) -> None:
    """Hold what came to the promise: one response with the request's id, and no other."""
    lines = [line.removeprefix(b"data: ") for line in body.split(b"\n") if line.startswith((b"{", b"data: {"))]
    answers = [one for one in map(json.loads, lines) if "method" not in one]
    if not at_least <= len(answers) <= 1 or any(one["id"] != number for one in answers):
        tally.faults.append(f"{number} {kind}: {body[:200]!r}")
    for one in answers:
        is_error = "error" in one or one["result"].get("isError", False)
        tally.outcomes[f"{kind}: {'error' if is_error else 'result'}"] += 1
    if not answers:
        tally.outcomes[f"{kind}: no answer"] += 1


def main() -> int:
    """Print the figures; 1 where something was wrong."""
    parser = argparse.ArgumentParser(description="Thousands of calls while everything goes wrong.")
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, asyncio.Runner(loop_factory=new_event_loop) as runner:
        tally = runner.run(soak(options.calls, options.seed, Path(folder)))
    print(f"{options.calls} steps in {tally.took_s:.0f} s, seed {options.seed}")
    for outcome, count in sorted(tally.outcomes.items()):
        print(f"  {outcome:24} {count}")
    print(f"faults {len(tally.faults)}, processes left {tally.processes_left}, tasks left {tally.tasks_left}")
    print(f"descriptors before {tally.descriptors[0]}, after {tally.descriptors[1]}")
    print("memory MB at each tenth: " + " ".join(f"{size:.0f}" for size in tally.memory_mb))
    print("\n".join(tally.faults[:20]))
    return 1 if tally.faults or tally.processes_left or tally.tasks_left else 0


if __name__ == "__main__":
    sys.exit(main())
