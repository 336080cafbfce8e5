"""From a server's config to the command that is run: where it is looked for, and what it is told (docs/servers.md)."""

import os
import sys
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.errors import ConfigError, ServerError
from switchboard_tray.paths import find_paths
from switchboard_tray.servers.environment import Launch, plan_launch

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX commands")

ENVIRON = {"PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "C", "AWS_SECRET": "not for servers", "MINE": "from outside"}
SECRETS = {"github": "ghp_0123456789"}


def planned(tmp_path: Path, env: dict[str, str] | None = None, **keys: Any) -> Launch:
    server = ServerConfig("one", **{"command": "sh", **keys}, env=MappingProxyType(env or {}))
    return plan_launch(server, ENVIRON, find_paths({"SWITCHBOARD_HOME": str(tmp_path)}), SECRETS.get)


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """A program in a folder of its own."""
    path = tmp_path / "bin" / "my-server"
    path.parent.mkdir()
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_server_gets_a_small_base_and_its_own_variables_and_nothing_else(tmp_path: Path) -> None:
    launch = planned(tmp_path, {"OWN": "1", "LANG": "de"})

    assert launch.env == {"PATH": "/usr/bin:/bin", "HOME": "/", "LANG": "de", "NO_COLOR": "1", "OWN": "1"}


def test_command_is_found_on_the_path_and_made_absolute(tmp_path: Path, program: Path) -> None:
    launch = planned(tmp_path, {"PATH": str(program.parent)}, command="my-server", args=("-y", "a b"))

    assert launch.argv == (str(program), "-y", "a b")


def test_command_that_is_nowhere_is_refused_with_the_path_that_was_searched(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="no-such-command was not found") as refusal:
        planned(tmp_path, command="no-such-command")

    assert "Searched: /usr/bin:/bin" in refusal.value.hint


def test_command_with_a_folder_is_looked_for_in_the_server_s_folder(tmp_path: Path, program: Path) -> None:
    launch = planned(tmp_path, command="bin/my-server", cwd=str(tmp_path))

    assert Path(launch.argv[0]) == program
    with pytest.raises(ServerError, match="There is no file"):
        planned(tmp_path, command="bin/other", cwd=str(tmp_path))


def test_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ServerError, match="does not exist") as refusal:
        planned(tmp_path, cwd=str(tmp_path / "gone"))

    assert "cwd of server one" in refusal.value.hint


def test_folder_is_the_home_of_the_user_where_none_is_set(tmp_path: Path) -> None:
    assert planned(tmp_path).cwd == os.path.expanduser("~")


def test_references_are_filled_in_everywhere(tmp_path: Path) -> None:
    launch = planned(
        tmp_path, {"TOKEN": "Bearer ${secret:github}", "PLAIN": "$${MINE}"}, args=("${env:MINE}",), cwd="${env:HOME}"
    )

    assert (launch.env["TOKEN"], launch.env["PLAIN"]) == ("Bearer ghp_0123456789", "${MINE}")
    assert (launch.argv[1], launch.cwd) == ("from outside", "/")


@pytest.mark.parametrize("value", ["${env:ABSENT}", "${secret:absent}"])
def test_reference_to_nothing_is_refused_by_its_name(tmp_path: Path, value: str) -> None:
    with pytest.raises((ConfigError, ServerError), match=r"(?i)absent"):
        planned(tmp_path, {"A": value})


def test_values_that_must_not_be_shown_are_the_secrets_and_what_is_named_like_one(tmp_path: Path) -> None:
    launch = planned(tmp_path, {"A": "${secret:github}", "API_KEY": "in the clear", "B": "harmless value"})

    assert set(launch.hidden) == {"ghp_0123456789", "in the clear"}


def test_built_in_server_is_our_own_python_on_a_file_of_this_home(tmp_path: Path) -> None:
    launch = planned(tmp_path, command=None, builtin="demo")

    assert launch.argv[0] == sys.executable
    assert str(tmp_path) in launch.argv[-1]
