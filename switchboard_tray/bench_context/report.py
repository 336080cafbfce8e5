"""What was measured, as Markdown or as JSON. All but `times` is the same in each run. Pure."""

from collections.abc import Sequence
from typing import Any

from switchboard_tray.bench_context.measure import Costs, Measured

HEADINGS = (
    "way",
    "tools listed",
    "definition tokens",
    "task tokens",
    "wire bytes",
    "result bytes",
    "search tokens",
    "break-even searches",
    "latency ms",
    "CLI CPU ms",
    "CLI MB",
)
_TEXT = """\
One task: find an issue, read it, comment on it, try a tool that the profile leaves out. Each way is a real client of a
real gateway, with the profile check and the audit on; the tool that is left out was refused each time.

- definition tokens: tools and instructions, which a model reads with each request; for the command line one hint.
- task tokens: arguments and answers of the task.
- wire bytes: bodies of requests and answers; result bytes: answers of tool calls, or what commands print.
- search tokens: of one search and the schemas it leads to; part of the task.
- break-even searches: after so many in one conversation a way has cost as much as listing all tools.
- latency: of the task, each profile having been searched before; CLI: all processes of the command line.
"""


def as_markdown(measured: Sequence[Measured]) -> str:
    """A table for each size."""
    parts = [_TEXT]
    for one in measured:
        parts.append(f"## {one.tools} tools of {one.servers} servers\n")
        rows = [HEADINGS, *(_cells(costs) for costs in one.costs)]
        widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
        lines = [_line(row, widths) for row in rows]
        rule = "|".join(["", "-" * (widths[0] + 2), *(f"{'-' * (width + 1)}:" for width in widths[1:]), ""])
        parts.append("\n".join([lines[0], rule, *lines[1:]]) + "\n")
    return "\n".join(parts)


def as_json(measured: Sequence[Measured]) -> list[dict[str, Any]]:
    """An object for each size."""
    return [
        {
            "tools": one.tools,
            "servers": one.servers,
            "calls": one.calls,
            "refused": one.refused,
            "ways": [
                {
                    "way": costs.way,
                    "toolsListed": costs.definitions,
                    "definitionTokens": costs.definition_tokens,
                    "taskTokens": costs.task_tokens,
                    "wireBytes": costs.wire_bytes,
                    "resultBytes": costs.result_bytes,
                    "searchTokens": costs.search_tokens,
                    "breakEvenSearches": costs.break_even,
                }
                for costs in one.costs
            ],
            "times": {
                costs.way: {"latencyMs": costs.latency_ms, "cpuMs": costs.cpu_ms, "memoryMb": costs.memory_mb}
                for costs in one.costs
            },
        }
        for one in measured
    ]


def _cells(costs: Costs) -> tuple[str, ...]:
    return (
        costs.way,
        str(costs.definitions),
        str(costs.definition_tokens),
        str(costs.task_tokens),
        _or_empty(costs.wire_bytes),
        str(costs.result_bytes),
        _or_empty(costs.search_tokens),
        _or_empty(costs.break_even),
        f"{costs.latency_ms:.0f}",
        _or_empty(costs.cpu_ms),
        _or_empty(costs.memory_mb),
    )


def _or_empty(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    first, *others = zip(cells, widths, strict=True)
    return f"| {first[0]:<{first[1]}} | " + " | ".join(f"{cell:>{width}}" for cell, width in others) + " |"
