"""The gateway as a user starts it: a process of its own, which can be killed and started again on the same home."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.paths import find_paths
from switchboard_tray.stores.daemon import read_daemon

ROOT = Path(__file__).resolve().parents[2]
START_S = 30.0
STOP_S = 30.0
POLL_S = 0.02


class GatewayProcess:
    """``switchboard serve`` on a port and a home of its own."""

    def __init__(self, home: Path, config: Mapping[str, Any]) -> None:
        self.paths = find_paths({"SWITCHBOARD_HOME": str(home)})
        self.port = _free_port()
        self._home = home
        self._process: subprocess.Popen[bytes] | None = None
        self._servers: list[psutil.Process] = []
        home.mkdir(parents=True, exist_ok=True)
        self.paths.config.write_text(json.dumps({"settings": {"logLevel": "debug"}, **config}))

    def url(self, profile: str) -> str:
        """The address of `profile`."""
        return f"http://127.0.0.1:{self.port}/mcp/{profile}"

    @property
    def log(self) -> str:
        """All that the gateway logged."""
        return (self.paths.logs / "gateway.log").read_text("utf-8")

    def start(self) -> None:
        """Start it, and return when it serves."""
        environ = {**os.environ, "SWITCHBOARD_HOME": str(self._home), "PYTHONPATH": str(ROOT)}
        with (self._home / "output.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "switchboard_tray", "serve", "--port", str(self.port)],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environ,
                start_new_session=True,
            )
        end = time.monotonic() + START_S
        while not self._serves():
            if self._process.poll() is not None or time.monotonic() > end:
                pytest.fail(f"the gateway does not serve: {(self._home / 'output.txt').read_text('utf-8')}")
            time.sleep(POLL_S)

    def wait_for_lists(self) -> None:
        """Return when the tools of every server are known, and remembered on disk."""
        client = find_gateway(self.paths)
        end = time.monotonic() + START_S
        while any(one["tools"] is None for one in client.get("/servers")) or not self.paths.catalog.exists():
            if time.monotonic() > end:
                pytest.fail(f"some servers were never listed: {self.log}")
            time.sleep(POLL_S)

    def stop(self) -> None:
        """End it as the system would, and whatever it left behind."""
        self._end(signal.SIGTERM)
        for server in self._servers:
            if server.is_running():
                server.kill()

    def kill(self) -> None:
        """End it without a chance to put anything in order."""
        self._end(signal.SIGKILL)

    def servers(self) -> list[psutil.Process]:
        """The server processes that run now, without what they started themselves."""
        assert self._process is not None
        return psutil.Process(self._process.pid).children()

    def _serves(self) -> bool:
        daemon = read_daemon(self.paths.daemon)
        # What a killed gateway wrote is still there when the next one starts.
        return self._process is not None and daemon is not None and daemon.pid == self._process.pid

    def _end(self, number: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None or process.poll() is not None:
            return
        self._servers += psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, number)
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            pytest.fail(f"the gateway did not end within {STOP_S:.0f} s of {number.name}")


@contextmanager
def gateway_process(home: Path, config: Mapping[str, Any]) -> Iterator[GatewayProcess]:
    """A running gateway with this config in `home`, which knows its servers' tools; ended at the end."""
    gateway = GatewayProcess(home, config)
    try:
        gateway.start()
        gateway.wait_for_lists()
        yield gateway
    finally:
        gateway.stop()


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
