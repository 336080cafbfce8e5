"""Whether scripts can be run here, and what holds them: found out by a real worker that tries what it must not."""

from dataclasses import dataclass, field

from switchboard_tray.sandbox.model import Budgets, Clock, Script, ToolFailed
from switchboard_tray.sandbox.pool import SandboxPool
from switchboard_tray.sandbox.process import WorkerGone, WorkerProcess


@dataclass(frozen=True, slots=True)
class SandboxCheck:
    """What was found."""

    fault: str = ""
    """Why scripts cannot be run; empty where they can."""
    protections: tuple[str, ...] = ()
    """What holds a worker, in words."""
    refused: dict[str, bool] = field(default_factory=dict)
    """What a worker tried, and whether it was refused."""


async def check_sandbox() -> SandboxCheck:
    """Run a script, and have a worker try to get out. Takes a tenth of a second."""
    try:
        async with SandboxPool() as pool:
            outcome = await pool.run(Script("async () => 6 * 7", {}), _NoTools())
            if b"42" not in outcome.result:
                return SandboxCheck(f"a script gave {outcome.result.decode('utf-8', 'replace')}")
        worker = await WorkerProcess.start()
        try:
            budgets = Budgets()
            order = {"probe": True, "wallS": budgets.wall_s, "memoryBytes": budgets.memory_mb << 20}
            worker.send({**order, "calls": 0, "resultChars": 0, "logChars": 0}, [b""])
            said, _ = await worker.receive()
        finally:
            await worker.end()
    except (OSError, WorkerGone, TimeoutError) as exc:
        return SandboxCheck(f"no worker came up: {exc}")
    return SandboxCheck("", tuple(said["protections"]), said["refused"])


class _NoTools:
    """A host that nothing is asked of: the script has no servers."""

    async def call(self, server: str, method: str, arguments: bytes, clock: Clock) -> bytes:
        raise ToolFailed("there are no tools")

    def missed(self, server: str, method: str) -> None:
        """Nothing."""

    async def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        return []

    async def describe(self, names: list[str]) -> str:
        return ""
