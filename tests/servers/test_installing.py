"""Launchers that install before they run: their time to start begins when the server runs (docs/servers.md)."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from switchboard_tray.servers import installing
from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.installing import extended_while_installing, installs_first
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import PROGRAM, ScriptedServer, Servers
from tests.fixtures.waiting import eventually

# Does as npx does: looks something up with a short-lived child, installs without one, then has the server as its child.
LAUNCHER = """#!{python} -IS
import os, pathlib, subprocess, sys, time
folder = pathlib.Path(sys.argv[2]).parent
def wait(gate):
    while not (folder / gate).exists():
        time.sleep(0.002)
if not (folder / "installed").exists():
    (folder / "installing").touch()
    with subprocess.Popen(["/bin/sh", "-c", 'while ! test -e "$0/looked-up"; do sleep 0.01; done', str(folder)]):
        (folder / "has-child").touch()
    wait("install")
    (folder / "installed").touch()
sys.exit(subprocess.call([{python!r}, "-I", "-S", {program!r}, sys.argv[2]]))
"""


@pytest.mark.parametrize(
    ("argv", "expected"),
    [
        (("/usr/bin/npx", "-y", "x"), True),
        ((r"C:\nodejs\npx.CMD", "-y", "x"), sys.platform == "win32"),
        (("/usr/bin/uvx", "x"), True),
        (("/usr/bin/env", "npx", "x"), True),
        ((r"/windows/cmd.exe", "/c", "npx", "-y", "x"), True),
        (("/usr/bin/docker", "run", "x"), True),
        (("/usr/bin/node", "server.js"), False),
        (("/usr/bin/python3", "-m", "my_npx"), False),
        (("/opt/npx/server", "x"), False),
    ],
)
def test_launcher_is_known_by_its_name(argv: tuple[str, ...], expected: bool) -> None:
    assert installs_first(Launch(argv, {}, "/")) is expected


def launched(server: ScriptedServer, tmp_path: Path, **keys: object) -> dict[str, object]:
    """The server as a launcher of a well-known name starts it."""
    program = tmp_path / "bin" / "npx"
    program.parent.mkdir(exist_ok=True)
    program.write_text(LAUNCHER.format(python=sys.executable, program=str(PROGRAM)))
    program.chmod(0o755)
    return {"command": str(program), "args": ["-y", str(server.folder / "script.json")], **keys}


needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="a script is the launcher")


class Launcher:
    """A launcher that has children, or none, as it is told."""

    def __init__(self) -> None:
        self.is_busy = False
        self.looks = 0

    def has_children(self) -> bool:
        self.looks += 1
        return self.is_busy

    async def look(self) -> None:
        """Return after it was looked at twice more."""
        until = self.looks + 2
        await eventually(lambda: self.looks >= until)


async def test_time_to_start_begins_when_the_launcher_has_a_child_that_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installing, "LOOK_EVERY_S", 0.001)
    launcher, launch = Launcher(), Launch(("/usr/bin/npx", "-y", "x"), {}, "/")
    async with asyncio.timeout(60) as limit:
        async with extended_while_installing(limit, launch, launcher, 60):
            seen = [limit.when()]
            for is_busy in (False, True, True, False, True, True):
                launcher.is_busy = is_busy
                await launcher.look()
                seen.append(limit.when())
        looks = launcher.looks

    times = [when for when in seen if when is not None]
    assert times[0] < times[1] <= times[2] == times[3] < times[4] <= times[5] == times[6]
    assert launcher.looks == looks


async def test_time_to_start_of_any_other_command_begins_at_once() -> None:
    launcher, launch = Launcher(), Launch(("/usr/bin/node", "server.js"), {}, "/")
    async with asyncio.timeout(60) as limit:
        before = limit.when()
        async with extended_while_installing(limit, launch, launcher, 60):
            pass

        assert (limit.when(), launcher.looks) == (before, 0)


async def test_short_time_to_start_is_not_over_between_two_looks() -> None:
    launcher, launch = Launcher(), Launch(("/usr/bin/npx", "-y", "x"), {}, "/")
    async with asyncio.timeout(0.2) as limit:
        async with extended_while_installing(limit, launch, launcher, 0.2):
            await eventually(lambda: launcher.looks > 6)


@needs_posix
async def test_server_that_was_installed_and_says_nothing_is_ended_at_its_start_timeout(
    home: Path, tmp_path: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch, quick_stop: None
) -> None:
    monkeypatch.setattr(installing, "LOOK_EVERY_S", 0.02)
    server = servers.make(start=[["until", "never"]])
    server.open_gate("installed")
    entry = launched(server, tmp_path, startTimeoutSec=0.5)
    async with running_gateway(home, config_of({"one": entry})) as gateway:
        shown = await gateway.until_state("one", "failing")

    assert "did not answer within 0.5 s" in shown["lastError"]


@needs_posix
async def test_install_without_an_end_is_given_up(
    home: Path, tmp_path: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch, quick_stop: None
) -> None:
    monkeypatch.setattr(installing, "LOOK_EVERY_S", 0.02)
    monkeypatch.setattr(installing, "INSTALL_S", 0.5)
    server = servers.make()
    server.open_gate("looked-up")
    async with running_gateway(home, config_of({"one": launched(server, tmp_path, startTimeoutSec=0.2)})) as gateway:
        await gateway.until_state("one", "failing")

    assert server.has_passed("installing") and not server.starts


@needs_posix
async def test_stop_in_the_middle_of_an_install_leaves_no_process(home: Path, tmp_path: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": launched(server, tmp_path)})) as gateway:
        await eventually(lambda: server.has_passed("has-child"))
        await gateway.stop()

    # That none is left is what the fixture looks for.
    assert os.listdir(server.folder)
