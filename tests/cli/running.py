"""The command line in this process, and a gateway in another one."""

import asyncio
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.cli.main import main
from switchboard_tray.config.parse import parse_config
from switchboard_tray.paths import Paths, find_paths
from switchboard_tray.stores.catalog import CatalogStore

ROOT = Path(__file__).resolve().parents[2]
WAIT_S = 30.0
"""Far beyond what a start takes."""


@dataclass(frozen=True)
class Outcome:
    """How a command ended, and what it printed."""

    status: int
    out: str
    err: str

    def json(self) -> Any:
        """What it printed, as JSON."""
        return json.loads(self.out)


class Cli:
    """Runs command lines in this process, against the files of one home."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.paths: Paths = find_paths({"SWITCHBOARD_HOME": str(home)})
        self._capsys = capsys

    def __call__(self, *arguments: str) -> Outcome:
        """Run one, whatever comes of it."""
        self._capsys.readouterr()
        status = main(arguments)
        printed = self._capsys.readouterr()
        return Outcome(status, printed.out, printed.err)

    def done(self, *arguments: str) -> Outcome:
        """Run one that has to end well."""
        outcome = self(*arguments)
        assert outcome.status == 0, outcome
        return outcome

    def document(self) -> dict[str, Any]:
        """The config as it is on disk."""
        document: dict[str, Any] = json.loads(self.paths.config.read_bytes())
        return document

    def write(self, document: Mapping[str, Any] | str) -> None:
        """Put a config there by hand."""
        self.paths.config.parent.mkdir(parents=True, exist_ok=True)
        self.paths.config.write_text(document if isinstance(document, str) else json.dumps(document))

    def list_tools(self, **tools: Sequence[str]) -> None:
        """Have the catalog know these tools of servers in the config."""
        config = parse_config(self.document()).config
        assert config is not None
        catalog = Catalog()
        for name, names in tools.items():
            definitions = [{"name": one, "description": f"Does {one}.", "inputSchema": {}} for one in names]
            accepted, _ = check_tools([msgspec.json.encode(definition) for definition in definitions])
            catalog = catalog.with_list(server_key(config.servers[name]), ServerTools(accepted))
        store = CatalogStore(self.paths.catalog)

        async def save() -> None:
            store.save_soon(catalog)
            store.flush()

        asyncio.run(save())


def run_process(home: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command line in a process of its own."""
    command = [sys.executable, "-m", "switchboard_tray", *arguments]
    options = {"capture_output": True, "text": True, "timeout": WAIT_S, "env": environment(home), **options}
    return subprocess.run(command, **options)


def environment(home: Path) -> dict[str, str]:
    """Variables with which the project runs from source."""
    return {**os.environ, "SWITCHBOARD_HOME": str(home), "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True)
class Serving:
    """A gateway in a process of its own."""

    home: Path
    port: int
    process: "subprocess.Popen[str]"


@contextmanager
def serving(home: Path, document: Mapping[str, Any]) -> Iterator[Serving]:
    """`switchboard serve` with this config, on a free port; ended at the end, if it still runs."""
    paths = find_paths({"SWITCHBOARD_HOME": str(home)})
    paths.config.parent.mkdir(parents=True, exist_ok=True)
    paths.config.write_text(json.dumps(document))
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "switchboard_tray", "serve", "--port", str(port)]
    process = subprocess.Popen(command, env=environment(home), text=True, stderr=subprocess.PIPE)
    try:
        _until_it_serves(paths, process)
        yield Serving(home, port, process)
    finally:
        process.terminate()
        process.communicate(timeout=WAIT_S)


def _until_it_serves(paths: Paths, process: "subprocess.Popen[str]") -> None:
    end = time.monotonic() + WAIT_S
    while not paths.daemon.exists():
        if process.poll() is not None:
            pytest.fail(f"serve ended with {process.returncode}: {process.communicate()[1]}")
        if time.monotonic() > end:
            pytest.fail("serve did not come up")
        time.sleep(0.02)
