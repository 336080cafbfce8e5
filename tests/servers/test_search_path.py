"""Where commands are looked for: our own PATH, the login shell's, well-known folders (docs/servers.md)."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from switchboard_tray.servers import search_path
from switchboard_tray.servers.search_path import find_search_path
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, is_running
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="login shells")


class Home:
    """A user's home, with a login shell whose files do as they are told."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()
        self.shell = folder / "bash"

    def environ(self, **more: str) -> dict[str, str]:
        return {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "SHELL": str(self.shell), **more}

    def shell_does(self, script: str, then: str = 'eval "$2"') -> None:
        """Have the shell run `script`, as its own files would, and `then` what it was asked for."""
        self.shell.write_text(f"#!/bin/sh\necho $$ > {self.folder}/pid\n{script}\n{then}\n")
        self.shell.chmod(0o755)

    def shell_pid(self) -> int:
        return int((self.folder / "pid").read_text())


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Home:
    monkeypatch.setattr(search_path, "_FOLDERS", ["~/.local/bin", "/usr/bin"])
    return Home(tmp_path / "user")


async def folders(environ: dict[str, str]) -> list[str]:
    return (await find_search_path(environ)).split(os.pathsep)


async def test_path_is_ours_then_what_the_login_shell_adds_then_well_known_folders(user: Home) -> None:
    (user.folder / ".local" / "bin").mkdir(parents=True)
    user.shell_does('export PATH="/opt/mine:$PATH:/opt/other"')

    assert await folders(user.environ()) == [
        "/usr/bin", "/bin", "/opt/mine", "/opt/other", f"{user.folder}/.local/bin"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "script",
    [
        "echo Welcome; echo PATH=/not/this",
        "export NOTE='first line\nPATH=/not/this\nlast'",
        "echo noise >&2; cd /",
        "export ENV=/nowhere BASH_ENV=/nowhere",
        "printf 'no newline at the end'",
    ],
    ids=["greeting", "many-lines", "stderr", "env-files", "no-newline"],
)
async def test_what_else_the_shell_says_is_no_folder(user: Home, script: str) -> None:
    user.shell_does(f'{script}\nexport PATH="$PATH:/opt/with space"')

    assert await folders(user.environ()) == ["/usr/bin", "/bin", "/opt/with space"]


async def test_shell_whose_files_leave_a_process_running_is_heard_at_once(
    user: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search_path, "SHELL_TIMEOUT_S", 60.0)
    user.shell_does(f'sleep 120 & echo $! > {user.folder}/left\nexport PATH="$PATH:/opt/mine"')
    async with asyncio.timeout(20):
        found = await folders(user.environ())

    left = int((user.folder / "left").read_text())
    assert found == ["/usr/bin", "/bin", "/opt/mine"]
    # It is the user's own: an agent that the files of the shell start is wanted.
    assert is_running(left)
    os.kill(left, 9)


async def test_shell_that_hangs_is_ended_and_our_own_path_is_used(user: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_path, "SHELL_TIMEOUT_S", 0.3)
    user.shell_does("sleep 120")

    assert await folders(user.environ()) == ["/usr/bin", "/bin"]
    assert not is_running(user.shell_pid())


async def test_shell_is_ended_when_nobody_waits_for_it_any_more(user: Home) -> None:
    user.shell_does("sleep 120")
    asking = asyncio.create_task(find_search_path(user.environ()))
    await eventually(lambda: (user.folder / "pid").exists() and (user.folder / "pid").read_text())
    asking.cancel()
    await asyncio.wait([asking])

    assert asking.cancelled() and not is_running(user.shell_pid())


async def test_gateway_that_stops_while_the_shell_hangs_leaves_no_shell(
    user: Home, home: Path, servers: Servers
) -> None:
    user.shell_does("sleep 120")
    async with running_gateway(home, config_of({"one": servers.make()}), user.environ()) as gateway:
        await eventually(lambda: (user.folder / "pid").exists() and (user.folder / "pid").read_text())
        await gateway.stop()

        assert not is_running(user.shell_pid())


@pytest.mark.parametrize("then", ["exit 1", "", "echo __switchboard_path__", "kill -9 $$"])
async def test_shell_that_tells_nothing_is_no_fault(user: Home, then: str) -> None:
    user.shell_does('export PATH="$PATH:/opt/mine"', then)

    assert await folders(user.environ()) == ["/usr/bin", "/bin"]


@pytest.mark.parametrize("shell", ["", "/no/such/bash", "/usr/bin/env", "/"])
async def test_shell_that_cannot_be_asked_is_not_asked(user: Home, shell: str) -> None:
    assert await folders(user.environ(SHELL=shell)) == ["/usr/bin", "/bin"]


async def test_shell_that_cannot_be_run_is_no_fault(user: Home) -> None:
    user.shell.write_text("not executable")

    assert await folders(user.environ()) == ["/usr/bin", "/bin"]


async def test_newest_node_of_a_version_manager_comes_first(user: Home) -> None:
    named = [f".nvm/versions/node/{name}/bin" for name in ("v9.9.9", "v20.1.0", "v20.10.0", "v18.0.0-rc.1")]
    for name in (*named, ".local/share/fnm/node-versions/v22.0.0/installation/bin"):
        (user.folder / name).mkdir(parents=True)
    found = await folders(user.environ(SHELL=""))

    versions = [part for folder in found for part in Path(folder).parts if part.startswith("v")]
    in_order = ["v22.0.0", "v20.10.0", "v20.1.0", "v18.0.0-rc.1", "v9.9.9"]
    assert [one for one in versions if one != "versions"] == in_order


async def test_nothing_of_the_current_folder_is_taken_where_there_is_no_home(
    user: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    (user.folder / ".nvm/versions/node/v20.0.0/bin").mkdir(parents=True)
    (user.folder / ".local/bin").mkdir(parents=True)
    monkeypatch.chdir(user.folder)

    assert await folders({"PATH": "/usr/bin::/bin:/bin"}) == ["/usr/bin", "/bin"]


async def test_path_is_the_system_s_where_there_is_none(user: Home) -> None:
    system = [folder for folder in os.defpath.split(os.pathsep) if folder]

    assert await folders({}) == list(dict.fromkeys([*system, "/usr/bin"]))
