"""Edits of the config while calls are under way: each call is answered, and no process is left that nobody knows of."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, text, tool
from tests.fixtures.waiting import eventually

READ = tool("read", annotations={"readOnlyHint": True})
PROFILES = {"all": {"include": ["one.*"]}}


@pytest.mark.parametrize("edit", [{"enabled": False}, None], ids=["disabled", "removed"])
async def test_read_only_call_in_flight_does_not_bring_back_a_server_that_is_taken_away(
    home: Path, servers: Servers, edit: dict[str, Any] | None
) -> None:
    server = servers.make(tools=[READ], calls={"read": [["touch", "came"], ["until", "never"]]})
    async with running_gateway(home, config_of({"one": server}, profiles=PROFILES)) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call("one__read"))
            await eventually(lambda: server.has_passed("came"))
            await gateway.patch(servers={"one": edit})
        await gateway.stop()

        assert call.result().json()["result"]["isError"]
        assert server.running() == []
    assert server.starts == 1


async def test_read_only_call_in_flight_is_repeated_under_the_edited_config(home: Path, servers: Servers) -> None:
    old = servers.make(tools=[READ], calls={"read": [["touch", "came"], ["until", "never"]]})
    new = servers.make(tools=[READ], calls={"read": [text("new")]})
    async with running_gateway(home, config_of({"one": old}, profiles=PROFILES)) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.text("one__read"))
            await eventually(lambda: old.has_passed("came"))
            await gateway.patch(servers={"one": {"args": new.entry()["args"]}})

        assert call.result() == "new"
        await eventually(lambda: old.running() == [])
    assert (old.starts, len(new.received("tools/call"))) == (1, 1)


async def test_calls_that_wait_for_their_turn_are_served_under_the_edited_config(home: Path, servers: Servers) -> None:
    old = servers.make(calls={"echo": [["touch", "came"], ["until", "never"]]})
    new = servers.make(calls={"echo": [text("new")]})
    async with running_gateway(home, config_of({"one": old.entry(maxConcurrent=1)}, profiles=PROFILES)) as gateway:
        client = await connected(gateway)

        async def three_in_flight() -> bool:
            return bool((await gateway.server("one"))["inFlight"] == 3)

        async with asyncio.TaskGroup() as tasks:
            met = tasks.create_task(client.call("one__echo", request_id="1"))
            await eventually(lambda: old.has_passed("came"))
            waiting = [tasks.create_task(client.call("one__echo", request_id=str(number))) for number in (2, 3)]
            await eventually(three_in_flight)
            await gateway.patch(servers={"one": {"args": new.entry()["args"]}})

        assert met.result().json()["result"]["isError"]
        assert [call.result().json()["result"]["content"][0]["text"] for call in waiting] == ["new", "new"]
    assert (old.starts, len(old.received("tools/call"))) == (1, 1)


async def test_call_that_waits_for_a_start_is_served_under_the_edited_config(home: Path, servers: Servers) -> None:
    old, new = servers.make(), servers.make(calls={"echo": [text("new")]})
    async with running_gateway(home, config_of({"one": old}, profiles=PROFILES)) as gateway:
        await gateway.until_listed("one")
        old.change(start=[["until", "never"]])
        await gateway.restart()
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.text("one__echo"))
            await gateway.until_state("one", "starting")
            await gateway.patch(servers={"one": {"args": new.entry()["args"]}})

        assert call.result() == "new"
        await eventually(lambda: old.running() == [])


async def test_call_that_waits_for_a_server_which_is_removed_says_so(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server}, profiles=PROFILES)) as gateway:
        await gateway.until_listed("one")
        server.change(start=[["until", "never"]])
        await gateway.restart()
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call("one__echo"))
            await gateway.until_state("one", "starting")
            await gateway.patch(servers={"one": None})

        outcome = call.result().json()
        assert "error" in outcome or outcome["result"]["isError"]
        await eventually(lambda: server.running() == [])


async def test_read_only_call_in_flight_does_not_start_a_server_again_while_the_gateway_stops(
    home: Path, servers: Servers
) -> None:
    server = servers.make(tools=[READ], calls={"read": [["touch", "came"], ["until", "never"]]})
    async with running_gateway(home, config_of({"one": server}, profiles=PROFILES)) as gateway:
        client = await connected(gateway)
        call = asyncio.create_task(client.call("one__read"))
        await eventually(lambda: server.has_passed("came"))
        await gateway.stop()
        await asyncio.wait([call])
        call.exception()

    assert server.starts == 1
