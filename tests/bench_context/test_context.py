"""The real measurement at its smallest: the same twice but for times, complete in the audit, and nothing left over."""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from switchboard_tray.bench_context import fixture_server, home
from switchboard_tray.bench_context.measure import Costs, Measured, measure
from switchboard_tray.bench_context.report import as_json, as_markdown
from switchboard_tray.bench_context.ways import WAYS
from switchboard_tray.surfaces.display import BUILT_SURFACES

TOOLS = 24


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Measured], Path]]:
    folder = tmp_path_factory.mktemp("tmp")
    before, tempfile.tempdir = tempfile.tempdir, str(folder)
    try:
        yield [measure(TOOLS), measure(TOOLS)], folder
    finally:
        tempfile.tempdir = before


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


def test_nothing_is_left_over(runs: tuple[list[Measured], Path]) -> None:
    program = str(Path(fixture_server.__file__).resolve())

    assert list(runs[1].iterdir()) == []
    assert not [one for one in psutil.process_iter(["cmdline"]) if program in (one.info["cmdline"] or ())]


def test_every_surface_is_measured() -> None:
    assert {surface for surface, _ in WAYS.values()} == BUILT_SURFACES


def test_markdown_has_a_row_for_each_way(runs: tuple[list[Measured], Path]) -> None:
    lines = as_markdown(runs[0]).splitlines()

    assert [line.split("|")[1].strip() for line in lines if line.startswith("| ")][1 : len(WAYS) + 1] == list(WAYS)
    assert len({len(line) for line in lines if line.startswith("|")}) == 1


def test_costs_that_are_not_known_are_left_empty() -> None:
    costs = Costs("x", 1, 2, 3, 0, 5, None, 6.4, None, None)

    row = as_markdown([Measured(24, 3, (costs,), 4, 1)]).splitlines()[-1]
    assert [cell.strip() for cell in row.split("|")] == ["", "x", "1", "2", "3", "", "5", "", "6", "", "", ""]


@pytest.mark.parametrize(("tools", "servers"), [(24, 3), (40, 3), (200, 8), (500, 20), (1000, 20)])
def test_tools_are_spread_over_servers_that_exist(tools: int, servers: int) -> None:
    counts = home.server_counts(tools)

    assert (sum(counts.values()), len(counts)) == (tools, servers)
    for name, count in counts.items():
        names = [one["name"] for one in fixture_server.tools_of(name, count)]
        assert len(set(names)) == count
