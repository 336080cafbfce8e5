"""How a command line is read, and how it ends."""

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from switchboard_tray import __version__
from switchboard_tray.cli import main as cli_main
from switchboard_tray.cli.main import COMMANDS, Command, main
from tests.cli.running import ROOT, Cli, environment, run_process

ACTIONS = {
    "server": "add set list show remove enable disable restart refresh logs".split(),
    "profile": "add set list show remove default".split(),
    "secret": "set list remove".split(),
    "config": "path check schema history restore set".split(),
    "bench": ["context"],
}
EVERY_COMMAND = [
    [name, *action] for name in COMMANDS for action in ([[one] for one in ACTIONS[name]] if name in ACTIONS else [[]])
]


def test_version_is_said_before_anything_is_imported(home: Path) -> None:
    code = (
        "import sys; sys.argv = ['switchboard', '--version']; before = set(sys.modules)\n"
        "from switchboard_tray.__main__ import main\n"
        "status = main(); print(status, sorted(set(sys.modules) - before))"
    )

    done = subprocess.run([sys.executable, "-c", code], env=environment(home), capture_output=True, text=True)

    assert done.stdout.splitlines() == [
        f"switchboard {__version__}",
        "0 ['switchboard_tray', 'switchboard_tray.__main__']",
    ]


def test_a_slip_on_the_command_line_is_answered_without_loading_the_config(home: Path) -> None:
    code = (
        "import sys\nfrom switchboard_tray.cli.main import main\n"
        "status = main(['sever']); print(status, sorted(name for name in sys.modules if 'switchboard_tray.' in name))"
    )

    done = subprocess.run([sys.executable, "-c", code], env=environment(home), capture_output=True, text=True)

    own = ["cli", "cli.main", "cli.parsing", "paths"]
    assert done.stdout.strip() == f"2 {[f'switchboard_tray.{name}' for name in own]}"
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_help_of_every_command_has_an_example_that_starts_with_it(words: list[str], cli: Cli) -> None:
    help = cli.done(*words, "--help").out

    examples = help.partition("examples:\n")[2]
    assert f"switchboard {' '.join(words)}" in examples


@pytest.mark.parametrize("words", EVERY_COMMAND, ids=" ".join)
def test_every_command_takes_json(words: list[str], cli: Cli) -> None:
    assert "--json" in cli.done(*words, "--help").out


def test_actions_listed_here_are_all_there_are(cli: Cli) -> None:
    for noun, actions in ACTIONS.items():
        listed = re.findall(r"^    (\w+)  ", cli.done(noun, "--help").out, re.MULTILINE)
        assert listed == actions


@pytest.mark.parametrize(
    "words", [["--json", "server", "list"], ["server", "--json", "list"], ["server", "list", "--json"]]
)
def test_json_is_taken_in_any_position(words: list[str], cli: Cli) -> None:
    assert [server["name"] for server in cli.done(*words).json()] == ["demo"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["sever"], "invalid choice: 'sever'"),
        (["server"], "the following arguments are required: ACTION"),
        (["server", "show"], "the following arguments are required: NAME"),
        (["serve", "--port", "0"], "'0' is no port: a number from 1 to 65535"),
        (["status", "--jso"], "unrecognized arguments: --jso"),
        (["server", "set", "demo", "enabled"], "'enabled' is not KEY=VALUE"),
    ],
)
def test_a_usage_error_is_status_2_in_two_lines(words: list[str], said: str, cli: Cli) -> None:
    outcome = cli(*words)

    sentence, hint = outcome.err.splitlines()
    assert (outcome.status, outcome.out) == (2, "")
    assert said in sentence
    assert re.fullmatch(r"See: switchboard( \w+)* --help", hint)


def test_a_fault_of_our_own_is_one_sentence_and_where_the_log_is(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    # The file adds nothing to a command that it does not know, so there is nothing to run.
    monkeypatch.setattr(cli_main, "COMMANDS", {"broken": Command("gateway", "fail")})

    outcome = cli("broken")

    assert (outcome.status, outcome.out) == (1, "")
    sentence, hint = outcome.err.splitlines()
    assert sentence == "Switchboard failed through a fault of its own (AttributeError)."
    assert hint == f"SWITCHBOARD_DEBUG=1 shows where; the gateway's log is in {cli.paths.logs}"


def test_a_fault_has_its_traceback_where_that_is_asked_for(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_main, "COMMANDS", {"broken": Command("gateway", "fail")})
    monkeypatch.setenv("SWITCHBOARD_DEBUG", "1")

    assert "Traceback (most recent call last)" in cli("broken").err


def test_a_module_that_is_missing_is_named(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_main, "COMMANDS", {"broken": Command("no_such_file", "fail")})

    outcome = cli("broken")

    missing = "switchboard_tray.cli.no_such_file"
    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(f"Switchboard is not installed whole: its module {missing} is missing.\n")


def test_a_disk_that_refuses_is_named(cli: Cli, home: Path) -> None:
    home.mkdir()
    cli.paths.state.write_text("a file where the folder should be")

    outcome = cli("server", "list")

    assert (outcome.status, outcome.out) == (1, "")
    assert str(cli.paths.state) in outcome.err
    assert "fault of its own" not in outcome.err


def test_ctrl_c_ends_with_130_and_says_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.StringIO):
        def read(self, size: int | None = -1, /) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stdin", Interrupted())

    outcome = cli("call", "demo.list_notes", "-")

    assert (outcome.status, outcome.out, outcome.err) == (130, "", "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no broken pipes, but other errors")
def test_a_reader_that_leaves_early_is_no_error(home: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)

    done = run_process(home, "config", "schema", capture_output=False, stdout=writing, stderr=subprocess.PIPE)

    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_letters_that_the_terminal_does_not_know_are_escaped(home: Path, cli: Cli) -> None:
    cli.write({"version": 1, "servers": {"demo": {"builtin": "demo", "description": "Notizbücher 笔记"}}})
    ascii_only = {**environment(home), "PYTHONIOENCODING": "ascii"}

    table = run_process(home, "server", "list", env=ascii_only)
    shown = run_process(home, "server", "list", "--json", env=ascii_only)

    assert (table.returncode, "Notizb\\xfccher \\u7b14\\u8bb0" in table.stdout) == (0, True)
    assert '"description": "Notizb\\u00fccher \\u7b14\\u8bb0"' in shown.stdout


def test_options_of_the_command_behind_the_dashes_are_not_ours(cli: Cli) -> None:
    cli.done("server", "add", "one", "--", sys.executable, "--json", "--", "--help")

    assert cli.document()["servers"]["one"]["args"] == ["--json", "--", "--help"]


def test_dashes_elsewhere_end_the_options_as_usual(cli: Cli) -> None:
    outcome = cli("why", "--", "demo.add_note")

    assert outcome.status == 0
    assert "demo.add_note is not in profile default" in outcome.out


def test_bare_command_says_that_it_runs_headless_and_serves(cli: Cli) -> None:
    # With no config to serve, it ends at once.
    cli.write('{"version": 1,')

    outcome = cli()

    assert outcome.status == 4
    assert outcome.err.splitlines()[0] == "No tray in this version: it runs headless, as `switchboard serve` does."


def test_main_raises_nothing_for_a_status_of_argparse() -> None:
    assert main(["--help"]) == 0


def test_module_runs_as_a_program(home: Path) -> None:
    done = run_process(home, "config", "path", cwd=ROOT)

    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, str(home / "config.json"), "")
