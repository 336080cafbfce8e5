"""MCP's official conformance suite against the gateway, with a server behind it that offers what the suite asks for."""

import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

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
    npm: Npm, gateway: GatewayProcess, tmp_path: Path
) -> None:
    report = run_suite(npm, gateway, Place(tmp_path), "2025-11-25")

    assert report.faults == {}
    assert len(report.scenarios) == 33


def test_every_scenario_that_revision_2026_07_28_requires_passes(
    npm: Npm, gateway: GatewayProcess, tmp_path: Path
) -> None:
    report = run_suite(npm, gateway, Place(tmp_path), "2026-07-28")

    # What we do not offer: the extension for tasks, which the SDK of the server has not either.
    extensions = {name for name, reason in report.unscored.items() if reason == "extension"}
    assert {name.partition("-")[0] for name in extensions} == {"tasks"}
    assert {name: faults for name, faults in report.faults.items() if name not in extensions} == {}
    assert len(report.scenarios.keys() - report.unscored.keys()) == 37


@dataclass(frozen=True)
class Report:
    """What the suite found."""

    scenarios: Mapping[str, tuple[int, int]]
    """By scenario: how many checks passed, and how many failed."""
    unscored: Mapping[str, str]
    """Scenarios that the revision does not require, and why."""
    faults: Mapping[str, list[str]]
    """By scenario: checks that failed or gave a warning, with the reason."""


def run_suite(npm: Npm, gateway: GatewayProcess, place: Place, revision: str) -> Report:
    details = place.home / "details"
    arguments = ["server", "--url", gateway.url("suite"), "--requirements", revision, "--output-dir", str(details)]
    output = place.run([*npm.script("@modelcontextprotocol/conformance"), *arguments])
    _, found, summary = output.stdout.partition("=== SUMMARY ===")
    assert found, output
    lines = re.findall(r"^[✓✗] (\S+): (\d+) passed, (\d+) failed$", summary, re.MULTILINE)
    scenarios = {name: (int(passed), int(failed)) for name, passed, failed in lines}
    unscored = dict(re.findall(r"^  [✓✗] (\S+) \((\S+)\)$", summary, re.MULTILINE))
    # The lines were understood, all of them.
    passed, failed = (sum(column) for column in zip(*scenarios.values(), strict=True))
    assert f"Total: {passed} passed, {failed} failed" in summary
    faults = {name: faulty for name in scenarios if (faulty := _faults(details, name))}
    assert {name for name, (_, failed) in scenarios.items() if failed} <= faults.keys()
    return Report(scenarios, unscored, faults)


def _faults(details: Path, scenario: str) -> list[str]:
    [folder] = [path for path in details.iterdir() if re.fullmatch(rf"server-{scenario}-\d{{4}}-.*", path.name)]
    checks = json.loads((folder / "checks.json").read_text("utf-8"))
    faulty = [check for check in checks if check["status"] not in ("SUCCESS", "INFO", "SKIPPED")]
    return [f"{check['id']}, {check['status']}: {check.get('errorMessage')}" for check in faulty]
