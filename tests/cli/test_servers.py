"""``server`` while no gateway runs: what is written, what is refused, what is shown."""

import sys
from pathlib import Path

import pytest

from tests.cli.running import Cli

PYTHON = sys.executable


def test_first_command_makes_the_first_config(cli: Cli) -> None:
    outcome = cli.done("server", "list")

    assert cli.document()["servers"] == {"demo": {"builtin": "demo"}}
    assert outcome.out.splitlines() == ["NAME  STATE    TOOLS  WHAT", "demo  stopped  -      built-in demo"]


def test_an_added_server_is_in_the_file_as_it_was_given(cli: Cli, tmp_path: Path) -> None:
    options = ("--env", "A=1=2", "--cwd", str(tmp_path), "--description", "Notes.")

    outcome = cli.done("server", "add", "one", *options, "--", PYTHON, "-m", "notes")

    assert cli.document()["servers"]["one"] == {
        "command": PYTHON,
        "args": ["-m", "notes"],
        "env": {"A": "1=2"},
        "cwd": str(tmp_path),
        "description": "Notes.",
    }
    assert "Next: switchboard profile set default --servers-add one" in outcome.out


def test_a_remote_server_is_added_with_a_warning_that_it_is_not_in_force(cli: Cli) -> None:
    outcome = cli.done("server", "add", "linear", "--url", "https://mcp.linear.app/mcp", "--header", "X-Team=core")

    added = {"url": "https://mcp.linear.app/mcp", "headers": {"X-Team": "core"}}
    assert cli.document()["servers"]["linear"] == added
    assert "warning: /servers/linear/url: not in force in this version" in outcome.err


def test_a_name_that_exists_is_an_error_with_a_hint_in_any_letter_case(cli: Cli) -> None:
    cli.done("server", "add", "one", "--", PYTHON)
    before = cli.document()

    outcome = cli("server", "add", "ONE", "--", PYTHON)

    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err == "A server called 'one' exists.\nswitchboard server set one, or remove it first\n"
    assert cli.document() == before


def test_a_command_that_is_not_found_is_refused_with_the_path_that_was_searched(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.done("server", "list")
    before = cli.document()
    monkeypatch.setenv("PATH", str(tmp_path))

    outcome = cli("server", "add", "one", "--", "no-such-command")

    assert outcome.status == 1
    assert "The command no-such-command was not found." in outcome.err
    assert f"Searched: {tmp_path}" in outcome.err
    assert cli.document() == before


def test_a_variable_that_is_not_set_here_is_a_warning(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NOT_SET_HERE", raising=False)

    outcome = cli.done("server", "add", "one", "--env", "TOKEN=${env:NOT_SET_HERE}", "--", PYTHON)

    assert "warning: the environment variable NOT_SET_HERE is not set" in outcome.err
    assert "looks like a secret" not in outcome.err


@pytest.mark.parametrize(
    "words",
    [
        ["server", "add", "one", "--env", "API_TOKEN=hunter2", "--", PYTHON],
        ["server", "set", "demo", "env.API_TOKEN=hunter2"],
        ["server", "add", "one", "--url", "https://x.example/mcp", "--header", "Authorization=hunter2"],
    ],
)
def test_a_secret_in_the_clear_is_warned_of_and_not_repeated(words: list[str], cli: Cli) -> None:
    outcome = cli.done(*words)

    assert "looks like a secret, and it stands in config.json in the clear" in outcome.err
    assert "hunter2" not in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["one"], "it takes a command behind --, or --url"),
        (["one", "--"], "it takes a command behind --, or --url"),
        (["one", "npx", "-y", "x"], "unrecognized arguments: -y"),
        (["one", "npx"], "put -- before the command"),
        (["one", "--url", "http://x", "--", "npx"], "it takes a command or --url, not both"),
        (["one", "--url", "http://x", "--env", "A=1"], "--env and --cwd are for commands"),
        (["one", "--header", "A=1", "--", "npx"], "--header is for remote servers"),
        (["one", "--secret", "A B", "--", "npx"], "--secret takes the name of a variable, not 'A B'"),
        (["one", "--header", "A", "--url", "http://x"], "--header takes KEY=VALUE, not 'A'"),
    ],
)
def test_arguments_that_make_no_server_are_a_usage_error(words: list[str], said: str, cli: Cli) -> None:
    outcome = cli("server", "add", *words)

    assert outcome.status == 2
    assert said in outcome.err


