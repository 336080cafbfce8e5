"""Servers that live on without being of use: deaf, dumb, or with a line that never ends (docs/servers.md)."""

import asyncio
import sys
from pathlib import Path

import pytest

from switchboard_tray.servers import stdio
from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, Step, result, say, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork")


@pytest.mark.parametrize(
    ("steps", "what"),
    [([["close", 1], ["until", "never"]], "output"), ([["close", 0], ["deaf"]], "input")],
    ids=["output", "input"],
)
async def test_server_that_closes_a_pipe_and_lives_on_is_ended_and_the_next_call_starts_another(
    home: Path, servers: Servers, quick_stop: None, steps: list[Step], what: str
) -> None:
    server = servers.make(tools=[tool("echo"), tool("close")], calls={"close": steps}, ignores=["SIGTERM"])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        # The call after the one that closes it finds it out, where only our own writing shows it.
        async with asyncio.TaskGroup() as tasks:
            met = tasks.create_task(client.call("one__close", request_id="1"))
            await eventually(lambda: len(server.received("tools/call")) == 1)
            later = tasks.create_task(client.call("one__echo", request_id="2"))
        shown = await gateway.server("one")
        again = await client.text("one__echo")

    said = met.result().json()["result"]
    assert said["isError"] and f"it closed its {what}" in said["content"][0]["text"]
    assert f"it closed its {what}" in shown["lastError"] or shown["state"] == "ready"
    assert later.done() and again
    assert server.starts == 2


async def test_answer_that_is_too_long_fails_its_call_and_the_next_one_is_answered(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "LINE_BYTES", 1 << 20)
    server = servers.make(tools=[tool("echo"), tool("large")], calls={"large": [["large", 3 << 20]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        said = (await client.call("one__large")).json()["result"]
        again = await client.text("one__echo")

    assert said["isError"] and "longer than 1 MB" in said["content"][0]["text"]
    assert again and server.starts == 1


async def test_junk_without_an_end_is_dropped_as_it_comes(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio, "LINE_BYTES", 1 << 16)
    server = servers.make(calls={"echo": [*[say("x" * (1 << 20))] * 3, text("done")]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        said = await (await connected(gateway)).text("one__echo")
        shown = await gateway.server("one")

    assert said == "done"
    assert shown["junkLines"] == 3 and set(shown["firstJunk"]) == {"x"}


async def test_line_of_100_mb_is_read(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["large", 100 << 20]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        answer = await (await connected(gateway)).call("one__echo")

    assert len(answer.body) > 100 << 20


# -- what a server never answers ---------------------------------------------------------------------------------------

LOGGING = '{"tools":{"listChanged":true},"logging":{},"resources":{"subscribe":true}}'


async def test_server_that_never_answers_what_it_is_told_at_its_start_is_listed_all_the_same(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchboard_tray.servers.standing.ACKNOWLEDGE_S", 0.05)
    server = servers.make(
        tools=[tool("crash")], calls={"crash": [["exit", 1]]}, capabilities=LOGGING, silent=["logging/setLevel"]
    )
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0)})) as gateway:
        client = await connected(gateway)
        await client.request("logging/setLevel", '{"level":"info"}')
        server.change(tools=[tool("echo"), tool("more")])
        await client.call("one__crash")

        async def is_listed() -> bool:
            return await client.tool_names() == ["one__echo", "one__more"]

        await eventually(is_listed)
        assert await client.text("one__echo")


async def test_question_of_a_call_that_was_cancelled_is_refused_and_no_longer_known(
    home: Path, servers: Servers
) -> None:
    question = say('{"jsonrpc":"2.0","id":"q1","method":"elicitation/create","params":{"message":"?"}}')
    server = servers.make(calls={"echo": [["touch", "came"], question, ["until", "answer-q1"], ["touch", "heard"]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        client_that_can = await client.request(
            "initialize",
            '{"protocolVersion":"2025-06-18","capabilities":{"elicitation":{}},"clientInfo":{"name":"a","version":"1"}}',
        )
        client.session_id = client_that_can.headers["mcp-session-id"]
        async with client.calling("one__echo", request_id="5") as reply:
            asked = await reply.event()
            await client.notify("notifications/cancelled", '{"requestId":5}')
            await eventually(lambda: server.has_passed("heard"))

    assert asked["method"] == "elicitation/create"
    answers = [message for message in server.received() if message.get("id") == "q1"]
    assert len(answers) == 1 and "error" in answers[0]


async def test_result_is_read_when_it_comes_with_the_end_of_the_process(home: Path, servers: Servers) -> None:
    last = result('{"content":[{"type":"text","text":"last words"}]}')
    server = servers.make(calls={"echo": [last, ["exit", 0]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        assert await (await connected(gateway)).text("one__echo") == "last words"
