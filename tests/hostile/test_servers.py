"""Servers that keep us busy, or whose errors no strict client would read."""

import sys
from pathlib import Path

import pytest

from switchboard_tray.servers import lists
from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import LIST_CHANGED, Servers, error, text, tool
from tests.fixtures.waiting import eventually

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork"),
]


async def test_server_that_announces_a_change_with_each_list_is_listed_ever_less_often(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "CHANGED_PAUSE_S", 0.001)
    server = servers.make(list=[LIST_CHANGED], calls={"echo": [["pause", 1.0], text("done")]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        client = await connected(gateway)

        await client.text("one__echo")

        # 2 + 4 + 8 + ... ms: each list takes as long as all before it. Without an end to it, there would be hundreds.
        assert 3 < len(server.received("tools/list")) < 30


async def test_change_is_seen_after_many_that_were_none(home: Path, servers: Servers) -> None:
    server = servers.make(list=[LIST_CHANGED])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")

        async def is_listed_again() -> bool:
            return len(server.received("tools/list")) >= 4

        await eventually(is_listed_again)
        server.change(tools=[tool("echo"), tool("new")], list=[])

        async def is_seen() -> bool:
            return "one__new" in await client.tool_names()

        await eventually(is_seen)


@pytest.mark.parametrize("raw", ['{"code":-5,"data":{"a":1e2}}', '{"code":-5,"message":null,"data":{"a":1e2}}'])
async def test_error_without_a_message_gets_an_empty_one(home: Path, servers: Servers, raw: str) -> None:
    server = servers.make(calls={"echo": [error(raw)]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        client = await connected(gateway)

        answer = await client.call("one__echo")

    assert answer.json()["error"] == {"code": -5, "message": "", "data": {"a": 100.0}}
    assert b'"data":{"a":1e2}' in answer.body