def test_a_file_named_relative_to_here_is_kept_with_its_whole_path(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "serve.sh").touch()
    monkeypatch.chdir(tmp_path)

    cli.done("server", "add", "one", "--cwd", ".", "--", "./serve.sh")

    assert cli.document()["servers"]["one"] == {"command": "./serve.sh", "cwd": str(tmp_path)}
    cli.done("server", "add", "two", "--", "./serve.sh")
    assert cli.document()["servers"]["two"] == {"command": str(tmp_path / "serve.sh")}


def test_an_argument_that_is_a_file_only_from_here_is_warned_of(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "only_here_server.py").touch()
    monkeypatch.chdir(tmp_path)

    outcome = cli.done("server", "add", "one", "--", PYTHON, "only_here_server.py")

    assert f"warning: only_here_server.py will be looked for in {Path.home()}" in outcome.err


def test_set_changes_keys_by_their_type_and_an_empty_value_removes(cli: Cli) -> None:
    cli.done("server", "add", "one", "--env", "A=1", "--description", "x", "--", PYTHON)

    cli.done("server", "set", "ONE", "callTimeoutSec=300", "env.B=2", "env.A=", "description=", "enabled=no")

    assert cli.document()["servers"]["one"] == {
        "command": PYTHON,
        "env": {"B": "2"},
        "callTimeoutSec": 300,
        "enabled": False,
    }


def test_set_checks_the_command_that_comes_out_of_it(cli: Cli) -> None:
    cli.done("server", "add", "one", "--", PYTHON)
    before = cli.document()

    outcome = cli("server", "set", "one", "command=no-such-command")

    assert (outcome.status, cli.document()) == (1, before)
    assert "The command no-such-command was not found." in outcome.err


def test_an_outcome_that_would_not_be_valid_is_refused_with_the_reason(cli: Cli) -> None:
    cli.done("server", "list")
    before = cli.document()

    outcome = cli("server", "set", "demo", "callTimeoutSec=0")

    assert (outcome.status, cli.document()) == (1, before)
    assert "Nothing was changed: /servers/demo/callTimeoutSec: found 0, expected a number above 0" in outcome.err


@pytest.mark.parametrize("action", ["show", "remove", "enable", "disable"])
def test_an_unknown_server_is_named_with_the_near_ones(action: str, cli: Cli) -> None:
    outcome = cli("server", action, "dmeo")

    assert outcome.status == 1
    assert "'dmeo'" in outcome.err
    assert "Did you mean demo?" in outcome.err


def test_a_disabled_server_is_shown_so_until_it_is_enabled(cli: Cli) -> None:
    cli.done("server", "disable", "demo")
    assert cli.done("server", "show", "demo", "--json").json()["state"] == "disabled"

    cli.done("server", "enable", "demo")
    assert cli.done("server", "show", "demo", "--json").json()["state"] == "stopped"


def test_a_removed_server_leaves_the_profiles_too(cli: Cli) -> None:
    cli.done("server", "remove", "demo")

    assert (cli.document()["servers"], cli.document()["profiles"]["default"]["servers"]) == ({}, [])


def test_show_lists_the_tools_that_are_known_and_hides_values(cli: Cli) -> None:
    cli.write({"version": 1, "servers": {"one": {"command": PYTHON, "env": {"TOKEN": "hunter2"}, "args": ["-x"]}}})
    cli.list_tools(one=["a", "b"])

    outcome = cli.done("server", "show", "one")

    assert "hunter2" not in outcome.out
    assert outcome.out.splitlines()[:2] == ["name: one", "state: stopped"]
    assert "args:\n  -x\n" in outcome.out
    assert outcome.out.endswith("tools:\n  a\n  b\n")


@pytest.mark.parametrize("action", ["restart", "refresh"])
def test_what_needs_the_gateway_says_how_to_start_it(action: str, cli: Cli) -> None:
    outcome = cli("server", action, "demo")

    assert (outcome.status, outcome.out) == (3, "")
    assert outcome.err == "The gateway is not running.\nStart it with: switchboard serve\n"


@pytest.mark.parametrize("words", [["set", "demo", "description=x"], ["enable", "demo"], ["add", "one", "--", PYTHON]])
def test_an_edit_prints_the_server_as_json(words: list[str], cli: Cli) -> None:
    shown = cli.done("server", "--json", *words).json()

    assert shown == cli.done("server", "show", words[1], "--json").json()
