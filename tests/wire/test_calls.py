"""A call on its way: cancellation, progress, and answers that come as a stream (docs/endpoint.md)."""

import asyncio

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway
from tests.fixtures.servers import ScriptedServer, progress, say, text
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture
def gate(request: pytest.FixtureRequest) -> str:
    """A gate that is this test's own: a server that lives on has those of others behind it."""
    return f"gate-{request.node.name}"


# -- cancellation ------------------------------------------------------------------------------------------------------


async def test_cancelled_call_reaches_the_server_under_its_own_id_and_gets_no_response(
    client: McpClient, server: ScriptedServer, gate: str
) -> None:
    server.change(calls={"scripted": [["touch", "came"], ["until", gate], text("too late")]})
    before = len(server.received("tools/call"))
    async with asyncio.TaskGroup() as tasks:
        cancelled = tasks.create_task(client.call("one__scripted", request_id='"c"'))
        await eventually(lambda: len(server.received("tools/call")) > before)
        told = await client.notify("notifications/cancelled", '{"requestId":"c","reason":"enough"}')

    answer = cancelled.result()
    call = server.received("tools/call")[-1]
    notice = await eventually(lambda: server.received("notifications/cancelled")[-1:])
    assert told.status == 202
    assert (answer.status, answer.is_stream, answer.events()) == (200, True, [])
    assert notice[0]["params"]["requestId"] == call["id"]
    server.open_gate(gate)
    assert await client.text("one__echo")


async def test_cancelled_call_of_a_client_that_takes_json_alone_is_told_so(
    client: McpClient, server: ScriptedServer, gate: str
) -> None:
    server.change(calls={"scripted": [["until", gate], text("too late")]})
    before = len(server.received("tools/call"))
    plain = McpClient(client.gateway, headers={"Accept": "application/json"})
    plain.session_id = client.session_id
    async with asyncio.TaskGroup() as tasks:
        cancelled = tasks.create_task(plain.call("one__scripted"))
        await eventually(lambda: len(server.received("tools/call")) > before)
        await plain.notify("notifications/cancelled", '{"requestId":1}')

    assert cancelled.result().json()["error"]["code"] == -32800
    server.open_gate(gate)


@pytest.mark.parametrize(
    "params", ['{"requestId":"1"}', '{"requestId":2}', '{"requestId":null}', "{}", '{"requestId":[1]}']
)
async def test_cancellation_of_another_id_leaves_the_call_alone(
    client: McpClient, server: ScriptedServer, gate: str, params: str
) -> None:
    server.change(calls={"scripted": [["until", gate], text("done")]})
    before = len(server.received("tools/call"))
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.call("one__scripted", request_id="1"))
        await eventually(lambda: len(server.received("tools/call")) > before)
        await client.notify("notifications/cancelled", params)
        server.open_gate(gate)

    assert call.result().json()["result"]["content"][0]["text"] == "done"


async def test_client_cannot_cancel_the_call_of_another_session(
    gateway: RunningGateway, client: McpClient, server: ScriptedServer, gate: str
) -> None:
    server.change(calls={"scripted": [["until", gate], text("done")]})
    other = await connected(gateway)
    before = len(server.received("tools/call"))
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.call("one__scripted", request_id="5"))
        await eventually(lambda: len(server.received("tools/call")) > before)
        await other.notify("notifications/cancelled", '{"requestId":5}')
        server.open_gate(gate)

    assert call.result().json()["result"]["content"][0]["text"] == "done"


async def test_ended_session_cancels_its_calls(client: McpClient, server: ScriptedServer, gate: str) -> None:
    server.change(calls={"scripted": [["until", gate], text("too late")]})
    calls, cancels = len(server.received("tools/call")), len(server.received("notifications/cancelled"))
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.call("one__scripted"))
        await eventually(lambda: len(server.received("tools/call")) > calls)
        assert (await client.delete()).status == 200

    assert call.result().events() == []
    await eventually(lambda: len(server.received("notifications/cancelled")) > cancels)
    server.open_gate(gate)


