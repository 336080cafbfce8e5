"""How far `estimate_tokens` is off, and how long it takes.

    SWITCHBOARD_TEST_DATA=FOLDER .venv/bin/python -m build.bench.tokens

FOLDER holds the catalogue of real tools, ``catalog.json``. Needs Node and the npm packages of the test group `clients`.
"""

import json
import os
import statistics
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from build.clients import FOLDER, prepare_npm
from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Tool
from switchboard_tray.surfaces.tokens import estimate_tokens
from switchboard_tray.typescript.render import signature

TIMED = 500
ROUNDS = 15

Catalogue = Mapping[str, Sequence[Tool]]
"""The tools of each server."""


@dataclass(frozen=True)
class Errors:
    """Distances of estimates from counts, as shares of the counts."""

    mean: float
    """Over tools."""
    servers: Mapping[str, float]
    """Of each server's tools together."""

    @property
    def worst(self) -> str:
        """The server that is estimated worst."""
        return max(self.servers, key=lambda server: self.servers[server])


def main() -> None:
    """Print the figures."""
    catalogue = read_catalogue(Path(os.environ["SWITCHBOARD_TEST_DATA"]))
    node = prepare_npm()
    for name, texts in {"JSON": definitions(catalogue), "TypeScript": signatures(catalogue)}.items():
        counts = count_tokens(node, [text for of_server in texts.values() for text in of_server])
        for label, counted in zip(("o200k", "cl100k", "mean of both"), columns(counts), strict=True):
            found = errors(texts, counted)
            figures = f"{found.mean:6.2%} a tool, {statistics.mean(found.servers.values()):6.2%} a server"
            print(f"{name:<10} {label:<12} {figures}, worst {found.servers[found.worst]:6.2%} ({found.worst})")
    chosen = [text for texts in definitions(catalogue).values() for text in texts][:: len(catalogue) // 16][:TIMED]
    size_kb = sum(map(len, chosen)) / 1024
    print(f"{len(chosen)} tools of {size_kb:.0f} KB: {_best_s(chosen) * 1000:.2f} ms")


def read_catalogue(folder: Path) -> Catalogue:
    """The catalogue in `folder`, each tool as it passes our checks."""
    servers: dict[str, list[bytes]] = {}
    for tool in json.loads((folder / "catalog.json").read_text("utf-8")):
        servers.setdefault(tool.pop("server"), []).append(_json(tool).encode())
    return {server: check_tools(tools)[0] for server, tools in servers.items()}


def definitions(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    """The text of each tool as clients get it in a list."""
    return {server: [tool.raw.decode() for tool in tools] for server, tools in catalogue.items()}


def signatures(catalogue: Catalogue) -> Mapping[str, Sequence[str]]:
    """Each tool as a TypeScript signature."""
    return {server: [signature(f"{server}.{tool.name}", tool) for tool in tools] for server, tools in catalogue.items()}


def count_tokens(node: Path, texts: Sequence[str]) -> list[tuple[int, int]]:
    """How many o200k and cl100k tokens each text has."""
    command = [str(node), str(FOLDER / "count_tokens.cjs")]
    done = subprocess.run(command, input=json.dumps(texts), stdout=subprocess.PIPE, text=True, check=True)
    return [(o200k, cl100k) for o200k, cl100k in json.loads(done.stdout)]


def columns(counts: Sequence[tuple[int, int]]) -> tuple[list[float], list[float], list[float]]:
    """Counts by o200k, by cl100k, and the mean of the two."""
    return [one for one, _ in counts], [other for _, other in counts], [sum(both) / 2 for both in counts]


def errors(texts: Mapping[str, Sequence[str]], counts: Sequence[float]) -> Errors:
    """How far the estimates of `texts` are from `counts`, which are in the same order."""
    counted = iter(counts)
    of_tools: list[float] = []
    of_servers = {}
    for server, of_server in texts.items():
        pairs = [(estimate_tokens(text), next(counted)) for text in of_server]
        of_tools += [abs(estimate - count) / count for estimate, count in pairs]
        total = sum(count for _, count in pairs)
        of_servers[server] = abs(sum(estimate for estimate, _ in pairs) - total) / total
    return Errors(statistics.mean(of_tools), of_servers)


def _best_s(texts: Sequence[str]) -> float:
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for text in texts:
            estimate_tokens(text)
        times.append(time.perf_counter() - started)
    return min(times)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


if __name__ == "__main__":
    main()
