"""A gateway that is killed, as a process of its own: what it leaves behind is gone after the next start."""

import asyncio
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.errors import SwitchboardError
from tests.clients.gateway import GatewayProcess
from tests.fixtures.clients import McpClient
from tests.fixtures.gateway import config_of
from tests.fixtures.servers import ScriptedServer, Servers, is_running, text
from tests.fixtures.waiting import POLL_S, WAIT_S, eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork")

STUBBORN = ["EOF", "SIGTERM"]


@pytest.fixture
def misbehaving(servers: Servers) -> dict[str, ScriptedServer]:
    """Servers that no end of file and no SIGTERM ends, themselves or what they started."""
    return {
        "stubborn": servers.make(ignores=STUBBORN),
        "orphans": servers.make(start=[["grandchild", False]]),
        "escaping": servers.make(start=[["grandchild", True]], ignores=STUBBORN),
        "starting": servers.make(start=[["until", "never"]], ignores=STUBBORN),
        "busy": servers.make(calls={"echo": [["touch", "came"], ["until", "never"]]}, ignores=STUBBORN),
    }


@pytest.fixture
def gateway(home: Path, misbehaving: dict[str, ScriptedServer]) -> Iterator[GatewayProcess]:
    entries = {name: server.entry(idleTimeoutSec=0) for name, server in misbehaving.items()}
    running = GatewayProcess(home, config_of(entries))
    running.start()
    yield running
    # Its servers would take their time to end in order.
    running.kill()
    give_up = time.monotonic() + WAIT_S
    while any(server.kill() for server in misbehaving.values()) and time.monotonic() < give_up:
        time.sleep(POLL_S)


async def up(gateway: GatewayProcess, misbehaving: dict[str, ScriptedServer]) -> McpClient:
    """A client of the gateway, once every server is as far as it gets."""
    client = McpClient(gateway)
    await client.initialize()
    await eventually(lambda: all(server.starts for server in misbehaving.values()))
    await eventually(lambda: misbehaving["orphans"].grandchild() and misbehaving["escaping"].grandchild())
    for name in ("stubborn", "orphans", "escaping"):
        await eventually(partial(misbehaving[name].received, "tools/list"))
    return client


async def test_no_process_of_a_killed_gateway_is_left_after_the_next_start_and_calls_work(
    gateway: GatewayProcess, misbehaving: dict[str, ScriptedServer]
) -> None:
    client = await up(gateway, misbehaving)
    call = asyncio.create_task(client.call("busy__echo"))
    await eventually(lambda: misbehaving["busy"].has_passed("came"))
    old = [pid for server in misbehaving.values() for pid in server.running()]
    await asyncio.to_thread(gateway.kill)
    await asyncio.wait([call])
    assert call.exception() is not None
    # One ends by itself, since its input is gone; its child does not, nor do the others.
    await eventually(lambda: misbehaving["orphans"].running() == [misbehaving["orphans"].grandchild()])
    left = [pid for pid in old if is_running(pid)]

    misbehaving["starting"].change(start=[])
    misbehaving["busy"].change(calls={"echo": [text("done")]})
    await asyncio.to_thread(gateway.start)

    assert len(old) == 7 and len(left) == 6
    assert [pid for pid in old if is_running(pid)] == []
    for name in misbehaving:
        await eventually(partial(is_listed, client, f"{name}__echo"))
        assert await client.text(f"{name}__echo")


async def is_listed(client: McpClient, tool: str) -> bool:
    return tool in await client.tool_names()


async def test_killed_gateway_loses_no_row_of_a_call_that_was_answered(
    gateway: GatewayProcess, misbehaving: dict[str, ScriptedServer]
) -> None:
    client = await up(gateway, misbehaving)
    await asyncio.gather(*(client.call("stubborn__echo", f'{{"n":{n}}}', request_id=str(n)) for n in range(60)))
    await asyncio.to_thread(gateway.kill)
    await asyncio.to_thread(gateway.start)
    await client.call("stubborn__echo")

    assert await eventually(lambda: rows if len(rows := audited(gateway)) >= 61 else None) == [("echo", "ok")] * 61


def audited(gateway: GatewayProcess) -> list[tuple[str, str]]:
    """Tool and status of each call that is in the database."""
    with closing(sqlite3.connect(gateway.paths.audit)) as database:
        return database.execute("SELECT tool, status FROM calls ORDER BY id").fetchall()


async def test_gateway_that_is_killed_again_and_again_leaves_one_process_of_each_server(
    gateway: GatewayProcess, misbehaving: dict[str, ScriptedServer]
) -> None:
    misbehaving["starting"].change(start=[])
    for _ in range(3):
        await asyncio.to_thread(gateway.kill)
        await asyncio.to_thread(gateway.start)
    client = await up(gateway, misbehaving)

    assert await client.text("stubborn__echo")
    assert len(misbehaving["stubborn"].running()) == 1


async def test_process_that_was_just_starting_is_ended_at_the_next_start(home: Path, servers: Servers) -> None:
    server = servers.make(ignores=["EOF"])
    # Its first act is to kill the gateway, which has had no time yet to do anything with the new process.
    entry, armed = server.entry(idleTimeoutSec=0), server.folder / "armed"
    act = 'test -e "$0" && kill -9 $PPID; exec "$@"'
    killing = {**entry, "command": "/bin/sh", "args": ["-c", act, str(armed), entry["command"], *entry["args"]]}
    gateway = GatewayProcess(home, config_of({"killing": killing}))
    try:
        for kills in (1, 2):
            await asyncio.to_thread(gateway.start)
            await asyncio.to_thread(gateway.wait_for_lists)
            await eventually(partial(starts_are, server, 2 * kills - 1))
            armed.touch()
            with suppress(SwitchboardError):
                find_gateway(gateway.paths).post("/servers/killing/restart", {})
            await eventually(partial(starts_are, server, 2 * kills))
            armed.unlink()
            gateway.kill()
            assert len(server.running()) == 1
        await asyncio.to_thread(gateway.start)
        await eventually(partial(starts_are, server, 5))

        assert len(server.running()) == 1
    finally:
        gateway.kill()
        server.kill()


def starts_are(server: ScriptedServer, number: int) -> bool:
    return server.starts == number
