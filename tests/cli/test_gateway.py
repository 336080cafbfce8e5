"""The command line while the gateway runs: it is asked, it edits, and its edits are in force at once."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from switchboard_tray.cli.servers import new_lines
from switchboard_tray.paths import find_paths
from tests.cli.running import WAIT_S, Cli, Serving, environment, run_process, serving
from tests.fixtures.servers import Servers, result, text, tool

FAULT = '{"content":[{"type":"text","text":"No such note."}],"isError":true}'
RICH = '{"content":[{"type":"text","text":"a"},{"type":"image","data":"aGVsbG8=","mimeType":"image/png"}],"n":1e2}'


@pytest.fixture(scope="module")
def gateway(module_servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A gateway with one server, for tests that leave it as it was."""
    one = module_servers.make(
        tools=[tool("echo"), tool("greet", description="Says hello.\nAt length."), tool("fail"), tool("rich")],
        calls={"greet": [text("hello")], "fail": [result(FAULT)], "rich": [result(RICH)]},
    )
    document = {
        "version": 1,
        "servers": {"one": one.entry(env={"SECRET_TOKEN": "hunter2"})},
        "profiles": {"all": {"servers": ["one"]}, "few": {"include": ["one.greet"]}},
        "defaultProfile": "all",
    }
    with serving(tmp_path_factory.mktemp("home"), document) as running:
        yield running


@pytest.fixture
def home(gateway: Serving) -> Path:
    """The home of the gateway that runs."""
    return gateway.home


def test_status_says_where_it_runs_and_how_it_is(cli: Cli, gateway: Serving) -> None:
    lines = cli.done("status").out.splitlines()

    assert lines[0].startswith(f"gateway: http://127.0.0.1:{gateway.port}/mcp, process {gateway.process.pid}, up ")
    assert lines[1] == f"config: ok, {cli.paths.config}"
    assert lines[3:] == ["profiles: all (default), few", "clients: 0 sessions"]
    assert cli.done("status", "--json").json()["pid"] == gateway.process.pid


def test_tools_are_listed_also_where_the_server_was_never_started(cli: Cli) -> None:
    outcome = cli.done("tools", "--profile", "few")

    assert (outcome.out.splitlines(), outcome.err) == (["TOOL       WHAT", "one.greet  Says hello."], "")
    assert [one["name"] for one in cli.done("tools", "--as-client", "--profile", "few", "--json").json()] == [
        "one__greet"
    ]


def test_a_text_result_is_printed_as_it_is(cli: Cli) -> None:
    assert cli.done("call", "one.greet").out == "hello\n"
    assert cli.done("call", "one__greet", "{}", "--profile", "few").out == "hello\n"


def test_arguments_can_come_from_stdin(home: Path) -> None:
    done = run_process(home, "call", "one.echo", "-", input='{"word": "Grüße"}')

    assert (done.returncode, "Grüße" in done.stdout, done.stderr) == (0, True, "")


def test_other_blocks_are_notes_and_json_has_the_whole_result(cli: Cli) -> None:
    assert cli.done("call", "one.rich").out == "a\n[image image/png 5 bytes]\n"
    assert cli.done("call", "one.rich", "--json").json()["content"][1]["data"] == "aGVsbG8="


def test_a_result_that_is_an_error_fails_and_stays_out_of_stdout(cli: Cli) -> None:
    outcome = cli("call", "one.fail")
    shown = cli("call", "one.fail", "--json")

    assert (outcome.status, outcome.out, outcome.err) == (1, "", "No such note.\n")
    assert (shown.status, shown.json()["isError"]) == (1, True)


def test_a_tool_outside_the_profile_reads_like_an_unknown_one(cli: Cli) -> None:
    outside = cli("call", "one.fail", "--profile", "few")
    unknown = cli("call", "one.fall", "--profile", "few")

    assert (outside.status, unknown.status) == (1, 1)
    assert outside.err == unknown.err.replace("one.fall", "one.fail")


def test_the_same_is_said_without_a_gateway_but_that_servers_are_stopped(cli: Cli, tmp_path: Path) -> None:
    cli.done("server", "refresh", "one")
    until(cli.paths.catalog.exists)
    for path in (cli.paths.config, cli.paths.catalog):
        (tmp_path / path.name).write_bytes(path.read_bytes())

    for words in (["profile", "list"], ["profile", "show", "few"], ["why", "one.greet"], ["search", "greet"]):
        assert here(tmp_path, *words) == cli.done(*words, "--json").json()

    tools = cli.done("tools", "--json").json()
    assert here(tmp_path, "tools") == [{**one, "state": "stopped"} for one in tools]
    (there,) = cli.done("server", "list", "--json").json()
    assert here(tmp_path, "server", "list")[0].keys() == there.keys()


