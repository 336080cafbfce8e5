"""``bench context`` as a user runs it."""

import signal
from pathlib import Path

import pytest

from tests.cli.running import Cli


@pytest.mark.parametrize("words", [["--tools", "23"], ["--tools", "40,x"], ["--tools", "1001"], ["--tools", ""]])
def test_size_that_cannot_be_is_a_slip(words: list[str], cli: Cli) -> None:
    assert cli("bench", "context", *words).status == 2


def test_json_is_printed_and_the_table_written(cli: Cli, tmp_path: Path) -> None:
    file, handler = tmp_path / "table.md", signal.getsignal(signal.SIGTERM)
    outcome = cli.done("bench", "context", "--tools", "24", "--json", "--output", str(file))

    (measured,) = outcome.json()
    assert [one["way"] for one in measured["ways"]] == list(measured["times"])
    assert "## 24 tools of 3 servers" in file.read_text("utf-8")
    assert outcome.err == "Measuring with 24 tools ...\n"
    assert signal.getsignal(signal.SIGTERM) == handler


def test_folder_in_place_of_a_file_is_told_before_anything_is_measured(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("bench", "context", "--output", str(tmp_path))

    assert outcome.status == 1
    assert outcome.err.startswith(f"{tmp_path} is a folder.") and "Measuring" not in outcome.err


def test_file_that_cannot_be_written_is_told_before_anything_is_measured(cli: Cli, tmp_path: Path) -> None:
    outcome = cli("bench", "context", "--tools", "24", "--output", str(tmp_path / "none" / "table.md"))

    assert outcome.status == 1
    assert outcome.err.startswith("There is no folder") and "Measuring" not in outcome.err
