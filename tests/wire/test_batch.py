"""Several messages in one array, as revision 2025-03-26 has it."""

import pytest

from tests.fixtures.clients import McpClient, call_params
from tests.fixtures.servers import ScriptedServer, progress, text

pytestmark = pytest.mark.asyncio(loop_scope="module")


def message(method: str, request_id: str | None = None, params: str = "{}") -> str:
    number = "" if request_id is None else f'"id":{request_id},'
    return f'{{"jsonrpc":"2.0",{number}"method":"{method}","params":{params}}}'


def batch(*messages: str) -> str:
    return f"[{','.join(messages)}]"


async def test_batch_is_answered_by_one_array_with_an_answer_for_each_request(client: McpClient) -> None:
    answer = await client.post(
        batch(
            message("ping", "1"),
            message("notifications/initialized"),
            message("no/such", '"two"'),
            message("tools/call", "3", call_params("one__echo", "{}")),
            '{"jsonrpc":"2.0","id":9,"result":{}}',
        )
    )

    answered = {one["id"]: one for one in answer.json()}
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    assert answered.keys() == {1, "two", 3}
    assert answered[1]["result"] == {}
    assert answered["two"]["error"]["code"] == -32601
    assert answered[3]["result"]["content"][0]["type"] == "text"


async def test_batch_of_notifications_is_taken_in_silence(client: McpClient) -> None:
    answer = await client.post(batch(message("notifications/initialized"), message("notifications/roots/list_changed")))

    assert (answer.status, answer.body) == (202, b"")


async def test_broken_message_in_a_batch_spoils_none_of_the_others(client: McpClient) -> None:
    answer = await client.post(batch("5", message("ping", "1"), '{"jsonrpc":"2.0"}'))

    answered = answer.json()
    assert len(answered) == 3
    assert {"jsonrpc": "2.0", "id": 1, "result": {}} in answered
    assert [one["error"]["code"] for one in answered if one["id"] is None] == [-32600, -32600]


async def test_progress_of_a_call_in_a_batch_does_not_break_the_array(
    client: McpClient, server: ScriptedServer
) -> None:
    server.change(calls={"scripted": [progress('"progress":1'), text("done")]})
    params = call_params("one__scripted", "{}", '{"progressToken":1}')
    answer = await client.post(batch(message("tools/call", "1", params), message("ping", "2")))

    assert {one["id"] for one in answer.json()} == {1, 2}


async def test_lone_surrogate_in_a_batch_is_no_parse_error(client: McpClient) -> None:
    params = call_params("one__echo", r'{"half":"\ud83d"}')
    answer = await client.post(batch(message("tools/call", "1", params)))

    assert r'"half":"\ud83d"' in answer.json()[0]["result"]["content"][0]["text"]


@pytest.mark.parametrize("body", ["[]", batch(*[message("ping", "1")] * 1001)], ids=["none", "too-many"])
async def test_batch_of_none_or_too_many_messages_is_refused(client: McpClient, body: str) -> None:
    answer = await client.post(body)

    assert (answer.status, answer.json()["error"]["code"]) == (400, -32600)


async def test_batch_without_a_session_is_refused(client: McpClient) -> None:
    answer = await McpClient(client.gateway).post(batch(message("ping", "1"), message("ping", "2")))

    assert (answer.status, answer.json()["error"]["code"]) == (400, -32600)


async def test_initialize_has_no_place_in_a_batch(client: McpClient) -> None:
    answer = await client.post(batch(message("initialize", "1"), message("ping", "2")))

    assert {one["id"]: "error" in one for one in answer.json()} == {1: True, 2: False}
