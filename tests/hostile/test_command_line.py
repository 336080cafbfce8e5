"""The command line where its surroundings are not as usual."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(("closed", "status"), [(">&-", 0), ("2>&-", 0), ("<&- >&- 2>&-", 0)])
def test_command_does_its_work_though_its_streams_are_closed(home: Path, closed: str, status: int) -> None:
    command = f"{sys.executable} -m switchboard_tray profile add work {closed}"
    environ = {**os.environ, "SWITCHBOARD_HOME": str(home), "PYTHONPATH": str(ROOT)}

    done = subprocess.run(["sh", "-c", command], env=environ, capture_output=True, timeout=30)

    assert (done.returncode, b"fault" in done.stderr) == (status, False)
    assert b"work" in (home / "config.json").read_bytes()


@pytest.mark.parametrize("name", ["admin.token", "daemon.json", "sessions.jsonl"])
def test_gateway_that_cannot_use_a_state_file_says_which(home: Path, name: str) -> None:
    (home / "state" / name).mkdir(parents=True)
    environ = {**os.environ, "SWITCHBOARD_HOME": str(home), "PYTHONPATH": str(ROOT)}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    command = [sys.executable, "-m", "switchboard_tray", "serve", "--port", str(port)]

    done = subprocess.run(command, env=environ, capture_output=True, timeout=30)

    assert done.returncode == 1
    assert name.encode() in done.stderr.splitlines()[-2]
    assert b"fault" not in done.stderr
