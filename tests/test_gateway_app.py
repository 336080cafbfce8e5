"""The gateway as a whole: clients, servers, files and signals together."""

import asyncio
from pathlib import Path

from mcp import Client

from tests.fixtures.clients import connected
from tests.fixtures.gateway import DEMO, config_of, running_gateway
from tests.fixtures.servers import Servers


async def test_official_sdk_client_lists_and_calls_the_demo_server(home: Path, servers: Servers) -> None:
    async with running_gateway(home, config_of({"demo": DEMO})) as gateway:
        async with Client(f"{gateway.url}/mcp", mode="legacy") as client:
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