# -- progress ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("token", ["7", '"seven"', '"7"', "1.0", "12345678901234567890123"])
async def test_progress_comes_under_the_token_of_the_client_with_every_member_as_it_was(
    client: McpClient, server: ScriptedServer, token: str
) -> None:
    members = '"progress":1.0,"total":1180591620717411303424,"message":"half","extra":{"a":null}'
    server.change(calls={"scripted": [progress(members), progress('"progress":2'), text("done")]})
    answer = await client.call("one__scripted", meta=f'{{"progressToken":{token}}}')

    first, second, last = answer.events()
    assert answer.is_stream
    assert b'"method":"notifications/progress"' in first
    assert f'{{"progressToken":{token},{members}}}'.encode() in first
    assert f'{{"progressToken":{token},"progress":2}}'.encode() in second
    assert last.startswith(b'{"jsonrpc":"2.0","id":1,"result":{"content"')


async def test_progress_arrives_before_the_call_is_done(client: McpClient, server: ScriptedServer, gate: str) -> None:
    server.change(calls={"scripted": [progress('"progress":1'), ["until", gate], text("done")]})
    async with client.calling("one__scripted", '{"progressToken":1}') as reply:
        first = await reply.event()
        server.open_gate(gate)
        rest = await reply.rest()

    assert first["params"] == {"progressToken": 1, "progress": 1}
    assert [event["result"]["content"][0]["text"] for event in rest] == ["done"]


async def test_progress_that_the_client_did_not_ask_for_is_not_sent(client: McpClient, server: ScriptedServer) -> None:
    server.change(calls={"scripted": [progress('"progress":1'), text("done")]})
    answer = await client.call("one__scripted")

    assert not answer.is_stream
    assert answer.json()["result"]["content"][0]["text"] == "done"


async def test_progress_for_somebody_else_is_dropped(client: McpClient, server: ScriptedServer) -> None:
    template = progress('"progress":1')[1]
    stray = [say(template.replace("$TOKEN", token)) for token in ("99999", '"mine"', "null", "[]", "1e3")]
    server.change(calls={"scripted": [*stray, text("done")]})
    answer = await client.call("one__scripted", meta='{"progressToken":"mine"}')

    assert not answer.is_stream
    assert answer.json()["result"]["content"][0]["text"] == "done"


async def test_two_clients_with_one_token_each_get_their_own_progress(
    gateway: RunningGateway, client: McpClient, server: ScriptedServer, gate: str
) -> None:
    server.change(
        calls={
            "first": [["until", gate], progress('"progress":1,"message":"first"'), text("a")],
            "second": [["until", gate], progress('"progress":1,"message":"second"'), text("b")],
        }
    )
    other = await connected(gateway)
    before = len(server.received("tools/call"))
    async with asyncio.TaskGroup() as tasks:
        one = tasks.create_task(client.call("one__first", meta='{"progressToken":1}'))
        two = tasks.create_task(other.call("one__second", meta='{"progressToken":1}'))
        await eventually(lambda: len(server.received("tools/call")) == before + 2)
        server.open_gate(gate)

    assert [b'"first"' in one.result().events()[0], b'"second"' in two.result().events()[0]] == [True, True]
    assert [len(one.result().events()), len(two.result().events())] == [2, 2]


async def test_error_after_progress_ends_the_stream(client: McpClient, server: ScriptedServer) -> None:
    broken = say('{"jsonrpc":"2.0","id":$ID,"error":{"code":7,"message":"no"}}')
    server.change(calls={"scripted": [progress('"progress":1'), broken]})
    answer = await client.call("one__scripted", meta='{"progressToken":1}')

    assert answer.events()[-1] == b'{"jsonrpc":"2.0","id":1,"error":{"code":7,"message":"no"}}'


async def test_result_with_line_ends_is_one_event(client: McpClient, server: ScriptedServer) -> None:
    # Only \r can be inside: a newline ends the server's line.
    raw = '{"jsonrpc":"2.0","id":$ID,\r"result":{\r"content":[]}}'
    server.change(calls={"scripted": [progress('"progress":1'), say(raw)]})
    answer = await client.call("one__scripted", meta='{"progressToken":1}')

    assert len(answer.events()) == 2
    assert b"\r" not in answer.body
