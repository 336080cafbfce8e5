"""The gateway as a whole: clients, servers, files, signals and a sudden end."""

import asyncio
import os
import signal
import socket
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client

from switchboard_tray.paths import find_paths
from switchboard_tray.stores.daemon import read_daemon
from tests.cli.running import Serving, run_process, serving
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import DEMO, config_of, running_gateway
from tests.fixtures.servers import Servers
from tests.fixtures.waiting import eventually


@pytest.mark.parametrize("mode", ["legacy", "auto"])
async def test_official_sdk_client_lists_and_calls_the_demo_server(home: Path, servers: Servers, mode: str) -> None:
    async with running_gateway(home, config_of({"demo": DEMO})) as gateway:
        async with Client(f"{gateway.url}/mcp", mode=mode) as client:
            listed = await client.list_tools()
            result = await client.call_tool("demo__list_notes", {})

    assert len(listed.tools) == 11
    assert not result.is_error


async def test_ten_clients_over_three_profiles_share_one_process(home: Path, servers: Servers) -> None:
    server = servers.make()
    profiles = {name: {"servers": ["one"]} for name in ("a", "b", "c")}
    async with running_gateway(home, config_of({"one": server}, profiles=profiles, defaultProfile="a")) as gateway:
        clients = [await connected(gateway, f"/mcp/{'abc'[number % 3]}") for number in range(10)]
        texts = await asyncio.gather(*(client.text("one__echo") for client in clients))

    assert len(texts) == 10
    assert server.starts == 1


async def test_gateway_without_any_server_serves_empty_lists(home: Path) -> None:
    async with running_gateway(home, {"version": 1}) as gateway:
        client = McpClient(gateway)
        said = (await client.initialize()).json()["result"]["instructions"]

        assert await client.tool_names() == []
    assert "No profile is assigned" in said


async def test_gateway_is_reached_over_ipv6_too(home: Path) -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    async with running_gateway(home, config_of({})) as gateway:
        try:
            _, writer = await asyncio.open_connection("::1", gateway.port)
        except OSError as exc:
            pytest.skip(f"no [::1] here: {exc}")
        writer.close()
        await writer.wait_closed()


# -- ends --------------------------------------------------------------------------------------------------------------


async def ended(gateway: Serving) -> int:
    """The exit status of a gateway that was asked to end."""
    return await asyncio.to_thread(gateway.process.wait, 30)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other ways to end a process")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_signal_ends_the_gateway_in_order(home: Path, servers: Servers, number: signal.Signals) -> None:
    server = servers.make()
    paths = find_paths({"SWITCHBOARD_HOME": str(home)})
    with serving(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo", '{"secret":"hunter2"}')
        assert paths.daemon.exists() and server.running()
        async with client.stream() as stream:
            gateway.process.send_signal(number)

            assert (await ended(gateway), await stream.rest()) == (0, [])
    assert server.running() == []
    assert not paths.daemon.exists()
    log = paths.logs / "gateway.log"
    assert "server one: starting -> ready" in log.read_text() and "gateway ended" in log.read_text()
    assert "hunter2" not in log.read_text()
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
async def test_kill_of_the_gateway_leaves_no_server_no_lost_row_and_no_lost_session_after_the_next_start(
    home: Path, servers: Servers
) -> None:
    server = servers.make(ignores=["EOF"])
    document = config_of({"one": server})
    paths = find_paths({"SWITCHBOARD_HOME": str(home)})

    def row_count() -> int:
        with closing(sqlite3.connect(paths.audit)) as database:
            return int(database.execute("SELECT count(*) FROM calls").fetchone()[0])

    with serving(home, document) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        await eventually(lambda: row_count() == 1 and paths.catalog.exists())
        gateway.process.kill()
        await ended(gateway)
    survivors = server.running()
    server.change(ignores=[])
    with serving(home, document) as gateway:
        await eventually(lambda: (said := read_daemon(paths.daemon)) and said.pid == gateway.process.pid)
        again = McpClient(gateway)
        again.session_id = client.session_id

        assert survivors and server.running() == []
        assert await again.text("one__echo")
        os.kill(gateway.process.pid, signal.SIGTERM)
        await ended(gateway)
    assert row_count() == 2


async def test_second_gateway_is_refused_and_told_of_the_first(home: Path) -> None:
    with serving(home, config_of({})) as gateway:
        second = await asyncio.to_thread(run_process, home, "serve", "--port", "1")

    assert second.returncode == 1
    assert f"http://127.0.0.1:{gateway.port}" in second.stderr and str(gateway.process.pid) in second.stderr
    assert "Traceback" not in second.stderr


async def test_port_that_somebody_holds_is_refused_and_said_by_whom(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = await asyncio.to_thread(run_process, home, "serve", "--port", str(port))

    assert refused.returncode == 1
    assert f"Port {port} is in use" in refused.stderr and f"(process {os.getpid()})" in refused.stderr
    assert "settings.port" in refused.stderr
    assert not find_paths({"SWITCHBOARD_HOME": str(home)}).daemon.exists()
