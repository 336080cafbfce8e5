"""All attacks against one pool of workers."""

import asyncio
from collections.abc import Callable

from switchboard_tray.sandbox.model import Budgets, Script
from switchboard_tray.sandbox.pool import SandboxPool
from tests.sandbox.attacks import ATTACKS, Attack
from tests.sandbox.host import SERVERS, EchoHost

BUDGETS = Budgets(wall_s=0.4)
PATIENT = Budgets(wall_s=10.0)


async def contain_all(make_pool: Callable[[], SandboxPool], *, may_crash: bool = False) -> list[str]:
    """What is wrong: each attack that came to an end it must not, or reached what it must not."""
    also = {"aborted"} if may_crash else set()
    wrong: list[str] = []
    turns = asyncio.Semaphore(2)

    async def try_one(pool: SandboxPool, attack: Attack) -> None:
        async with turns:
            host = EchoHost()
            outcome = await pool.run(Script(attack.source, SERVERS, BUDGETS), host)
            if outcome.kind == "timeout" not in attack.kinds:
                # A busy machine may be to blame.
                host = EchoHost()
                outcome = await pool.run(Script(attack.source, SERVERS, PATIENT), host)
        if outcome.kind not in attack.kinds | also or len(host.calls) > BUDGETS.calls:
            wrong.append(f"{attack.name}: {outcome.kind} {outcome.result[:300]!r}")
        if any(server != "s" or method not in SERVERS["s"] for server, method, _ in host.calls):
            wrong.append(f"{attack.name}: reached {host.calls}")

    async with make_pool() as pool, asyncio.TaskGroup() as tasks:
        for attack in ATTACKS:
            tasks.create_task(try_one(pool, attack))
    return wrong
