"""Servers that do not keep to the protocol: what they spoil is their own, and as little of that as possible."""

import json
import sys
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, Step, result, say, text, tool

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork"),
]

DONE = '{"jsonrpc":"2.0","id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}'
MIB = 1 << 20


@pytest.fixture(scope="module")
def server(module_servers: Servers) -> ScriptedServer:
    return module_servers.make(tools=[tool("echo"), tool("scripted")])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    async with running_gateway(tmp_path_factory.mktemp("home"), config_of({"one": server})) as running:
        await running.until_listed("one")
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(gateway: RunningGateway) -> McpClient:
    return await connected(gateway)


@pytest.mark.parametrize(
    "steps",
    [
        [say(DONE.replace("$ID", '"$ID"'))],
        [say(DONE), say(DONE.replace("done", "twice"))],
        [*(say(DONE.replace("$ID", odd)) for odd in ("99999", '"abc"', "null")), say(DONE)],
        [*(say(DONE.replace("$ID", odd)) for odd in ("1e3", "[]")), say('{"jsonrpc":"2.0","result":{}}'), say(DONE)],
        [say(""), say("  "), say("\t"), say(DONE)],
        [say("Server is listening ..."), say("{not json"), say("[1,2]"), say("5"), say("null"), say(DONE)],
        [say("\udcff\udcfe junk \udc80"), say(DONE)],
        [say("x" * 5 * MIB), say(DONE)],
        [say(DONE.replace("{", "{ ").replace(",", " ,\t"))],
        [say(DONE + "\r")],
        [["flood", MIB], say(DONE)],
        [["stderr", "words\n" * 1000], say(DONE)],
        [say('{"jsonrpc":"2.0","method":"notifications/unheard","params":[1]}'), say(DONE)],
        [say('{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'), say(DONE)],
        [say('{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":$ID}}'), say(DONE)],
        [say('{"id":$ID,"result":{"content":[{"type":"text","text":"done"}]}}')],
    ],
    ids=["text-id", "twice", "unknown-ids", "odd-ids", "blank-lines", "junk", "not-utf-8", "long-junk", "spaces",
         "crlf", "flood", "many-words", "unheard", "log", "cancels-itself", "no-version"],
)  # fmt: skip
async def test_call_gets_its_answer_whatever_else_the_server_says(
    client: McpClient, server: ScriptedServer, steps: list[Step]
) -> None:
    server.change(calls={"scripted": steps})

    assert await client.text("one__scripted") == "done"
    assert json.loads(await client.text("one__echo"))["method"] == "tools/call"


@pytest.mark.parametrize(
    "script", [{"newline": "\r\n"}, {"newline": "\n\n"}, {"chunk": 7}], ids=["crlf", "blank", "drops"]
)
async def test_lines_are_read_however_they_come(
    client: McpClient, server: ScriptedServer, script: dict[str, object]
) -> None:
    server.change(calls={"scripted": [result('{"content":[{"type":"text","text":"é😀"}]}')], **script})
    try:
        assert await client.text("one__scripted") == "é😀"
    finally:
        server.change(newline="\n", chunk=0)


async def test_ping_of_a_server_is_answered(client: McpClient, server: ScriptedServer) -> None:
    server.change(calls={"scripted": [say('{"jsonrpc":"2.0","id":"p1","method":"ping"}'), text("done")]})
    await client.text("one__scripted")
    await client.text("one__echo")

    assert {"jsonrpc": "2.0", "id": "p1", "result": {}} in server.received()


@pytest.mark.parametrize("method", ["roots/list", "elicitation/create", "sampling/createMessage", "no/such"])
async def test_question_that_the_client_cannot_answer_is_refused_and_the_call_goes_on(
    client: McpClient, server: ScriptedServer, method: str
) -> None:
    name = method.replace("/", "-")
    question = f'{{"jsonrpc":"2.0","id":"{name}","method":"{method}","params":{{}}}}'
    server.change(calls={"scripted": [say(question), ["until", f"answer-{name}"], text("done")]})

    assert await client.text("one__scripted") == "done"
    refusals = [message for message in server.received() if message.get("id") == name]
    assert [refusal["error"]["code"] for refusal in refusals] == [-32601]


async def test_junk_is_counted_and_its_first_line_shown(
    gateway: RunningGateway, client: McpClient, server: ScriptedServer
) -> None:
    await gateway.api("POST", "/servers/one/restart")
    server.change(calls={"scripted": [say("Listening on port 80"), say("more"), text("done")]})
    await client.text("one__scripted")
    shown = await gateway.server("one")

    assert (shown["junkLines"], shown["firstJunk"]) == (2, "Listening on port 80")