def here(home: Path, *words: str) -> Any:
    """The JSON that a command prints on a home without a gateway."""
    return json.loads(run_process(home, *words, "--json").stdout)


def until(condition: Callable[[], bool]) -> None:
    """Wait until `condition` is true."""
    end = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < end, f"{condition} did not come about"
        time.sleep(0.02)


def test_show_hides_the_values_of_variables(cli: Cli) -> None:
    outcome = cli.done("server", "show", "one")

    assert "env:\n  SECRET_TOKEN: •••\n" in outcome.out
    assert "hunter2" not in outcome.out + cli.done("server", "show", "one", "--json").out


def test_restart_and_refresh_say_what_came_of_it(cli: Cli) -> None:
    assert cli.done("server", "restart", "one").out == "Server one is ready, with 4 tools.\n"
    assert cli.done("server", "refresh", "ONE", "--json").json()["tools"] == 4


@pytest.mark.parametrize("action", ["show", "restart", "refresh", "logs", "remove"])
def test_an_unknown_server_is_named_with_the_near_ones(action: str, cli: Cli) -> None:
    outcome = cli("server", action, "onee")

    assert (outcome.status, "'onee'" in outcome.err, "one" in outcome.err.splitlines()[1]) == (1, True, True)


def test_an_edit_is_in_force_when_the_command_returns(cli: Cli) -> None:
    cli.done("profile", "add", "new", "--servers", "one", "--exclude", "one.f*")
    assert len(cli.done("tools", "--profile", "new", "--json").json()) == 3

    cli.done("profile", "set", "new", "--exclude-add", "one.rich")
    assert len(cli.done("tools", "--profile", "new", "--json").json()) == 2

    cli.done("profile", "remove", "new")
    assert cli("tools", "--profile", "new").status == 1


def test_a_redacted_secret_never_gets_into_the_file(cli: Cli) -> None:
    cli.done("server", "set", "one", "description=x", "env.OTHER=1")
    cli.done("server", "set", "one", "description=", "env.OTHER=")

    assert cli.document()["servers"]["one"]["env"] == {"SECRET_TOKEN": "hunter2"}


