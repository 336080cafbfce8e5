"""Servers cared for side by side: a fault in the care of one, ours or a file's, is nothing to the others."""

import asyncio
import gc
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import Config, ServerConfig
from switchboard_tray.config.parse import parse_config
from switchboard_tray.errors import ServerError, SwitchboardError
from switchboard_tray.paths import find_paths
from switchboard_tray.protocol.calls import Note, Silent
from switchboard_tray.servers import following
from switchboard_tray.servers.lifecycle import StopAsked, Wanted
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.servers.worker import Worker
from tests.fixtures.servers import ScriptedServer, Servers, error
from tests.fixtures.waiting import eventually


class Heard:
    """Takes reports; a list of the server `broken` meets a bug."""

    def __init__(self, broken: str = "") -> None:
        self.broken = broken
        self.pids: set[int] = set()

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        if server.name == self.broken:
            raise ValueError("a bug of ours")

    def starting(self) -> Mapping[str, str]:
        return {}

    def started(self, env: Mapping[str, str], pid: int) -> None:
        if pid:
            self.pids.add(pid)

    def ended(self, pid: int) -> None:
        self.pids.discard(pid)

    def updated(self, server: ServerConfig, params: Raw | None, uri: str) -> None:
        pass


def config(**servers: ScriptedServer | Mapping[str, Any]) -> Config:
    """A config with these servers."""
    entries = {name: one.entry() if isinstance(one, ScriptedServer) else dict(one) for name, one in servers.items()}
    found = parse_config({"version": 1, "servers": entries}).config
    assert found is not None
    return found


def new_pool(home: Path, reports: Heard, **keys: Any) -> ServerPool:
    return ServerPool(find_paths({"SWITCHBOARD_HOME": str(home)}), {"PATH": "/usr/bin:/bin"}, reports, **keys)


async def call(pool: ServerPool, server: str, listener: Silent | None = None, meta: str = "{}") -> str:
    params = {"name": Raw(b'"echo"'), "arguments": Raw(b"{}"), "_meta": Raw(meta.encode())}
    return bytes(await pool.call(server, "tools/call", params, listener or Silent())).decode()


async def test_bug_in_the_care_of_one_server_ends_no_other(home: Path, servers: Servers) -> None:
    async with new_pool(home, Heard(broken="one")) as pool:
        pool.apply(config(one=servers.make(), two=servers.make()))
        with pytest.raises(ServerError, match="through a fault of Switchboard"):
            await pool.refresh("one")
        await asyncio.gather(*pool.fill(["two"]))

        assert "tools/call" in await call(pool, "two")
        assert "tools/call" in await call(pool, "one")


class Leaving(Silent):
    """A client that fails whenever it is told something."""

    def __init__(self) -> None:
        self.told = 0

    async def tick(self) -> None:
        self.told += 1
        raise ConnectionResetError("the client left")

    async def note(self, note: Note) -> None:
        await self.tick()


@pytest.mark.parametrize("meta", ["{}", '{"progressToken":1}'], ids=["tick", "progress"])
async def test_client_that_cannot_be_told_of_a_start_ends_no_server(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch, meta: str
) -> None:
    monkeypatch.setattr(following, "TELL_EVERY_S", 0.01)
    server, leaving = servers.make(start=[["until", "go"]]), Leaving()
    async with new_pool(home, Heard()) as pool, asyncio.TaskGroup() as tasks:
        pool.apply(config(one=server))
        called = tasks.create_task(call(pool, "one", leaving, meta))
        await eventually(lambda: leaving.told)
        server.open_gate("go")

        assert "tools/call" in await called


async def test_server_that_is_wanted_and_stopped_in_one_moment_comes_to_rest(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        one = pool._worker("one")
        one.post(Wanted())
        one.post(StopAsked())
        async with asyncio.timeout(5):
            await one.stop()

        assert one.is_resting
        assert "tools/call" in await call(pool, "one")


async def test_secrets_that_cannot_be_read_are_not_called_a_fault_of_ours(home: Path, servers: Servers) -> None:
    def secret(name: str) -> str | None:
        raise SwitchboardError("The secrets file cannot be read: line 1.", hint="Mend it.")

    entry = servers.make().entry(env={"KEY": "${secret:key}"})
    async with new_pool(home, Heard(), secret=secret) as pool:
        pool.apply(config(one=entry))
        with pytest.raises(ServerError, match="secrets file cannot be read") as fault:
            await call(pool, "one")

    assert "fault of Switchboard" not in str(fault.value)


async def test_remote_server_says_that_it_is_not_in_force(home: Path) -> None:
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one={"url": "https://example.com/mcp"}))
        with pytest.raises(ServerError, match="not in force in this version"):
            await call(pool, "one")


async def test_every_process_that_is_reported_as_started_is_reported_as_ended(home: Path, servers: Servers) -> None:
    heard = Heard()
    made = [servers.make(start=start) for start in ([], [["exit", 1]], [["until", "never"]])]
    async with new_pool(home, heard) as pool:
        pool.apply(config(one=made[0], two=made[1], three={**made[2].entry(), "idleTimeoutSec": 0}))
        await call(pool, "one")
        with pytest.raises(ServerError):
            await call(pool, "two")
        await eventually(lambda: made[2].starts)
        assert heard.pids

    assert heard.pids == set()


async def test_error_of_a_server_that_repeats_a_secret_is_shown_without_it(home: Path, servers: Servers) -> None:
    server = servers.make(list=[error('{"code":-1,"message":"bad key hunter2hunter2"}')])
    entry = server.entry(env={"KEY": "${secret:key}"})
    async with new_pool(home, Heard(), secret=lambda name: "hunter2hunter2") as pool:
        pool.apply(config(one=entry))
        with pytest.raises(ServerError, match="bad key •••"):
            await pool.refresh("one")


@pytest.mark.parametrize("key", ["command", "cwd"])
async def test_place_with_a_secret_in_it_that_does_not_exist_is_named_without_it(home: Path, key: str) -> None:
    entry = {"command": "/bin/sh", key: "/nowhere/${secret:key}/x"}
    async with new_pool(home, Heard(), secret=lambda name: "hunter2hunter2") as pool:
        pool.apply(config(one=entry))
        with pytest.raises(ServerError, match="/nowhere/•••/x"):
            await call(pool, "one")


async def test_server_that_was_edited_again_and_again_leaves_nothing_in_memory(home: Path, servers: Servers) -> None:
    server = servers.make()
    kept: list[weakref.ref[Worker]] = []
    async with new_pool(home, Heard()) as pool:
        for number in range(3):
            pool.apply(config(one=server.entry(env={"EDIT": str(number)})))
            await call(pool, "one")
            kept.append(weakref.ref(pool._worker("one")))
        await eventually(lambda: gc.collect() >= 0 and not any(ref() for ref in kept[:-1]))

        assert kept[-1]() is pool._worker("one")


async def test_server_that_could_not_be_listed_leaves_nothing_in_memory(
    home: Path, servers: Servers, caplog: pytest.LogCaptureFixture
) -> None:
    # What is logged is kept by whoever keeps logs, as this test run does.
    server = servers.make(list=[["exit", 0]])
    kept: list[weakref.ref[Worker]] = []
    async with new_pool(home, Heard()) as pool:
        for number in range(3):
            pool.apply(config(one=server.entry(env={"EDIT": str(number)})))
            pool.fill(["one"])
            await eventually(lambda: caplog.text.count("tools not listed") > len(kept))
            kept.append(weakref.ref(pool._worker("one")))
        await eventually(lambda: gc.collect() >= 0 and not any(ref() for ref in kept[:-1]))
