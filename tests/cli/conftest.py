"""The command line on a home of its own."""

from pathlib import Path

import pytest

from tests.cli.running import Cli


@pytest.fixture
def cli(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """Runs command lines in this process; no gateway runs unless a test starts one on the same home."""
    monkeypatch.setenv("SWITCHBOARD_HOME", str(home))
    monkeypatch.delenv("SWITCHBOARD_DEBUG", raising=False)
    monkeypatch.setenv("COLUMNS", "80")
    return Cli(home, capsys)
