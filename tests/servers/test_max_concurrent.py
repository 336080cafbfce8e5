"""`maxConcurrent` with a real server: how many calls it gets at a time, who waits, who is refused (docs/servers.md)."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, text, tool
from tests.fixtures.waiting import eventually


def waiting_server(servers: Servers) -> ScriptedServer:
    """A server whose tool waits for a gate."""
    return servers.make(calls={"echo": [["until", "go"], text("done")]})


def numbers(server: ScriptedServer) -> list[int]:
    """The arguments of the calls that the server got, in order."""
    return [call["params"]["arguments"]["n"] for call in server.received("tools/call")]


def call(client: McpClient, number: int) -> asyncio.Task[str]:
    async def answer() -> str:
        answer = await client.call("one__echo", json.dumps({"n": number}), request_id=str(number))
        said: str = answer.last()["result"]["content"][0]["text"]
        return said

    return asyncio.create_task(answer())


async def test_server_gets_so_many_calls_at_a_time_and_the_others_in_the_order_they_came(
    home: Path, servers: Servers
) -> None:
    server = waiting_server(servers)
    async with running_gateway(home, config_of({"one": server.entry(maxConcurrent=2)})) as gateway:
        client = await connected(gateway)
        calls = []
        for number in range(6):
            calls.append(call(client, number))
            await eventually(partial(in_flight_is, gateway, number + 1))
        before = numbers(server)
        server.open_gate("go")
        said = await asyncio.gather(*calls)

    assert (before, numbers(server)) == ([0, 1], [0, 1, 2, 3, 4, 5])
    assert said == ["done"] * 6


async def in_flight_is(gateway: RunningGateway, count: int) -> bool:
    """Whether so many calls of the server are under way, those that wait counted in."""
    shown = await gateway.server("one")
    return bool(shown["inFlight"] == count)


async def test_call_above_the_hundred_that_may_wait_is_told_that_the_server_is_busy(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchboard_tray.servers.gate.MAY_WAIT", 2)
    server = waiting_server(servers)
    async with running_gateway(home, config_of({"one": server.entry(maxConcurrent=1)})) as gateway:
        client = await connected(gateway)
        calls = [call(client, number) for number in range(3)]
        await eventually(lambda: in_flight_is(gateway, 3))
        refused = (await client.call("one__echo", request_id='"above"')).json()["result"]
        server.open_gate("go")
        said = await asyncio.gather(*calls)

    assert refused["isError"] and "busy" in refused["content"][0]["text"]
    assert said == ["done"] * 3 and len(numbers(server)) == 3


async def test_call_that_is_cancelled_while_it_waits_never_reaches_the_server(home: Path, servers: Servers) -> None:
    server = waiting_server(servers)
    async with running_gateway(home, config_of({"one": server.entry(maxConcurrent=1)})) as gateway:
        client = await connected(gateway)
        first = call(client, 0)
        await eventually(lambda: server.received("tools/call"))
        cancelled = asyncio.create_task(client.call("one__echo", '{"n":1}', request_id="1"))
        await eventually(lambda: in_flight_is(gateway, 2))
        last = call(client, 2)
        await eventually(lambda: in_flight_is(gateway, 3))
        await client.notify("notifications/cancelled", '{"requestId":1}')
        assert (await cancelled).events() == []
        server.open_gate("go")
        await asyncio.gather(first, last)

    assert numbers(server) == [0, 2]


async def test_edit_of_the_limit_lets_waiting_calls_in_and_leaves_the_process_alone(
    home: Path, servers: Servers
) -> None:
    server = waiting_server(servers)
    async with running_gateway(home, config_of({"one": server.entry(maxConcurrent=1)})) as gateway:
        client = await connected(gateway)
        calls = [call(client, number) for number in range(4)]
        await eventually(lambda: in_flight_is(gateway, 4))
        await gateway.patch(servers={"one": {"maxConcurrent": 3}})
        await eventually(lambda: len(numbers(server)) == 3)
        await gateway.patch(servers={"one": {"maxConcurrent": None}})
        await eventually(lambda: len(numbers(server)) == 4)
        server.open_gate("go")
        said = await asyncio.gather(*calls)

    assert said == ["done"] * 4
    assert server.starts == 1


async def test_crash_lets_the_waiting_calls_go_on_with_a_new_process(home: Path, servers: Servers) -> None:
    server = servers.make(
        tools=[tool("echo"), tool("crash")], calls={"crash": [["until", "go"], ["exit", 1]], "echo": [text("done")]}
    )
    async with running_gateway(home, config_of({"one": server.entry(maxConcurrent=1)})) as gateway:
        client = await connected(gateway)
        crash = asyncio.create_task(client.call("one__crash", request_id='"crash"'))
        await eventually(lambda: server.received("tools/call"))
        calls = [call(client, number) for number in range(3)]
        await eventually(lambda: in_flight_is(gateway, 4))
        server.open_gate("go")
        said = await asyncio.gather(*calls)

    assert (await crash).json()["result"]["isError"]
    assert said == ["done"] * 3
