"""How long scripts take in the sandbox beside what they do, what a waiting worker holds, and what attacks hold up.

Run by ``.venv/bin/python -m build.bench.sandbox``. All figures are of one run; ratios are to a bare start of Python.
"""

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import psutil

from switchboard_tray.sandbox.model import Budgets, Clock, Script
from switchboard_tray.sandbox.pool import SandboxPool
from switchboard_tray.sandbox.process import WorkerProcess
from switchboard_tray.wire.server import new_event_loop
from tests.sandbox.attacks import ATTACKS
from tests.sandbox.host import SERVERS, EchoHost

ROUNDS = 41
WALL_S = 0.4
LARGE_BYTES = 5_000_000


class InstantHost(EchoHost):
    """Answers at once, or after its tool's own time."""

    async def call(self, server: str, method: str, arguments: bytes, clock: Clock) -> bytes:
        """A call."""
        if method == "slow":
            await asyncio.sleep(0.1)
        return self.answer


def main() -> None:
    """Print the figures."""
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_main())


async def _main() -> None:
    unit_ms = min(_python_ms() for _ in range(5))
    print(f"python -I -S -c ''                {unit_ms:8.1f} ms")
    async with SandboxPool() as pool:

        async def run(source: str, host: EchoHost | None = None) -> None:
            outcome = await pool.run(Script(source, SERVERS, Budgets(wall_s=10.0)), host or InstantHost())
            assert outcome.kind == "ok", outcome

        async def warm(source: str, host: EchoHost | None = None) -> float:
            await pool.warm_up()
            return await _ms(lambda: run(source, host))

        plain = sorted([await warm("async () => 1") for _ in range(ROUNDS)])
        half_ms = _middle(plain)
        print(f"async () => 1, warm               {half_ms:8.1f} ms   {half_ms / unit_ms:5.2f} x, p95 {plain[-3]:.1f}")
        ten = "async () => { for (let i = 0; i < 10; i++) await s.echo({}) }"
        calls = sorted([await warm(ten) for _ in range(ROUNDS)])
        print(f"ten calls one after the other     {_middle(calls):8.1f} ms   {_middle(calls) / unit_ms:5.2f} x")
        together = "async () => { await Promise.all(Array.from({ length: 10 }, () => s.slow({}))) }"
        print(f"ten of 100 ms together            {await warm(together):8.1f} ms")
        rows = json.dumps({"rows": ["x" * 46] * (LARGE_BYTES // 50)})
        host = InstantHost(json.dumps({"content": [{"type": "text", "text": rows}]}).encode())
        large = sorted([await warm("async () => (await s.raw()).rows.length", host) for _ in range(7)])
        print(f"a result of 5 MB                  {_middle(large):8.1f} ms   {_middle(large) / unit_ms:5.2f} x")
        resident = [psutil.Process(pid).memory_info().rss / 2**20 for pid in pool.pids]
        print(f"a worker that waits               {max(resident):8.1f} MB")
    cold = sorted([await _ms(_cold) for _ in range(11)])
    print(f"async () => 1, cold               {_middle(cold):8.1f} ms   {_middle(cold) / unit_ms:5.2f} x")
    await _print_attacks()


async def _cold() -> None:
    worker = await WorkerProcess.start()
    try:
        order = {"servers": {}, "wallS": 5.0, "calls": 1, "memoryBytes": 64 << 20, "resultChars": 9, "logChars": 9}
        worker.send({**order, "mark": "@x:"}, [b"async () => 1"])
        said, _ = await worker.receive()
        assert said["ok"]
    finally:
        await worker.end()


async def _print_attacks() -> None:
    """Each attack alone: how long the event loop did nothing else, and how late a run ended."""
    worst_s, latest_s, kinds = 0.0, 0.0, dict[str, int]()
    turns = asyncio.Event()

    async def watch() -> None:
        nonlocal worst_s
        while not turns.is_set():
            began = time.perf_counter()
            await asyncio.sleep(0.001)
            worst_s = max(worst_s, time.perf_counter() - began - 0.001)

    async with SandboxPool() as pool:
        watching = asyncio.create_task(watch())
        for attack in ATTACKS:
            began = time.perf_counter()
            outcome = await pool.run(Script(attack.source, SERVERS, Budgets(wall_s=WALL_S)), InstantHost())
            latest_s = max(latest_s, time.perf_counter() - began - WALL_S)
            kinds[outcome.kind] = kinds.get(outcome.kind, 0) + 1
        turns.set()
        await watching
    print(f"{len(ATTACKS)} attacks: {', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}")
    print(f"  the event loop was held up at most {worst_s * 1000:.1f} ms, a run ended at most {latest_s:.2f} s late")


def _python_ms() -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-S", "-c", ""], check=True)
    return (time.perf_counter() - began) * 1000


async def _ms(action: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await action()
    return (time.perf_counter() - began) * 1000


def _middle(values: list[float]) -> float:
    return values[len(values) // 2]


if __name__ == "__main__":
    main()
