"""State files that are damaged, or older than the machine's last start: no gateway fails for one (docs/files.md)."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from switchboard_tray.config.problems import BrokenFile
from switchboard_tray.paths import find_paths
from switchboard_tray.stores import leftovers
from switchboard_tray.stores.config import ConfigStore
from switchboard_tray.stores.daemon import read_daemon
from switchboard_tray.stores.leftovers import Leftovers
from switchboard_tray.wire.sessions import Sessions

SESSION = "0123456789abcdef" * 2
ORPHAN = """
import os, sys
os.setsid()
if os.fork():
    os._exit(0)
print(os.getpid(), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    "said", ['{"-1": 1}', f'{{"{10**30}": {10**12}}}', '{"5": 1e999}', '{"1e9": 1}', "[" * 100_000, "5", "null"]
)
def test_list_of_leftovers_that_is_garbage_ends_nothing(tmp_path: Path, said: str) -> None:
    boot = json.dumps(leftovers._boot_id())
    (tmp_path / "running.json").write_text(f'{{"boot": {boot}, "processes": {said}}}')

    assert Leftovers(tmp_path / "running.json").end_all() == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no sessions of processes")
def test_session_of_somebody_else_is_left_alone_after_a_restart_of_the_machine(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as leader:
        assert leader.stdout is not None
        orphan = int(leader.stdout.readline())
        leader.wait(20)
        # The server had the number that now is the one of this session, before the machine was started anew.
        noted = {"boot": "", "processes": {os.getsid(orphan): psutil.boot_time() - 60}}
        for boot in ("", "another"):
            (tmp_path / "running.json").write_text(json.dumps({**noted, "boot": boot}))

            ended = Leftovers(tmp_path / "running.json").end_all()

        is_left = psutil.pid_exists(orphan)
    assert (ended, is_left) == (0, True)


@pytest.mark.parametrize("said", ['{"pid": 1e999, "url": "x", "version": "1"}', "[" * 100_000, "null", "\udcff"])
def test_daemon_file_that_is_garbage_names_no_gateway(tmp_path: Path, said: str) -> None:
    (tmp_path / "daemon.json").write_bytes(said.encode(errors="surrogateescape"))

    assert read_daemon(tmp_path / "daemon.json") is None


@pytest.mark.parametrize("ended", ["1" + "0" * 400, "1e999", "NaN", "null", '"x"'])
def test_session_that_was_ended_at_no_time_is_none(tmp_path: Path, ended: str) -> None:
    (tmp_path / "sessions.jsonl").write_text(f'{{"id": "{SESSION}", "ended": {ended}}}\n')

    sessions = Sessions(tmp_path / "sessions.jsonl", time.time())

    assert sessions.find(SESSION, None) is not None
    sessions.close()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")
def test_config_that_became_a_named_pipe_is_a_broken_file_and_nothing_waits_for_it(home: Path) -> None:
    paths = find_paths({"SWITCHBOARD_HOME": str(home)})
    store = ConfigStore(paths)
    store.create_first()
    paths.config.unlink()
    os.mkfifo(paths.config)

    loaded = store.load()

    assert [problem.message for problem in loaded.problems] == ["the file cannot be read: it is not a regular file"]
    with pytest.raises(BrokenFile):
        store.modify(lambda document: {**document, "x": 1})
