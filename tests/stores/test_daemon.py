"""One gateway for each user, and where it says it is (docs/files.md, "state")."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from switchboard_tray.errors import GatewayError
from switchboard_tray.stores.daemon import Daemon, only_instance, read_daemon, remove_daemon, write_daemon

ROOT = Path(__file__).resolve().parents[2]
HOLDER = """
import sys
from pathlib import Path
from switchboard_tray.stores.daemon import Daemon, only_instance, write_daemon
lock, daemon = map(Path, sys.argv[1:])
with only_instance(lock, daemon):
    write_daemon(daemon, Daemon(4711, "http://127.0.0.1:7923", "0.9"))
    print("held", flush=True)
    sys.stdin.read()
"""


def holder(tmp_path: Path) -> "subprocess.Popen[bytes]":
    """Another process that holds the lock, until its stdin ends."""
    command = [sys.executable, "-c", HOLDER, str(tmp_path / "lock"), str(tmp_path / "daemon.json")]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environ)
    assert process.stdout is not None and process.stdout.readline() == b"held\n"
    return process


def test_second_gateway_is_refused_and_told_of_the_first(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        with pytest.raises(GatewayError) as refusal, only_instance(tmp_path / "lock", tmp_path / "daemon.json"):
            pytest.fail("two gateways at once")
        other.communicate(timeout=20)

    assert str(refusal.value) == "Switchboard 0.9 already runs at http://127.0.0.1:7923 (process 4711)."


def test_second_gateway_is_refused_also_while_the_first_has_said_nothing(tmp_path: Path) -> None:
    with only_instance(tmp_path / "lock", tmp_path / "daemon.json"):
        with pytest.raises(GatewayError, match="just starting or ending"):
            with only_instance(tmp_path / "lock", tmp_path / "daemon.json"):
                pytest.fail("two gateways at once")


def test_gateway_that_was_killed_does_not_block_the_next(tmp_path: Path) -> None:
    with holder(tmp_path) as other:
        other.kill()
        other.wait(20)

    with only_instance(tmp_path / "lock", tmp_path / "daemon.json"):
        assert read_daemon(tmp_path / "daemon.json") == Daemon(4711, "http://127.0.0.1:7923", "0.9")


def test_next_gateway_may_run_when_one_has_ended(tmp_path: Path) -> None:
    for _ in range(2):
        with only_instance(tmp_path / "state" / "lock", tmp_path / "daemon.json"):
            assert (tmp_path / "state" / "lock").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"5", b"{}", b'{"pid":"x","url":"u","version":"1"}', b"\xff"])
def test_damaged_daemon_file_says_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "daemon.json").write_bytes(data)

    assert read_daemon(tmp_path / "daemon.json") is None
    assert read_daemon(tmp_path / "none.json") is None


def test_gateway_that_ends_removes_what_it_said_of_itself(tmp_path: Path) -> None:
    path = tmp_path / "daemon.json"
    write_daemon(path, Daemon(os.getpid(), "http://127.0.0.1:1", "1"))
    remove_daemon(path)

    assert not path.exists()
    remove_daemon(path)


def test_gateway_that_ends_leaves_what_another_one_said_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "daemon.json"
    write_daemon(path, Daemon(os.getpid() + 1, "http://127.0.0.1:1", "1"))
    remove_daemon(path)

    assert path.exists()
