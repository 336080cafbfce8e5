"""What the doctor finds, on homes with one thing wrong each."""

import json
import os
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.doctor import Check, check_gateway, check_python, check_server, examine
from switchboard_tray.errors import GatewayError
from switchboard_tray.paths import Paths, find_paths

ENVIRON = {"PATH": os.defpath}


@pytest.fixture
def paths(home: Path) -> Paths:
    home.mkdir(mode=0o700)
    found = find_paths({"SWITCHBOARD_HOME": str(home)})
    for folder in (found.state, found.logs):
        folder.mkdir(mode=0o700)
    return found


def write(paths: Paths, document: Any) -> None:
    paths.config.write_text(document if isinstance(document, str) else json.dumps(document))
    paths.config.chmod(0o600)


def nobody() -> str:
    raise GatewayError("The gateway is not running.", hint="Start it.")


def found(paths: Paths, *names: str) -> list[Check]:
    """The checks of these names that are not well."""
    checks = examine(paths, ENVIRON, lambda: "http://127.0.0.1:7923")
    return [check for check in checks if check.name in names and check.state != "ok"]


def test_a_home_that_is_well_has_no_complaints(paths: Paths) -> None:
    write(paths, {"version": 1, "servers": {"one": {"command": sys.executable}}})

    checks = examine(paths, ENVIRON, lambda: "http://127.0.0.1:7923")

    assert [check for check in checks if check.state != "ok"] == []
    assert Check("server one", "ok", sys.executable) in checks
    assert Check("gateway", "ok", "It runs at http://127.0.0.1:7923.") in checks


def test_nothing_is_changed_or_made(home: Path) -> None:
    examine(find_paths({"SWITCHBOARD_HOME": str(home)}), ENVIRON, lambda: "")

    assert not home.exists()


@pytest.mark.parametrize(
    ("version", "state"), [((3, 11, 0), "ok"), ((3, 14, 9), "ok"), ((3, 10), "warning"), ((3, 15), "warning")]
)
def test_a_python_that_was_not_tested_is_a_warning(version: tuple[int, ...], state: str) -> None:
    assert check_python(version).state == state


def test_a_command_that_is_not_there_names_the_path_that_was_searched(paths: Paths, tmp_path: Path) -> None:
    server = ServerConfig("one", command="no-such-command")

    check = check_server(server, {"PATH": str(tmp_path)}, paths)

    assert (check.name, check.state, check.message) == (
        "server one",
        "problem",
        "The command no-such-command was not found.",
    )
    assert str(tmp_path) in check.hint


def test_a_variable_that_is_not_set_is_a_problem_of_its_server(paths: Paths) -> None:
    server = ServerConfig("one", command=sys.executable, env={"A": "${env:NOT_SET_HERE}"})

    check = check_server(server, ENVIRON, paths)

    assert (check.state, "NOT_SET_HERE" in check.message) == ("problem", True)


def test_a_disabled_server_need_not_be_there(paths: Paths) -> None:
    assert check_server(ServerConfig("one", command="no-such-command", enabled=False), ENVIRON, paths).state == "ok"


def test_a_remote_server_is_a_warning(paths: Paths) -> None:
    assert check_server(ServerConfig("one", url="https://x.example"), ENVIRON, paths).state == "warning"


def test_a_broken_config_is_a_problem_with_line_and_column(paths: Paths) -> None:
    write(paths, '{\n "version": 1,,\n}')

    (problem,) = found(paths, "config")

    assert problem.state == "problem"
    assert problem.message.startswith("2:15: ")


def test_a_warning_of_the_config_is_a_warning(paths: Paths) -> None:
    write(paths, {"version": 1, "setings": {}})

    (warning,) = found(paths, "config")

    assert (warning.state, warning.hint) == ("warning", "Did you mean settings?")


def test_a_home_without_a_config_is_well(paths: Paths) -> None:
    assert found(paths, "config") == []


@pytest.mark.skipif(os.name != "posix", reason="permission bits are of POSIX")
def test_a_file_open_to_others_is_a_warning_with_the_way_out(paths: Paths) -> None:
    paths.admin_token.write_text("t")
    paths.admin_token.chmod(0o644)
    paths.logs.chmod(0o755)

    assert [check.hint for check in found(paths, "file")] == [
        f"chmod 700 {paths.logs}",
        f"chmod 600 {paths.admin_token}",
    ]


def test_a_file_where_a_folder_should_be_is_a_problem(paths: Paths) -> None:
    paths.logs.rmdir()
    paths.logs.write_text("")

    (problem,) = found(paths, "folder")

    assert (problem.state, problem.message) == ("problem", f"{paths.logs} is not a folder.")


def test_a_free_port_is_well() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    assert check_gateway(port, nobody) == Check(
        "gateway", "ok", f"It is not running; port {port} is free.", "Start it with: switchboard serve"
    )


def test_a_port_that_another_program_holds_is_a_problem() -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        check = check_gateway(port, nobody)

    assert (check.name, check.state) == ("gateway", "problem")
    assert check.message.startswith(f"Port {port} is in use")
    assert "switchboard config set settings.port" in check.hint