def test_an_edit_by_hand_a_moment_before_is_kept(cli: Cli) -> None:
    document = cli.document()
    cli.write({**document, "mine": "by hand"})

    cli.done("profile", "set", "few", "--description", "x")

    assert cli.document()["mine"] == "by hand"
    cli.done("profile", "set", "few", "--description", "")
    cli.done("config", "set", "mine", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["profile", "set", "few", "--servers", "onne"], "Nothing was changed: /profiles/few/servers/0: no server"),
        (["server", "add", "one", "--url", "http://x.example"], "A server called 'one' exists."),
        (["profile", "remove", "all"], "The profile 'all' is the default."),
        (["config", "set", "settings.port", "0"], "Nothing was changed: /settings/port: found 0"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(words: list[str], said: str, cli: Cli) -> None:
    before = cli.document()

    outcome = cli(*words)

    assert (outcome.status, outcome.out) == (1, "")
    assert outcome.err.startswith(said)
    assert cli.document() == before


def test_a_broken_file_is_in_status_refuses_edits_and_is_restored(cli: Cli) -> None:
    good = cli.document()
    cli.write('{"version": 1,\n,}')

    refused = cli("server", "set", "one", "description=x")
    assert (refused.status, refused.err.startswith("config: error at 2:1: ")) == (4, True)

    # What the refused edit saw, the gateway's own look at the file sees within two seconds.
    until(lambda: "config: error at 2:1: " in cli.done("status").out)
    assert cli.done("status", "--json").json()["servers"]["total"] == 1
    assert cli.done("call", "one.greet").out == "hello\n"

    cli.done("config", "restore")
    assert cli.document() == good
    assert "config: ok" in cli.done("status").out


def test_another_gateway_on_the_same_home_is_refused(cli: Cli, gateway: Serving) -> None:
    done = run_process(gateway.home, "serve", "--port", "1")

    assert (done.returncode, done.stdout) == (1, "")
    assert f"already runs at http://127.0.0.1:{gateway.port} (process {gateway.process.pid})" in done.stderr


def test_doctor_finds_the_gateway(cli: Cli, gateway: Serving) -> None:
    assert f"ok       gateway: It runs at http://127.0.0.1:{gateway.port}." in cli("doctor").out
    assert {"name", "state", "message", "hint"} == set(cli("doctor", "--json").json()[0])


def test_logs_are_the_last_lines_of_stderr(home: Path, cli: Cli) -> None:
    log = find_paths({"SWITCHBOARD_HOME": str(home)}).logs / "server-one.log"
    log.write_text("first\nsecond\n\x1b[31mthird\n")

    assert cli.done("server", "logs", "one", "--lines", "2").out == "second\n\x1b[31mthird\n"
    assert cli.done("server", "logs", "one", "--json").json() == {"text": "first\nsecond\n\x1b[31mthird\n"}


@pytest.mark.skipif(os.name == "nt", reason="a process cannot be sent Ctrl-C alone")
def test_followed_logs_go_on_until_ctrl_c(home: Path) -> None:
    log = find_paths({"SWITCHBOARD_HOME": str(home)}).logs / "server-one.log"
    log.write_text("old\n")
    command = [sys.executable, "-m", "switchboard_tray", "server", "logs", "one", "--follow"]

    pipe = subprocess.PIPE

    with subprocess.Popen(command, env=environment(home), text=True, stdout=pipe, stderr=pipe) as following:
        assert following.stdout is not None
        assert following.stdout.readline() == "old\n"
        with log.open("a") as file:
            file.write("new\n")
        assert following.stdout.readline() == "new\n"
        following.send_signal(signal.SIGINT)
        _, errors = following.communicate(timeout=WAIT_S)

    assert (following.returncode, errors) == (130, "")


@pytest.mark.parametrize(
    ("known", "lines", "new"),
    [
        ([], ["a"], ["a"]),
        (["a", "b"], ["a", "b"], []),
        (["a", "b"], ["a", "b", "c"], ["c"]),
        (["a", "b", "c"], ["b", "c", "d", "e"], ["d", "e"]),
        (["a", "a"], ["a", "a", "a"], ["a"]),
        (["a", "b"], ["x", "y"], ["x", "y"]),
    ],
)
def test_followed_lines_are_printed_once(known: list[str], lines: list[str], new: list[str]) -> None:
    assert new_lines(known, lines) == new


def test_stop_returns_when_the_gateway_and_its_servers_are_gone(servers: Servers, tmp_path: Path) -> None:
    one = servers.make()
    document = {"version": 1, "servers": {"one": one.entry(idleTimeoutSec=0)}, "profiles": {}}

    with serving(tmp_path / "stopped", document) as running:
        done = run_process(running.home, "stop")
        ended = running.process.wait(timeout=WAIT_S)

    assert (done.returncode, done.stdout, ended, one.running()) == (0, "The gateway ended.\n", 0, [])
    assert run_process(running.home, "status").returncode == 3


def test_serve_with_a_broken_config_and_no_last_good_one_ends_with_4(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text('{"version": 1,')

    done = run_process(tmp_path, "serve")

    assert (done.returncode, done.stdout) == (4, "")
    assert "line 1, column" in done.stderr
    assert "Traceback" not in done.stderr


def test_code_is_run_from_a_file_or_stdin(cli: Cli, home: Path, tmp_path: Path) -> None:
    file = tmp_path / "report.js"
    file.write_text("async () => one.greet()")
    failing = tmp_path / "failing.js"
    failing.write_text("async () => one.gret()")

    assert cli.done("exec", str(file)).out == 'Result:\n"hello"\n'
    assert run_process(home, "exec", "-", input="1 + 1").stdout == "Result:\n2\n"
    assert cli.done("exec", str(file), "--json").json()["tools"] == ["one.greet"]
    outcome = cli("exec", str(failing))
    assert (outcome.status, outcome.out) == (1, "") and "Hint: Did you mean greet?" in outcome.err
    absent = cli("exec", str(tmp_path / "none.js"))
    assert absent.err.startswith(f"{tmp_path / 'none.js'} cannot be read: No such file or directory.\n")
    file.write_bytes(b"\xff")
    assert "it is no text in UTF-8" in cli("exec", str(file)).err
