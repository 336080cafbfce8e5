"""A gateway for the measurement: a process of its own, in a temporary folder; both are gone after."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import switchboard_tray
from switchboard_tray.bench_context import fixture_server
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.paths import HOME_VARIABLE, Paths, find_paths
from switchboard_tray.stores.daemon import read_daemon

EXCLUDED = "tracker.delete_project"
_SERVERS = (
    "tracker wiki chat calendar mail drive crm billing pipeline deploy metrics logs sheets slides forms survey people "
    "payroll inventory shipping"
).split()
_TOOLS_EACH = 25
_OUTPUT = "output.txt"
_LOUD = frozenset({"SWITCHBOARD_DEBUG", "PYTHONDEVMODE", "PYTHONWARNINGS", "PYTHONVERBOSE", "PYTHONPROFILEIMPORTTIME"})
START_S = 60.0
STOP_S = 20.0
POLL_S = 0.02


class Home:
    """The folder, and the gateway that runs on it."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.environ = folder, _environ(folder)
        self.port = 0
        """Where the gateway serves; known once it does."""

    @property
    def paths(self) -> Paths:
        """Its files."""
        return find_paths(self.environ)

    def audited(self) -> list[tuple[str, str, str, str]]:
        """Profile, origin, tool and status of each call, in order; complete once the gateway has ended."""
        query = "SELECT profile, origin, tool, status FROM calls ORDER BY id"
        with closing(sqlite3.connect(self.paths.audit)) as database:
            return [tuple(row) for row in database.execute(query)]


def server_counts(tools: int) -> dict[str, int]:
    """How many tools each server has, so that there are `tools` in all."""
    servers = _SERVERS[: max(3, min(len(_SERVERS), -(-tools // _TOOLS_EACH)))]
    each, more = divmod(tools, len(servers))
    return {name: each + (place < more) for place, name in enumerate(servers)}


@contextmanager
def running_home(tools: int, surfaces: Mapping[str, str]) -> Iterator[tuple[Home, "subprocess.Popen[bytes]"]]:
    """A gateway with `tools` tools and a profile for each entry of `surfaces`, by its name, without `EXCLUDED`.

    Raises `SwitchboardError` where it does not start. At the end all of it is gone.
    """
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-", ignore_cleanup_errors=True) as name:
        home = Home(Path(name))
        home.paths.config.parent.mkdir(parents=True, exist_ok=True)
        home.paths.config.write_text(json.dumps(_config(tools, surfaces)))
        command = [sys.executable, "-P", "-m", "switchboard_tray.bench_context.host"]
        with (home.folder / _OUTPUT).open("wb") as output:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=home.environ, cwd=home.folder
            )
        try:
            _wait_until_it_serves(home, process)
            yield home, process
        finally:
            end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """End the gateway in order, which ends its servers; more than once does no harm.

    Raises `SwitchboardError` where it had to be killed.
    """
    assert process.stdin is not None
    process.stdin.close()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired as exc:
        raise SwitchboardError(f"The gateway of the measurement did not end within {STOP_S:.0f} s.") from exc
    finally:
        # Where the wait was broken off, too. Its servers end with their input.
        if process.poll() is None:
            process.kill()
            process.wait()


def _config(tools: int, surfaces: Mapping[str, str]) -> Mapping[str, Any]:
    counts = server_counts(tools)
    servers = {
        name: {
            "command": sys.executable,
            "args": ["-I", "-S", str(Path(fixture_server.__file__).resolve()), name, str(count)],
        }
        for name, count in counts.items()
    }
    profiles = {
        name: {"servers": list(counts), "surface": surface, "exclude": [EXCLUDED]} for name, surface in surfaces.items()
    }
    return {"version": 1, "servers": servers, "profiles": profiles}


def _environ(folder: Path) -> dict[str, str]:
    package = str(Path(switchboard_tray.__file__).resolve().parents[1])
    found = os.environ.get("PYTHONPATH")
    path = os.pathsep.join([package, found] if found else [package])
    # What is printed, and so counted, must not hang on how somebody's shell is set up.
    others = {name: value for name, value in os.environ.items() if name not in _LOUD}
    return {**others, HOME_VARIABLE: str(folder / "home"), "PYTHONPATH": path, "NO_COLOR": "1", "PYTHONUTF8": "1"}


def _wait_until_it_serves(home: Home, process: "subprocess.Popen[bytes]") -> None:
    give_up = time.monotonic() + START_S
    while (daemon := read_daemon(home.paths.daemon)) is None or daemon.pid != process.pid:
        if process.poll() is not None or time.monotonic() > give_up:
            said = (home.folder / _OUTPUT).read_text("utf-8", "replace").strip()
            raise SwitchboardError(f"The gateway of the measurement did not start: {said or 'it said nothing'}")
        time.sleep(POLL_S)
    port = urlsplit(daemon.url).port
    assert port is not None
    home.port = port
