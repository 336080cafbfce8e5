"""The real measurement at its smallest: the same twice but for times, complete in the audit, and nothing left over."""

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from switchboard_tray.bench_context import fixture_server, home
from switchboard_tray.bench_context.measure import Costs, Measured, measure
from switchboard_tray.bench_context.report import as_json, as_markdown
from switchboard_tray.bench_context.requests import Counts
from switchboard_tray.bench_context.ways import WAYS
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.surfaces.display import BUILT_SURFACES
from switchboard_tray.surfaces.tokens import estimate_tokens
from tests.fixtures.waiting import eventually

ROOT = Path(__file__).resolve().parents[2]
TOOLS = 24


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Measured], Path]]:
    """Two runs, the second from a shell that has commands say more; and the folder for temporary files."""
    folder = tmp_path_factory.mktemp("tmp")
    with pytest.MonkeyPatch.context() as surroundings:
        surroundings.setenv("TMPDIR", str(folder))
        surroundings.setattr(tempfile, "tempdir", None)
        surroundings.delenv("SWITCHBOARD_DEBUG", raising=False)
        first = measure(TOOLS)
        surroundings.setenv("SWITCHBOARD_DEBUG", "1")
        yield [first, measure(TOOLS)], folder


def processes_of(folder: Path) -> list[str]:
    """What runs with `folder` for its temporary files, this process aside: a measurement hands it down to all of it."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and process.environ().get("TMPDIR") == str(folder):
                found.append(" ".join(process.cmdline()))
        except psutil.Error:
            continue
    return found


def test_two_runs_are_equal_to_the_byte_but_for_times(runs: tuple[list[Measured], Path]) -> None:
    first, second = as_json(runs[0])
    assert set(first.pop("times")) == set(second.pop("times")) == set(WAYS)
    assert json.dumps(first) == json.dumps(second)


def test_each_way_does_the_whole_task_and_is_refused_what_is_left_out(runs: tuple[list[Measured], Path]) -> None:
    measured = runs[0][0]
    by_way = {costs.way: costs for costs in measured.costs}

    assert (measured.tools, measured.servers, measured.refused, measured.calls) == (TOOLS, 3, len(WAYS), 4 * len(WAYS))
    assert by_way["flat"].definitions == TOOLS - 1
    assert by_way["flat"].definition_tokens > by_way["meta"].definition_tokens > by_way["cli"].definition_tokens > 0
    assert all(costs.task_tokens > 0 and costs.result_bytes > 0 for costs in measured.costs)
    assert by_way["flat"].break_even is None and by_way["cli"].memory_mb is not None
    assert {way for way, costs in by_way.items() if costs.wire_bytes is None} == {"cli"}


def test_break_even_is_counted_in_single_searches(runs: tuple[list[Measured], Path]) -> None:
    by_way = {costs.way: costs for costs in runs[0][0].costs}
    compact, flat = by_way["compact"], by_way["flat"]

    assert compact.search_tokens is not None
    # Two searches, then what is done with every surface.
    assert 0 < compact.task_tokens - 2 * compact.search_tokens < 2 * flat.task_tokens
    assert compact.break_even == (flat.definition_tokens - compact.definition_tokens) // compact.search_tokens


def test_search_counts_with_the_schemas_it_leads_to() -> None:
    counts = Counts()
    counts.add("search", 100, 10)
    counts.add("search", 50, 10)
    counts.add("schema", 30, 10)
    counts.add("call", 7, 10)

    assert counts == Counts(task_tokens=187, look_tokens=180, searches=2, result_bytes=40)


def test_nothing_is_left_over(runs: tuple[list[Measured], Path]) -> None:
    assert (list(runs[1].iterdir()), processes_of(runs[1])) == ([], [])


def started(folder: Path) -> "subprocess.Popen[bytes]":
    """A measurement as a user runs it, with `folder` for its temporary files."""
    command = [sys.executable, "-m", "switchboard_tray", "bench", "context", "--tools", str(TOOLS)]
    environ = {**os.environ, "TMPDIR": str(folder), "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other ways to end a process")
@pytest.mark.parametrize(("name", "status"), [("SIGINT", 130), ("SIGTERM", 130), ("SIGHUP", 130), ("SIGKILL", -9)])
async def test_nothing_runs_on_when_it_is_ended_midway(name: str, status: int, tmp_path: Path) -> None:
    bench = started(tmp_path)
    try:
        await eventually(lambda: [one for one in processes_of(tmp_path) if fixture_server.__file__ in one])
    finally:
        bench.send_signal(getattr(signal, name))

    assert bench.wait(30) == status
    await eventually(lambda: not processes_of(tmp_path))
    # Nothing can answer SIGKILL: the folder stays, as docs/bench-context.md says.
    assert len(os.listdir(tmp_path)) == (name == "SIGKILL")


@pytest.mark.skipif(not shutil.which("false"), reason="no program that fails at once")
def test_gateway_that_does_not_start_is_told_and_its_folder_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(sys, "executable", shutil.which("false"))

    with pytest.raises(SwitchboardError, match="did not start: it said nothing"):
        measure(TOOLS)
    assert list(tmp_path.iterdir()) == []


def test_every_surface_is_measured() -> None:
    assert {surface for surface, _ in WAYS.values()} == BUILT_SURFACES


def test_markdown_has_a_row_for_each_way(runs: tuple[list[Measured], Path]) -> None:
    lines = as_markdown(runs[0]).splitlines()

    assert [line.split("|")[1].strip() for line in lines if line.startswith("| ")][1 : len(WAYS) + 1] == list(WAYS)
    assert len({len(line) for line in lines if line.startswith("|")}) == 1


def test_costs_that_are_not_known_are_left_empty() -> None:
    costs = Costs("x", 1, 2, 3, None, 5, None, None, 6.4, None, None)

    row = as_markdown([Measured(24, 3, (costs,), 4, 1)]).splitlines()[-1]
    assert [cell.strip() for cell in row.split("|")] == ["", "x", "1", "2", "3", "", "5", "", "", "6", "", "", ""]


@pytest.mark.parametrize(("tools", "servers"), [(24, 3), (40, 3), (200, 8), (500, 20), (1000, 20)])
def test_tools_are_spread_over_servers_that_exist(tools: int, servers: int) -> None:
    counts = home.server_counts(tools)

    assert (sum(counts.values()), len(counts)) == (tools, servers)
    for name, count in counts.items():
        names = [one["name"] for one in fixture_server.tools_of(name, count)]
        assert len(set(names)) == count


def test_tools_are_about_as_long_as_real_ones() -> None:
    counts = home.server_counts(500)
    tools = [tool for name, count in counts.items() for tool in fixture_server.tools_of(name, count)]

    tokens = [estimate_tokens(json.dumps(tool, separators=(",", ":"))) for tool in tools]
    assert round(statistics.mean(tokens)) == 184
    assert statistics.quantiles(tokens, n=10)[-1] > 300
