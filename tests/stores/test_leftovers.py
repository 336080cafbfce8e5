"""Server processes of a gateway that was killed: what is found again, and what is left alone (docs/servers.md)."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from switchboard_tray.stores import leftovers
from switchboard_tray.stores.leftovers import Leftovers
from tests.fixtures.servers import is_running

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions and signals")

# Ignores what a good process ends for, and says the number of its child.
STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, signal.SIG_IGN)
child = os.fork()
if child == 0:
    if "escape" in sys.argv:
        os.setsid()
    os.close(1)
else:
    print(child, flush=True)
    if "leave" in sys.argv:
        os._exit(0)
while True:
    time.sleep(60)
"""


class Stubborn:
    """A process with a child, in a session of its own, as a server has."""

    def __init__(self, *how: str, **env: str) -> None:
        command = [sys.executable, "-I", "-S", "-c", STUBBORN, *how]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True, env=env)
        assert self.process.stdout is not None
        with self.process.stdout as said:
            self.child = int(said.readline())
        self.pid = self.process.pid
        self.started = time.monotonic()

    def end(self) -> None:
        for pid in (self.pid, self.child):
            if is_running(pid):
                os.kill(pid, 9)
        self.process.wait()


@pytest.fixture
def stubborn(request: pytest.FixtureRequest) -> Iterator[Stubborn]:
    made = Stubborn(*getattr(request, "param", ()))
    yield made
    made.end()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "running.json"


def noted(path: Path) -> dict[str, Any]:
    said: dict[str, Any] = json.loads(path.read_bytes())["processes"]
    return said


@pytest.mark.parametrize("stubborn", [(), ("escape",)], indirect=True, ids=["same-session", "own-session"])
def test_process_of_a_killed_gateway_is_ended_with_all_it_started(path: Path, stubborn: Stubborn) -> None:
    Leftovers(path).started({}, stubborn.pid)

    assert Leftovers(path).end_all() == 2
    assert not is_running(stubborn.pid) and not is_running(stubborn.child)
    assert noted(path) == {}


@pytest.mark.parametrize("how", ["", "escape", "leave"])
def test_process_whose_number_was_not_noted_yet_is_known_by_its_mark(path: Path, stubborn: Stubborn, how: str) -> None:
    starting = Stubborn(how, **Leftovers(path).starting())
    try:
        assert Leftovers(path).end_all() == 2 - (how == "leave")
        assert not is_running(starting.pid) and not is_running(starting.child)
        assert is_running(stubborn.pid) and noted(path) == {}
    finally:
        starting.end()


def test_process_that_was_announced_and_did_not_start_is_forgotten(path: Path, stubborn: Stubborn) -> None:
    note = Leftovers(path)
    env = note.starting()
    note.started(env, 0)
    starting = Stubborn(**env)
    try:
        assert json.loads(path.read_bytes())["starting"] == []
        assert Leftovers(path).end_all() == 0
        assert is_running(starting.pid)
    finally:
        starting.end()


@pytest.mark.parametrize("stubborn", [("leave",)], indirect=True)
def test_child_that_outlived_its_server_is_found_by_the_session(path: Path, stubborn: Stubborn) -> None:
    note = Leftovers(path)
    note.started({}, stubborn.pid)
    kept = path.read_bytes()
    stubborn.process.wait()
    path.write_bytes(kept)

    assert Leftovers(path).end_all() == 1
    assert not is_running(stubborn.child)


def test_process_that_has_ended_is_crossed_out_and_left_alone(path: Path, stubborn: Stubborn) -> None:
    note = Leftovers(path)
    note.started({}, stubborn.pid)
    note.ended(stubborn.pid)
    note.ended(stubborn.pid)

    assert noted(path) == {}
    assert Leftovers(path).end_all() == 0
    assert is_running(stubborn.pid)


def test_other_process_that_has_the_number_now_is_left_alone(path: Path, stubborn: Stubborn) -> None:
    Leftovers(path).started({}, stubborn.pid)
    said = json.loads(path.read_bytes())
    said["processes"][str(stubborn.pid)] -= 10
    path.write_text(json.dumps(said))

    assert Leftovers(path).end_all() == 0
    assert is_running(stubborn.pid) and is_running(stubborn.child)


@pytest.mark.skipif(not leftovers.BOOT_ID.exists(), reason="the system gives its starts no names")
def test_clock_that_was_set_meanwhile_hides_no_process(
    path: Path, stubborn: Stubborn, monkeypatch: pytest.MonkeyPatch
) -> None:
    Leftovers(path).started({}, stubborn.pid)
    # Linux moves the start of the machine whenever the clock is set, and all start times with it.
    set_by_s, boot_time, create_time = 3600.0, psutil.boot_time, psutil.Process.create_time
    monkeypatch.setattr(psutil, "boot_time", lambda: boot_time() + set_by_s)
    monkeypatch.setattr(psutil.Process, "create_time", lambda process: create_time(process) + set_by_s)

    assert Leftovers(path).end_all() == 2


def test_where_starts_of_the_machine_have_no_names_the_times_are_compared(
    path: Path, stubborn: Stubborn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leftovers, "BOOT_ID", path / "none")
    Leftovers(path).started({}, stubborn.pid)

    assert Leftovers(path).end_all() == 2


def test_process_that_is_gone_before_it_could_be_noted_is_nothing(path: Path) -> None:
    gone = subprocess.Popen([sys.executable, "-I", "-S", "-c", ""])
    gone.wait()
    Leftovers(path).started({}, gone.pid)

    assert Leftovers(path).end_all() == 0


def test_folder_that_cannot_be_written_stops_nobody(tmp_path: Path, stubborn: Stubborn) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    note = Leftovers(tmp_path / "state" / "running.json")
    note.started({}, stubborn.pid)

    assert note.end_all() == 0
