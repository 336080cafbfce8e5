"""Clients that say too much of themselves, or open more sessions than are kept (docs/endpoint.md, "Sessions")."""

import json
import time
from pathlib import Path

import pytest

from switchboard_tray.wire import legacy
from switchboard_tray.wire import sessions as sessions_module
from switchboard_tray.wire.sessions import Sessions
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, tool


@pytest.mark.asyncio
async def test_client_that_describes_itself_at_length_is_not_kept(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        client = McpClient(gateway)

        refused = await client.initialize("x" * 70_000)
        accepted = await client.initialize("x" * 60_000)

        kept_bytes = gateway.paths.sessions.stat().st_size
    assert refused.json()["error"]["code"] == -32602
    assert "result" in accepted.json()
    assert 60_000 < kept_bytes < 70_000


@pytest.mark.asyncio
async def test_batch_asks_for_no_more_than_fits(home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy, "BATCH_ANSWER_BYTES", 1 << 20)
    server = servers.make(tools=[tool("large", description="x" * 300_000)])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        client = await connected(gateway)
        asked = ",".join(f'{{"jsonrpc":"2.0","id":{number},"method":"tools/list"}}' for number in range(10))

        answers = (await client.post(f"[{asked}]")).json()

    assert {answer["id"] for answer in answers} == set(range(10))
    assert [answer["error"]["code"] for answer in answers if "error" in answer] == [-32603] * 7


def test_session_in_use_is_kept_when_there_are_too_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions_module, "LIVE_SESSIONS", 3)
    sessions = Sessions(tmp_path / "sessions.jsonl", time.time())
    used = sessions.start("2025-06-18", {"name": "known"}, {})

    for _ in range(5):
        sessions.start("2025-06-18", {"name": "other"}, {})
        assert sessions.find(used.id, None) is used

    sessions.close()


@pytest.mark.asyncio
async def test_config_is_shown_where_an_unknown_key_holds_half_a_character(home: Path) -> None:
    async with running_gateway(home, {**config_of({}), "\ud800": "\ud800"}) as gateway:
        config = await gateway.api("GET", "/config")
        status = await gateway.api("GET", "/status")

    assert (config.status, status.status) == (200, 200)
    assert json.loads(config.body)["document"]["\ud800"] == "\ud800"
