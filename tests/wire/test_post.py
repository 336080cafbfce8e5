"""What a POST to an MCP address is answered with, right or wrong (docs/endpoint.md)."""

import asyncio
import json

import pytest

from tests.fixtures.clients import McpClient
from tests.fixtures.gateway import RunningGateway
from tests.fixtures.http import fetch
from tests.fixtures.servers import ECHO, ScriptedServer
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

HANDSHAKES = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def code_of(body: bytes) -> int:
    answered = json.loads(body)
    assert answered["jsonrpc"] == "2.0" and answered["error"]["message"]
    code: int = answered["error"]["code"]
    return code


@pytest.mark.parametrize("version", HANDSHAKES)
async def test_initialize_agrees_to_each_revision_of_the_era(gateway: RunningGateway, version: str) -> None:
    answer = await McpClient(gateway).initialize(version=version)

    result = answer.json()["result"]
    assert answer.status == 200 and len(answer.headers["mcp-session-id"]) == 32
    assert result["protocolVersion"] == version
    assert result["serverInfo"]["name"] == "switchboard"
    assert result["capabilities"]["tools"] == {"listChanged": True}
    assert not {"prompts", "resources", "completions"} & result["capabilities"].keys()


@pytest.mark.parametrize("version", ["1999-01-01", "", "2099-01-01"])
async def test_initialize_with_a_revision_nobody_knows_offers_our_newest(gateway: RunningGateway, version: str) -> None:
    answer = await McpClient(gateway).initialize(version=version)

    assert answer.json()["result"]["protocolVersion"] == "2025-11-25"


@pytest.mark.parametrize("params", ["{}", "[]", '{"protocolVersion":5}', '{"protocolVersion":"2025-06-18"}'])
async def test_initialize_that_lacks_a_part_is_invalid_params_and_opens_no_session(
    gateway: RunningGateway, params: str
) -> None:
    answer = await McpClient(gateway).request("initialize", params)

    assert code_of(answer.body) == -32602
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize("request_id", ["1", '"1"', "1.0", "-5", "0", "12345678901234567890123", '""', '"\\u00e9"'])
async def test_id_comes_back_as_it_was_written(client: McpClient, request_id: str) -> None:
    answered = await client.request("ping", request_id=request_id)
    refused = await client.request("no/such", request_id=request_id)
    called = await client.call("one__echo", request_id=request_id)

    for answer in (answered, refused, called):
        assert answer.body.startswith(b'{"jsonrpc":"2.0","id":' + request_id.encode() + b",")


@pytest.mark.parametrize("request_id", ["null", "true", "[]", "{}"])
async def test_id_that_can_stand_for_no_request_is_refused(client: McpClient, request_id: str) -> None:
    answer = await client.request("ping", request_id=request_id)

    assert (answer.status, code_of(answer.body)) == (400, -32600)


async def test_ping_is_answered_with_an_empty_object(client: McpClient) -> None:
    answer = await client.request("ping")

    assert (answer.status, answer.body) == (200, b'{"jsonrpc":"2.0","id":1,"result":{}}')
    assert answer.headers["content-type"] == "application/json"


@pytest.mark.parametrize("method", ["no/such", "prompts/list", "resources/read", "completion/complete"])
async def test_method_that_is_not_passed_on_is_method_not_found(client: McpClient, method: str) -> None:
    assert code_of((await client.request(method)).body) == -32601


@pytest.mark.parametrize("body", ["", "{", "nonsense", '{"jsonrpc":"2.0",}', '{"a":NaN}', "[1,", b"\xff\xfe"])
async def test_body_that_is_not_json_is_a_parse_error(client: McpClient, body: str | bytes) -> None:
    answer = await client.post(body)

    assert (answer.status, code_of(answer.body)) == (400, -32700)


@pytest.mark.parametrize("value", [b'"caf\xe9"', b'"\xed\xa0\xbd"', b'"line\nend"', b"01", b"1.", b"tru"])
async def test_parameter_that_is_not_json_never_reaches_a_server(
    client: McpClient, server: ScriptedServer, value: bytes
) -> None:
    before = len(server.received_lines())
    params = b'{"name":"one__echo","arguments":{"a":' + value + b"}}"
    answer = await client.post(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":' + params + b"}")

    assert (answer.status, code_of(answer.body)) == (400, -32700)
    assert server.received_lines()[before:] == []


async def test_body_nested_beyond_reason_is_a_parse_error(client: McpClient) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    answer = await client.post('{"jsonrpc":"2.0","id":1,"method":"ping","params":' + deep + "}")

    assert (answer.status, code_of(answer.body)) == (400, -32700)


