"""The costs of each way to reach tools, for profiles of several sizes."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

from switchboard_tray.admin.client import AdminClient, find_gateway
from switchboard_tray.bench_context.home import EXCLUDED, Home, end, running_home
from switchboard_tray.bench_context.requests import milliseconds_since
from switchboard_tray.bench_context.ways import QUERIES, WAYS
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.names import ToolRef

LISTED_S = 60.0
POLL_S = 0.05


@dataclass(frozen=True, slots=True)
class Costs:
    """What the task costs one way. All but the last three are the same in each run."""

    way: str
    definitions: int
    """Tools that are listed."""
    definition_tokens: int
    """Told before anything is done, again in each request of a conversation."""
    task_tokens: int
    """Arguments and answers, which stay in the conversation."""
    wire_bytes: int | None
    """Bodies of requests and answers, both ways; None from a shell, whose processes are what counts there."""
    result_bytes: int
    search_tokens: int | None
    """Of one search and the schemas it leads to, as they were on average; None where none is needed."""
    break_even: int | None
    """After so many searches in one conversation this way has cost as much as listing all tools: what its definitions
    save, by `search_tokens`. None without a search, or where its definitions are no smaller."""
    latency_ms: float
    cpu_ms: float | None
    """Of the command line's own processes."""
    memory_mb: float | None


@dataclass(frozen=True, slots=True)
class Measured:
    """One size of profile."""

    tools: int
    servers: int
    costs: tuple[Costs, ...]
    calls: int
    """Rows in the audit."""
    refused: int
    """Of these, tries of the excluded tool."""


def measure(tools: int) -> Measured:
    """Do the task each way with `tools` tools. Takes some seconds.

    Raises `SwitchboardError` where something is not as it must be, an audit that is not complete among it.
    """
    with running_home(tools, {name: surface for name, (surface, _) in WAYS.items()}) as (home, process):
        client = find_gateway(home.paths)
        servers = _wait_for_lists(client)
        for profile in WAYS:
            # The first search loads the table of meanings, the first of each profile builds its index. Else that would
            # be in the latency of whichever way comes first.
            client.get("/search", query=QUERIES[0], profile=profile)
        costs = [_costs_of(name, home) for name in WAYS]
        end(process)
        rows = home.audited()
    refused = [row for row in rows if row[3] == "refused"]
    tool = ToolRef.parse(EXCLUDED)
    assert tool is not None
    if len(refused) != len(WAYS) or len(rows) != 4 * len(WAYS) or any(tool.tool not in row[2] for row in refused):
        raise SwitchboardError(f"The audit of the measurement is not as it must be: {rows}")
    flat = costs[0]
    settled = tuple(_with_break_even(one, flat) for one in costs)
    return Measured(tools, servers, settled, len(rows), len(refused))


def _costs_of(name: str, home: Home) -> Costs:
    """The costs of a way, its break-even still to be worked out."""
    opened = time.perf_counter()
    way = WAYS[name][1](home)
    try:
        way.look()
        way.do()
        latency_ms = milliseconds_since(opened)
    finally:
        way.close()
    counts = way.counts
    has_processes = bool(counts.memory_bytes)
    return Costs(
        way=name,
        definitions=way.definition_count,
        definition_tokens=way.definition_tokens,
        task_tokens=counts.task_tokens,
        wire_bytes=counts.wire_bytes,
        result_bytes=counts.result_bytes,
        search_tokens=-(-counts.look_tokens // counts.searches) if counts.searches else None,
        break_even=None,
        latency_ms=latency_ms,
        cpu_ms=counts.cpu_s * 1000 if has_processes else None,
        memory_mb=counts.memory_bytes / 2**20 if has_processes else None,
    )


def _with_break_even(costs: Costs, flat: Costs) -> Costs:
    saved = flat.definition_tokens - costs.definition_tokens
    return replace(costs, break_even=saved // costs.search_tokens if costs.search_tokens and saved > 0 else None)


def _wait_for_lists(client: AdminClient) -> int:
    """Wait until the tools of each server are known; the number of servers."""
    give_up = time.monotonic() + LISTED_S
    while True:
        servers: Sequence[dict[str, object]] = client.get("/servers")
        if all(server["tools"] is not None for server in servers):
            return len(servers)
        if time.monotonic() > give_up:
            raise SwitchboardError("The servers of the measurement did not list their tools in time.")
        time.sleep(POLL_S)
