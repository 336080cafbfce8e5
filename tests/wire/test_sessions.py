"""Sessions as clients live through them: revived when unknown, gone when ended, over a restart (docs/endpoint.md)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.http import Answer
from tests.fixtures.servers import Servers

pytestmark = pytest.mark.asyncio(loop_scope="module")

UNKNOWN = "0123456789abcdef" * 2
RULES: dict[str, Any] = {
    "profiles": {"all": {"servers": ["one"]}, "none": {}},
    "defaultProfile": "none",
    "clients": [{"match": "known*", "profile": "all"}],
}


async def ping_of(gateway: RunningGateway, session_id: str | None) -> Answer:
    """A ping in the session of this id."""
    client = McpClient(gateway)
    client.session_id = session_id
    return await client.request("ping")


def refusal(answer: Answer) -> tuple[int, bool]:
    """Status of a refusal, and whether its body is a JSON-RPC error."""
    return answer.status, answer.json()["error"]["code"] < 0


async def test_request_without_a_session_id_is_400(gateway: RunningGateway) -> None:
    client = McpClient(gateway)
    answers = [await client.request("ping"), await client.notify("notifications/x"), await client.delete()]
    async with client.stream() as reply:
        answers.append(await reply.whole())

    assert [refusal(answer) for answer in answers] == [(400, True)] * 4


@pytest.mark.parametrize(
    "session_id",
    ["x", "0123", UNKNOWN + "0", UNKNOWN.upper(), "../" + UNKNOWN[3:], "g" * 32, "é" * 32, UNKNOWN[:-1] + " "],
)
async def test_malformed_session_id_is_404(gateway: RunningGateway, session_id: str) -> None:
    answer = await ping_of(gateway, session_id)
    async with (client := McpClient(gateway, headers={"Mcp-Session-Id": session_id})).stream() as reply:
        streamed = await reply.whole()
    ended = await client.delete()

    assert [refusal(one) for one in (answer, streamed, ended)] == [(404, True)] * 3


async def test_unknown_well_formed_session_id_is_revived(gateway: RunningGateway) -> None:
    client = McpClient(gateway)
    client.session_id = UNKNOWN
    async with client.stream() as reply:
        assert reply.status == 200
        assert "one__echo" in await client.tool_names()


async def test_ended_session_is_404_for_everything(gateway: RunningGateway) -> None:
    client = await connected(gateway)
    ended = await client.delete()
    answers = [await client.request("ping"), await client.notify("notifications/x"), await client.delete()]
    async with client.stream() as reply:
        answers.append(await reply.whole())

    assert (ended.status, [answer.status for answer in answers]) == (200, [404] * 4)


async def test_end_of_a_session_ends_its_stream(gateway: RunningGateway) -> None:
    client = await connected(gateway)
    async with client.stream() as reply:
        await client.delete()

        assert await reply.rest() == []


async def test_stream_of_a_client_that_takes_none_is_406(gateway: RunningGateway) -> None:
    client = await connected(gateway)
    async with client.stream({"Accept": "application/json"}) as reply:
        answer = await reply.whole()

    assert (answer.status, answer.json()["error"]["code"]) == (406, -32600)


# -- over a restart ----------------------------------------------------------------------------------------------------


async def test_ended_session_is_404_also_after_a_restart(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        client, other, revived = await connected(gateway), await connected(gateway), McpClient(gateway)
        revived.session_id = UNKNOWN
        for one in (client, revived):
            await one.delete()
        await gateway.restart()

        assert [(await one.request("ping")).status for one in (client, revived, other)] == [404, 404, 200]


async def test_session_keeps_the_name_of_its_client_over_a_restart(home: Path, servers: Servers) -> None:
    async with running_gateway(home, config_of({"one": servers.make()}, **RULES)) as gateway:
        known, other = await connected(gateway, name="known-ai"), await connected(gateway, name="other-ai")
        before = [await known.tool_names(), await other.tool_names()]
        await gateway.restart()
        after = [await known.tool_names(), await other.tool_names()]

    assert before == after == [["one__echo"], []]


async def test_damaged_session_file_costs_its_damaged_lines_alone(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        kept, ended = await connected(gateway), await connected(gateway)
        await ended.delete()
        await gateway.stop()
        damage = [
            b"nonsense", b"5", b"{}", b"\xff\xfe", b'{"id":5}', b'{"id":"x"}', b"[" * 100_000,
            json.dumps({"id": "a" * 32, "ended": "never"}).encode(),
            json.dumps({"id": "b" * 32, "version": 5, "client": [], "capabilities": "x", "listed": {}}).encode(),
            b'{"id":"' + b"c" * 32,
        ]  # fmt: skip
        with gateway.paths.sessions.open("ab") as file:
            file.write(b"\n".join(damage))
        await gateway.start()

        assert (await kept.request("ping")).status == 200
        assert (await ended.request("ping")).status == 404
        assert (await ping_of(gateway, "b" * 32)).status == 200


async def test_session_file_does_not_grow_with_each_start(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        for _ in range(3):
            await (await connected(gateway)).delete()
        await gateway.restart()
        size = gateway.paths.sessions.stat().st_size
        await gateway.restart()

        assert gateway.paths.sessions.stat().st_size == size
        assert gateway.paths.sessions.stat().st_mode & 0o077 == 0
