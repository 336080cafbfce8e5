"""Secrets: typed unseen or piped in, referred to by name, shown nowhere."""

import io
import json
import sys
from pathlib import Path

import pytest

from tests.cli.running import Cli

VALUE = "ghp_hunter2hunter2"


@pytest.fixture
def piped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stdin that has two lines."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{VALUE}\nanother-value\n"))


@pytest.fixture
def empty(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stdin that has nothing."""
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))


def test_secret_is_kept_listed_by_name_alone_and_forgotten(cli: Cli, piped: None) -> None:
    assert cli.done("secret", "list").out == "No secrets are kept.\n"
    kept = cli.done("secret", "set", "github")
    listed = cli.done("secret", "list", "--json")

    assert listed.json() == [{"name": "github"}] and cli.done("secret", "list").out == "github\n"
    assert VALUE not in kept.out + kept.err + listed.out
    assert json.loads(cli.paths.secrets.read_bytes()) == {"github": VALUE}
    assert cli.paths.secrets.stat().st_mode & 0o077 == 0 or sys.platform == "win32"
    assert cli.done("secret", "remove", "github", "--json").json() == {"name": "github"}
    assert json.loads(cli.paths.secrets.read_bytes()) == {}


def test_value_that_is_not_given_keeps_nothing(cli: Cli, empty: None) -> None:
    outcome = cli("secret", "set", "github")

    assert outcome.status == 1 and "No value was given for github." in outcome.err
    assert not cli.paths.secrets.exists()


def test_unknown_secret_is_told_with_a_near_name_and_an_odd_name_is_refused(cli: Cli, piped: None) -> None:
    cli.done("secret", "set", "github", "--json")

    assert "Did you mean github?" in cli("secret", "remove", "gihub").err
    assert cli("secret", "set", "${x}").status == 1


def test_server_is_added_with_secrets_that_stand_nowhere_but_in_their_file(cli: Cli, piped: None) -> None:
    outcome = cli.done("server", "add", "github", "--secret", "TOKEN", "--env", "KEY", "--", sys.executable)

    assert cli.document()["servers"]["github"]["env"] == {
        "TOKEN": "${secret:github.TOKEN}",
        "KEY": "${secret:github.KEY}",
    }
    assert json.loads(cli.paths.secrets.read_bytes()) == {"github.TOKEN": VALUE, "github.KEY": "another-value"}
    assert "in the clear" not in outcome.err
    assert _files_with(VALUE, cli.paths.config.parent) == ["secrets.json"]


def test_server_that_is_not_added_leaves_no_secret_behind(cli: Cli, piped: None) -> None:
    assert cli("server", "add", "github", "--secret", "TOKEN", "--", "/no/such/program").status == 1

    assert json.loads(cli.paths.secrets.read_bytes()) == {}


def test_taken_name_is_told_before_anything_is_asked(cli: Cli, empty: None) -> None:
    outcome = cli("server", "add", "demo", "--secret", "TOKEN", "--", sys.executable)

    assert (outcome.status, outcome.err.splitlines()[0]) == (1, "A server called 'demo' exists.")


def test_logs_are_read_from_the_files_where_no_gateway_runs(cli: Cli) -> None:
    assert cli.done("server", "logs", "demo").out == ""
    cli.paths.logs.mkdir()
    (cli.paths.logs / "server-demo.old.log").write_text("one\n")
    (cli.paths.logs / "server-demo.log").write_text("two\nthree\n")

    assert cli.done("server", "logs", "demo").out == "one\ntwo\nthree\n"
    assert cli.done("server", "logs", "DEMO", "--lines", "1").out == "three\n"
    assert cli("server", "logs", "nobody").status == 1


def _files_with(text: str, folder: Path) -> list[str]:
    return [path.name for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]