@pytest.mark.parametrize(
    "body",
    ["5", '"x"', "null", "{}", '{"jsonrpc":"2.0"}', '{"jsonrpc":"1.0","id":1,"method":"ping"}',
     '{"id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":1,"method":5}', '{"jsonrpc":"2.0","id":1}'],
)  # fmt: skip
async def test_json_that_is_no_message_is_an_invalid_request(client: McpClient, body: str) -> None:
    answer = await client.post(body)

    assert (answer.status, code_of(answer.body)) == (400, -32600)


@pytest.mark.parametrize("said", ['"result":{}', '"error":{"code":1,"message":"x"}'])
async def test_response_to_something_we_never_asked_is_taken_in_silence(client: McpClient, said: str) -> None:
    answer = await client.post(f'{{"jsonrpc":"2.0","id":7,{said}}}')

    assert (answer.status, answer.body) == (202, b"")


async def test_notification_is_taken_in_silence(client: McpClient) -> None:
    answer = await client.notify("notifications/initialized")

    assert (answer.status, answer.body) == (202, b"")


@pytest.mark.parametrize("accept", ["text/html", "text/event-stream", "image/*"])
async def test_client_that_takes_no_json_is_406(client: McpClient, accept: str) -> None:
    answer = await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Accept": accept})

    assert (answer.status, code_of(answer.body)) == (406, -32600)


@pytest.mark.parametrize("accept", [None, "*/*", "application/*", "Application/JSON;q=0.9", "text/html, */*;q=0.1"])
async def test_client_that_takes_json_in_any_words_is_served(client: McpClient, accept: str | None) -> None:
    assert (await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {"Accept": accept})).status == 200


@pytest.mark.parametrize("excess", [1, 3 << 20])
async def test_request_larger_than_the_limit_is_413_and_says_what_to_raise(client: McpClient, excess: int) -> None:
    # As clients do: one that asks to close may never read an answer that comes before its request is complete.
    answer = await client.post(b" " * ((1 << 20) + excess), {"Connection": "keep-alive"})

    assert answer.status == 413
    assert "settings.maxRequestMb" in answer.json()["error"]["message"]


async def test_request_as_large_as_the_limit_passes(client: McpClient) -> None:
    message = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'

    assert (await client.post(message.ljust(1 << 20))).status == 200


async def test_revision_we_do_not_speak_is_refused(client: McpClient) -> None:
    answer = await client.post('{"jsonrpc":"2.0","id":1,"method":"ping"}', {"MCP-Protocol-Version": "1999-01-01"})

    assert answer.status == 400
    assert code_of(answer.body) < 0


@pytest.mark.parametrize("params", ["{}", '{"name":5}', '{"name":null}', "[]"])
async def test_call_without_a_name_is_invalid_params(client: McpClient, params: str) -> None:
    assert code_of((await client.request("tools/call", params)).body) == -32602


@pytest.mark.parametrize("name", ["", "nobody__nothing", "one.echo", "echo", "ONE__ECHO"])
async def test_unknown_tool_is_invalid_params_with_its_name(client: McpClient, name: str) -> None:
    error = (await client.call(name)).json()["error"]

    assert error == {"code": -32602, "message": f"Unknown tool: {name}"}


async def test_name_that_is_no_text_on_the_wire_is_answered_like_any_unknown_one(client: McpClient) -> None:
    answer = await client.request("tools/call", r'{"name":"half \ud83d of a pair"}')

    assert (answer.status, code_of(answer.body)) == (200, -32602)


async def test_cursor_we_never_gave_is_invalid_params_and_null_is_none(client: McpClient) -> None:
    assert code_of((await client.request("tools/list", '{"cursor":"abc"}')).body) == -32602
    assert "result" in (await client.request("tools/list", '{"cursor":null}')).json()


async def test_id_of_a_request_in_flight_is_refused_and_its_text_twin_is_not(
    client: McpClient, server: ScriptedServer
) -> None:
    server.change(calls={"scripted": [["touch", "came"], ["until", "go"], ECHO]})
    async with asyncio.TaskGroup() as tasks:
        first = tasks.create_task(client.call("one__scripted", request_id="7"))
        await eventually(lambda: server.has_passed("came"))
        again = await client.request("ping", request_id="7")
        twin = await client.request("ping", request_id='"7"')
        server.open_gate("go")

    assert (again.status, code_of(again.body)) == (400, -32600)
    assert twin.json()["result"] == {}
    assert "result" in first.result().json()


@pytest.mark.parametrize("method", ["PUT", "PATCH", "OPTIONS"])
async def test_other_verb_is_405_and_says_which_there_are(gateway: RunningGateway, method: str) -> None:
    answer = await fetch(gateway.port, method, "/mcp", {})

    assert (answer.status, answer.headers["allow"]) == (405, "GET, POST, DELETE")
