"""``server add`` while the gateway runs: the server is started once, and what comes of it is said (docs/cli.md)."""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from switchboard_tray.admin.client import AdminClient
from switchboard_tray.cli import servers as cli_servers
from switchboard_tray.errors import ServerError
from tests.cli.running import Cli, Outcome, Serving, serving
from tests.fixtures.servers import ScriptedServer, Servers, tool
from tests.fixtures.waiting import POLL_S, WAIT_S

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork")


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A gateway without servers, for tests that leave it as it was."""
    with serving(tmp_path_factory.mktemp("home"), {"version": 1, "servers": {}, "profiles": {}}) as running:
        yield running


@pytest.fixture
def home(gateway: Serving) -> Path:
    return gateway.home


def add(cli: Cli, server: ScriptedServer, *options: str) -> Outcome:
    """Add a server, whatever comes of its start; it is removed again."""
    entry = server.entry()
    try:
        return cli.done("server", "add", "one", *options, "--", entry["command"], *entry["args"])
    finally:
        cli.done("server", "remove", "one")
        give_up = time.monotonic() + WAIT_S
        while server.running() and time.monotonic() < give_up:
            time.sleep(POLL_S)


def test_added_server_is_started_and_its_tools_are_counted(cli: Cli, servers: Servers) -> None:
    server = servers.make(tools=[tool("a"), tool("b")])
    outcome = add(cli, server)

    assert outcome.out.startswith("Server one is added.\n")
    assert "Starting one" in outcome.err and outcome.err.endswith("one has 2 tools.\n")
    assert server.starts == 1


def test_json_has_the_tools_and_stderr_what_happened(cli: Cli, servers: Servers) -> None:
    outcome = add(cli, servers.make(tools=[tool("a")]), "--json")

    assert (outcome.json()["toolNames"], outcome.json()["state"]) == (["a"], "ready")
    assert "Starting one" in outcome.err


def test_start_that_fails_is_a_warning_with_the_last_words_and_undoes_nothing(cli: Cli, servers: Servers) -> None:
    server = servers.make(start=[["stderr", "cannot find module 'left-pad'\n"], ["exit", 4]])
    outcome = add(cli, server)

    assert outcome.out.startswith("Server one is added.\n")
    assert "warning: one is added, and did not start" in outcome.err
    assert "exited with status 4" in outcome.err and "left-pad" in outcome.err


def test_secret_that_is_asked_for_reaches_the_server_and_no_output(
    cli: Cli, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchboard_tray.cli.new_server.ask_value", lambda name: "hunter2-hunter2")
    server = servers.make(start=[["stderr", "key hunter2-hunter2 refused\n"], ["exit", 4]])
    outcome = add(cli, server, "--secret", "API_KEY")
    cli.done("secret", "remove", "one.API_KEY")

    assert "key ••• refused" in outcome.err and "hunter2" not in outcome.out + outcome.err


def test_gateway_that_is_off_starts_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWITCHBOARD_HOME", str(tmp_path))
    outcome = Cli(tmp_path, capsys).done("server", "add", "one", "--", sys.executable, "-c", "")

    assert "Starting" not in outcome.err


class Starting:
    """A gateway whose server is still being started at the first questions."""

    def __init__(self, refusals: int, state: str = "starting") -> None:
        self._refusals, self._state = refusals, state
        self.asked = 0

    def post(self, path: str) -> Any:
        self.asked += 1
        if self.asked <= self._refusals:
            raise ServerError("Server one is still starting.", hint="Try again in a moment.")
        return {"tools": 3}

    def get(self, path: str) -> Any:
        return {"state": self._state}


def test_install_that_takes_long_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    starting = Starting(refusals=2)
    cli_servers._warm_up(cast(AdminClient, starting), "one")

    assert capsys.readouterr().err.splitlines()[1:] == [
        "one is still starting ...", "one is still starting ...", "one has 3 tools."
    ]  # fmt: skip


def test_install_without_an_end_is_given_up_with_a_warning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cli_servers, "WARM_UP_S", 0.0)
    starting = Starting(refusals=10)
    cli_servers._warm_up(cast(AdminClient, starting), "one")

    assert starting.asked == 1 and "warning: one is added, and did not start" in capsys.readouterr().err
