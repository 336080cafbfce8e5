"""MCP's official conformance suite against the gateway, with a server behind it that offers what the suite asks for."""

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.clients.conformance_tools import TOOLS
from tests.clients.gateway import ROOT, GatewayProcess, gateway_process
from tests.clients.programs import Npm, Place

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

SERVER = {
    "command": sys.executable,
    "args": ["-m", "tests.clients.conformance_server"],
    "env": {"PYTHONPATH": str(ROOT)},
}
PROFILE = {
    "servers": ["conformance"],
    "surface": "passthrough",
    "relay": ["tools", "prompts", "resources"],
    "overrides": {f"conformance.{name}": {"name": name} for name in TOOLS},
}
CONFIG = {"version": 1, "servers": {"conformance": SERVER}, "profiles": {"suite": PROFILE}}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    with gateway_process(tmp_path_factory.mktemp("conformance"), CONFIG) as running:
        yield running


def test_every_scenario_that_revision_2025_11_25_requires_passes(
    npm: Npm, gateway: GatewayProcess, tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = run_suite(npm, gateway, Place(tmp_path_factory.mktemp("suite")), "2025-11-25")

    assert report.failed == {}
    assert len(report.scenarios) == 33


def test_every_scenario_that_revision_2026_07_28_requires_passes(
    npm: Npm, gateway: GatewayProcess, tmp_path_factory: pytest.TempPathFactory
) -> None:
    report = run_suite(npm, gateway, Place(tmp_path_factory.mktemp("suite")), "2026-07-28")

    assert {name: count for name, count in report.failed.items() if name not in report.extensions} == {}
    assert len(report.scored) == 37
    # What we do not offer: the extension for tasks, which the SDK of the server has not either.
    assert {name.partition("-")[0] for name in report.extensions} == {"tasks"}


@dataclass(frozen=True)
class Report:
    """What the suite's summary says."""

    scenarios: dict[str, tuple[int, int]]
    """By scenario: how many checks passed, and how many failed."""
    unscored: dict[str, str]
    """Scenarios that the revision does not require, and why."""

    @property
    def failed(self) -> dict[str, int]:
        """Failed checks by scenario."""
        return {name: failed for name, (_, failed) in self.scenarios.items() if failed}

    @property
    def scored(self) -> set[str]:
        """The scenarios the revision requires."""
        return self.scenarios.keys() - self.unscored.keys()

    @property
    def extensions(self) -> set[str]:
        """The scenarios that are of no revision at all."""
        return {name for name, reason in self.unscored.items() if reason == "extension"}


def run_suite(npm: Npm, gateway: GatewayProcess, place: Place, revision: str) -> Report:
    arguments = ["server", "--url", gateway.url("suite"), "--requirements", revision]
    output = place.run([*npm.script("@modelcontextprotocol/conformance"), *arguments])
    _, found, summary = output.stdout.partition("=== SUMMARY ===")
    assert found, output
    scenarios = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", summary, re.MULTILINE)
    unscored = re.findall(r"^  [✓✗] (\S+) \((\S+)\)$", summary, re.MULTILINE)
    total = re.search(r"^Total: (\d+) passed, (\d+) failed$", summary, re.MULTILINE)
    report = Report({name: (int(passed), int(failed)) for name, passed, failed in scenarios}, dict(unscored))
    # Nothing of the summary was missed.
    assert total is not None
    assert [int(number) for number in total.groups()] == [sum(column) for column in zip(*report.scenarios.values())]
    return report
