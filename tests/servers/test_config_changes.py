"""What an edit of the config does to servers that run: only what it must (docs/servers.md)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, text, tool
from tests.fixtures.waiting import eventually


@pytest.mark.parametrize(
    "change", [{"description": "For echoes."}, {"idleTimeoutSec": 50}, {"callTimeoutSec": 50}, {"startTimeoutSec": 50}]
)
async def test_edit_that_a_running_process_can_take_over_leaves_it_alone(
    home: Path, servers: Servers, change: dict[str, Any]
) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        pid = (await gateway.server("one"))["pid"]
        await gateway.patch(servers={"one": change})
        await client.text("one__echo")

        assert (await gateway.server("one"))["pid"] == pid
    assert server.starts == 1


@pytest.mark.parametrize("change", [{"env": {"A": "1"}}, {"cwd": "/"}])
async def test_edit_of_how_a_server_starts_ends_it_and_the_next_call_starts_it_anew(
    home: Path, servers: Servers, change: dict[str, Any]
) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        await gateway.patch(servers={"one": change})
        first, *_ = server.pids()
        await eventually(lambda: first not in server.running())
        assert await client.tool_names() == ["one__echo"]
        await client.text("one__echo")

        assert (await gateway.server("one"))["pid"] == server.pids()[-1] != first


async def test_edit_of_the_command_lists_the_new_servers_tools(home: Path, servers: Servers) -> None:
    old, new = servers.make(tools=[tool("old")]), servers.make(tools=[tool("new")])
    async with running_gateway(home, config_of({"one": old})) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            await gateway.patch(servers={"one": {"args": new.entry()["args"]}})
            told = await stream.event()
        await gateway.until_listed("one")

        assert told["method"] == "notifications/tools/list_changed"
        assert await client.tool_names() == ["one__new"]
        await eventually(lambda: not old.running())


async def test_disabled_server_is_ended_and_gives_no_tools(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        await gateway.patch(servers={"one": {"enabled": False}})
        await eventually(lambda: not server.running())
        off, shown = await client.tool_names(), await gateway.server("one")
        await gateway.patch(servers={"one": {"enabled": True}})

        assert (off, shown["state"]) == ([], "disabled")
        assert await client.text("one__echo")


async def test_removed_server_is_ended_with_its_calls(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["touch", "came"], ["until", "never"]]})
    profiles = {"all": {"include": ["one.*"]}}
    async with running_gateway(home, config_of({"one": server}, profiles=profiles)) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call("one__echo"))
            await eventually(lambda: server.has_passed("came"))
            await gateway.patch(servers={"one": None})
        await eventually(lambda: not server.running())

        assert call.result().json()["result"]["isError"]
        assert await client.tool_names() == []
        assert (await gateway.api("GET", "/servers/one")).status == 404


async def test_added_server_is_listed_without_a_restart(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({})) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            await gateway.patch(servers={"one": server.entry()}, profiles={"all": {"servers": ["one"]}})
            await stream.event()

        assert await client.tool_names() == ["one__echo"]


async def test_edit_during_a_start_leaves_one_process(home: Path, servers: Servers) -> None:
    server = servers.make(start=[["until", "go"]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await eventually(lambda: server.starts)
        for number in range(5):
            await gateway.patch(servers={"one": {"env": {"A": str(number)}}})
        server.open_gate("go")

        assert await (await connected(gateway)).text("one__echo")
        await eventually(lambda: len(server.running()) == 1)


@pytest.mark.parametrize("before", [600, 0])
async def test_shorter_idle_time_holds_for_a_server_that_runs(home: Path, servers: Servers, before: int) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=before)})) as gateway:
        await (await connected(gateway)).text("one__echo")
        await gateway.patch(servers={"one": {"idleTimeoutSec": 0.1}})

        await gateway.until_state("one", "stopped")


async def test_restart_ends_the_process_and_reads_the_list_of_a_new_one(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        server.change(tools=[tool("echo"), tool("more")])
        answer = (await gateway.api("POST", "/servers/one/restart")).json()

        assert (answer["state"], answer["toolNames"]) == ("ready", ["echo", "more"])
        assert server.running() == [answer["pid"]]
    assert server.starts == 2


async def test_call_that_a_restart_meets_is_told_and_one_that_comes_meanwhile_waits(
    home: Path, servers: Servers
) -> None:
    server = servers.make(
        tools=[tool("echo"), tool("slow")], calls={"slow": [["touch", "came"], ["until", "never"], text("x")]}
    )
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            met = tasks.create_task(client.call("one__slow", request_id="1"))
            await eventually(lambda: server.has_passed("came"))
            tasks.create_task(gateway.api("POST", "/servers/one/restart"))
            # The restart has begun when the call it met is answered.
            await met
            later = tasks.create_task(client.text("one__echo"))

    assert met.result().json()["result"]["isError"]
    assert later.result()
