"""Servers that ask in the middle of a call: the client whose call it is answers, or is declined for."""

import json
from typing import Any

import pytest
from mcp import Client
from mcp.client.context import ClientRequestContext
from mcp_types import ElicitRequestParams, ElicitResult

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway
from tests.fixtures.servers import ScriptedServer, say, text

pytestmark = pytest.mark.asyncio(loop_scope="module")

SCHEMA = '{"type":"object","properties":{"name":{"type":"string"}}}'


def asking(key: str, method: str = "elicitation/create", rest: str = "") -> list[list[Any]]:
    """Steps of a call that asks something and is done when it has heard the answer."""
    params = f'{{"message":"Who?","requestedSchema":{SCHEMA}{rest}}}'
    question = f'{{"jsonrpc":"2.0","id":"{key}","method":"{method}","params":{params}}}'
    return [say(question), ["until", f"answer-{key}"], text("done")]


def heard(server: ScriptedServer, key: str) -> dict[str, Any]:
    """What the server was answered."""
    return next(message for message in server.received() if message.get("id") == key and "method" not in message)


async def test_question_is_put_to_the_client_and_its_answer_to_the_server(
    gateway: RunningGateway, server: ScriptedServer
) -> None:
    server.change(calls={"scripted": asking("sdk")})
    asked = []

    async def answer(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:
        asked.append(params.message)
        return ElicitResult(action="accept", content={"name": "Ada"})

    async with Client(f"{gateway.url}/mcp", mode="legacy", elicitation_callback=answer) as client:
        result = await client.call_tool("one__scripted", {})

    assert (asked, result.is_error) == (["Who?"], False)
    assert heard(server, "sdk")["result"] == {"action": "accept", "content": {"name": "Ada"}}


async def test_question_and_answer_pass_to_the_letter_under_ids_of_their_own(
    gateway: RunningGateway, server: ScriptedServer
) -> None:
    server.change(calls={"scripted": asking("raw", rest=',"n":1180591620717411303424,"f":1.0')})
    client = McpClient(gateway)
    params = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "x"}}
    opened = await client.request("initialize", json.dumps(params))
    client.session_id = opened.headers["mcp-session-id"]
    async with client.calling("one__scripted") as stream:
        question = await stream.event()
        answer = f'{{"jsonrpc":"2.0","id":{json.dumps(question["id"])},"result":{{"action":"decline","f":1.0}}}}'
        taken = await client.post(answer)
        rest = await stream.rest()

    assert (question["method"], question["params"]["n"]) == ("elicitation/create", 2**70)
    assert question["id"] != "raw"
    assert (taken.status, [event["result"]["content"][0]["text"] for event in rest]) == (202, ["done"])
    assert b'"id":"raw","result":{"action":"decline","f":1.0}' in b"\n".join(server.received_lines())


async def test_client_without_the_capability_is_declined_for(client: McpClient, server: ScriptedServer) -> None:
    server.change(calls={"scripted": asking("none")})

    assert await client.text("one__scripted") == "done"
    assert heard(server, "none")["error"]["code"] == -32601


async def test_answer_of_another_client_is_not_taken(gateway: RunningGateway, server: ScriptedServer) -> None:
    server.change(calls={"scripted": asking("mine")})
    client, other = McpClient(gateway), await connected(gateway)
    params = {"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "x"}}
    client.session_id = (await client.request("initialize", json.dumps(params))).headers["mcp-session-id"]
    async with client.calling("one__scripted") as stream:
        question = await stream.event()
        number = json.dumps(question["id"])
        await other.post(f'{{"jsonrpc":"2.0","id":{number},"result":{{"action":"accept","content":{{}}}}}}')
        await client.post(f'{{"jsonrpc":"2.0","id":{number},"result":{{"action":"cancel"}}}}')
        await stream.rest()

    assert heard(server, "mine")["result"] == {"action": "cancel"}
