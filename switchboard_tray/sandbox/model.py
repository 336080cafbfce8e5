"""A script, what it may use, and what came of it. Pure."""

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Protocol

import msgspec

LOG_CHARS = 64 * 1024
CATALOG = "catalog"
"""The global that searches and describes tools; its calls are free, up to a number."""
CATALOG_CALLS = 100
START_COUNTED_S = 5.0
"""Of waiting for servers to start, so much counts as time of the run."""


class Budgets(msgspec.Struct, frozen=True):
    """What one run may use."""

    wall_s: float = 30.0
    calls: int = 64
    memory_mb: int = 64
    result_chars: int = 24_000
    source_bytes: int = 65_536


class Script(msgspec.Struct, frozen=True):
    """What a model wrote, and the tools it can reach."""

    source: str
    servers: Mapping[str, tuple[str, ...]]
    """The methods of each global, under their code names."""
    budgets: Budgets = Budgets()


class ToolFailed(Exception):
    """What a script sees as a thrown `Error`. `hint` is for the model, where the script does not catch it."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class Host(Protocol):
    """What a script reaches, named as it names it."""

    async def call(self, server: str, method: str, arguments: bytes, clock: "Clock") -> bytes:
        """Call a tool with a JSON object; gives its result. Raises `ToolFailed`.

        While the tool's server starts, ``clock.starting()`` is to be held.
        """

    def missed(self, server: str, method: str) -> None:
        """The script asked for a tool that is not there."""

    async def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        """Code name and summary of each tool that fits, best first."""

    async def describe(self, names: list[str]) -> str:
        """TypeScript of the named tools."""


class Clock(Protocol):
    """The time of a run."""

    def starting(self) -> AbstractAsyncContextManager[None]:
        """While this is held a server starts, which is not the script's fault."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a run failed: `kind` is syntax, runtime, timeout, memory, budget, or aborted where its process ended."""

    kind: str
    name: str
    message: str
    line: int | None = None
    column: int | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """How a script ended: with JSON text, or with a fault."""

    fault: Fault | None = None
    value: str = "null"
    full_chars: int = 0
    """How long the text would be uncut, where it is cut."""
    returned: str = ""
    """What it gave that is no JSON: undefined, function, symbol; empty where it is."""
    not_awaited: tuple[str, ...] = ()
    """Calls that were still running, or not begun."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run comes to: a tool result, and what it used."""

    kind: str
    """ok, or the kind of the fault."""
    result: bytes
    wall_ms: float
    calls: int
    memory_bytes: int = 0
    tools: tuple[str, ...] = field(default=())
    """The tools it called, in order, under their code names."""
