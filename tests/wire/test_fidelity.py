"""What servers and clients say arrives as it was written: relayed, not rewritten (docs/surfaces.md, "passthrough")."""

import json

import pytest

from tests.fixtures.clients import McpClient
from tests.fixtures.servers import ScriptedServer, error, result, say

pytestmark = pytest.mark.asyncio(loop_scope="module")

MIB = 1 << 20


async def answered(client: McpClient, server: ScriptedServer, step: list[object]) -> bytes:
    """What the client gets when the server takes this step."""
    server.change(calls={"scripted": [step]})
    answer = await client.call("one__scripted")
    assert answer.status == 200
    return answer.body


@pytest.mark.parametrize(
    "raw",
    [
        '{"content":[],"isError":false}',
        '{"content":[{"type":"text","text":"a"}],"structuredContent":{"a":null},"isError":null}',
        '{"content":[],"structuredContent":{"n":1180591620717411303424,"m":-0,"f":1.0,"e":1e400,"d":0.10}}',
        '{"content":[{"type":"text","text":"\\ud83d alone, \\udcff alone, \\ud83d\\ude00 together"}]}',
        '{"content":[{"type":"text","text":"\\u0000\\u001f\\u2028 and \\/"}]}',
        '{"content":[{"type":"text","text":"é 😀 \u2028"}]}',
        '{"content":[{"type":"image","data":"aGk=","mimeType":"image/png","annotations":{"priority":1.0}}]}',
        '{"content":[{"type":"hologram","x":[[[]]]}],"_meta":{"a.b/c":1},"unknown":{"deep":[null,{}]}}',
        '{ "content" : [ ] ,\t"structuredContent" : { "b" : 1 , "a" : 2 } }',
        '{"content":[],"twice":1,"twice":2}',
        "{}",
    ],
)
async def test_result_is_relayed_to_the_letter(client: McpClient, server: ScriptedServer, raw: str) -> None:
    body = await answered(client, server, result(raw))

    assert body == b'{"jsonrpc":"2.0","id":1,"result":' + raw.encode() + b"}"


@pytest.mark.parametrize(
    "raw",
    [
        '{"code":-32602,"message":"no such thing","data":{"n":1180591620717411303424,"more":[null]}}',
        '{"code":42,"message":"own code"}',
        '{"code":-32000,"message":"half \\ud83d","data":null}',
        '{"message":"order","code":1,"unknown":true}',
    ],
)
async def test_error_of_a_server_is_relayed_to_the_letter(client: McpClient, server: ScriptedServer, raw: str) -> None:
    body = await answered(client, server, error(raw))

    assert body == b'{"jsonrpc":"2.0","id":1,"error":' + raw.encode() + b"}"


@pytest.mark.parametrize("raw", ['"oops"', '{"code":"E1","message":"x"}', '{"message":"no code"}', "[]"])
async def test_error_that_is_none_becomes_an_internal_error(
    client: McpClient, server: ScriptedServer, raw: str
) -> None:
    body = await answered(client, server, error(raw))

    assert json.loads(body)["error"]["code"] == -32603


@pytest.mark.parametrize(
    "arguments",
    [
        '{"n":1180591620717411303424,"m":-0,"f":1.0,"e":1e400,"x":null,"d":0.10}',
        r'{"half":"\ud83d","zero":"\u0000","slash":"\/"}',
        '{"text":"é 😀","nested":{"b":[1,{"a":[]}]}}',
        '{ "spaced" :\t1 }',
        "{}",
    ],
)
async def test_arguments_reach_the_server_to_the_letter(
    client: McpClient, server: ScriptedServer, arguments: str
) -> None:
    line = await client.text("one__echo", arguments)

    assert f'"arguments":{arguments}' in line
    assert '"name":"echo"' in line


async def test_unknown_parameters_and_meta_reach_the_server(client: McpClient) -> None:
    params = '{"name":"one__echo","arguments":{},"task":{"ttl":60000},"_meta":{"example.com/trace":"00-1","n":1.0}}'
    line = (await client.request("tools/call", params)).json()["result"]["content"][0]["text"]

    assert '"task":{"ttl":60000}' in line
    assert '"example.com/trace":"00-1","n":1.0' in line


async def test_call_without_arguments_reaches_the_server_without_arguments(client: McpClient) -> None:
    answer = await client.request("tools/call", '{"name":"one__echo"}')

    assert "arguments" not in json.loads(answer.json()["result"]["content"][0]["text"])["params"]


async def test_line_ends_between_tokens_do_not_end_the_line_to_the_server(client: McpClient) -> None:
    line = await client.text("one__echo", '{\n"a":\r\n1}')

    assert '"arguments":{ "a":  1}' in line


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
async def test_client_cannot_smuggle_a_message_of_its_own_to_a_server(
    client: McpClient, server: ScriptedServer, end: str
) -> None:
    before = len(server.received("tools/call"))
    smuggled = '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{"name":"second"}}'
    await client.call("one__echo", f'{{"a":[{end}{smuggled}{end}]}}')
    await client.request("tools/call", f'{{"name":"one__echo","_meta":{{"a":[{end}{smuggled}{end}]}}}}')

    assert [call["params"]["name"] for call in server.received("tools/call")[before:]] == ["echo", "echo"]


async def test_result_of_20_mb_arrives_whole(client: McpClient, server: ScriptedServer) -> None:
    body = await answered(client, server, ["large", 20 * MIB])

    assert json.loads(body)["result"]["content"][0]["text"] == "x" * 20 * MIB


async def test_bytes_that_are_no_utf_8_are_replaced_and_the_answer_arrives(
    client: McpClient, server: ScriptedServer
) -> None:
    body = await answered(client, server, result('{"content":[{"type":"text","text":"caf\udce9!"}]}'))

    assert json.loads(body)["result"]["content"][0]["text"] == "caf\ufffd!"


async def test_answer_with_nan_fails_its_call_at_once(client: McpClient, server: ScriptedServer) -> None:
    body = await answered(client, server, result('{"content":[],"structuredContent":{"x":NaN}}'))

    outcome = json.loads(body)["result"]
    assert outcome["isError"]
    assert "not valid JSON" in outcome["content"][0]["text"]


@pytest.mark.parametrize("line", ['{"jsonrpc":"2.0","id":$ID}', '{"jsonrpc":"2.0","id":$ID,"outcome":{}}'])
async def test_answer_with_neither_result_nor_error_fails_its_call(
    client: McpClient, server: ScriptedServer, line: str
) -> None:
    body = await answered(client, server, say(line))

    assert json.loads(body)["result"]["isError"]
