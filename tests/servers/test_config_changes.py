"""What an edit of the config does to servers that run: only what it must (docs/servers.md)."""

import asyncio
import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest
import pytest_asyncio

from tests.fixtures.clients import connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

Add = Callable[..., Awaitable[str]]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    async with running_gateway(tmp_path_factory.mktemp("home"), config_of({})) as running:
        yield running


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count()


@pytest_asyncio.fixture(loop_scope="module")
async def add(gateway: RunningGateway, servers: Servers, numbers: Iterator[int]) -> AsyncIterator[Add]:
    """Puts a server into the config, and a profile of the same name that has it; both are removed at the end."""
    added: dict[str, ScriptedServer] = {}

    async def add_server(server: ScriptedServer, **keys: Any) -> str:
        name = f"s{next(numbers)}"
        added[name] = server
        await gateway.patch(servers={name: server.entry(**keys)}, profiles={name: {"include": [f"{name}.*"]}})
        return name

    yield add_server
    await gateway.patch(servers=dict.fromkeys(added), profiles=dict.fromkeys(added))
    await eventually(lambda: not any(server.running() for server in added.values()))


@pytest.mark.parametrize(
    "change", [{"description": "For echoes."}, {"idleTimeoutSec": 50}, {"callTimeoutSec": 50}, {"startTimeoutSec": 50}]
)
async def test_edit_that_a_running_process_can_take_over_leaves_it_alone(
    gateway: RunningGateway, servers: Servers, add: Add, change: dict[str, Any]
) -> None:
    name = await add(server := servers.make())
    client = await connected(gateway, f"/mcp/{name}")
    await client.text(f"{name}__echo")
    await gateway.patch(servers={name: change})
    await client.text(f"{name}__echo")

    assert server.starts == 1


@pytest.mark.parametrize("change", [{"env": {"A": "1"}}, {"cwd": "/"}])
async def test_edit_of_how_a_server_starts_ends_it_and_the_next_call_starts_it_anew(
    gateway: RunningGateway, servers: Servers, add: Add, change: dict[str, Any]
) -> None:
    name = await add(server := servers.make())
    client = await connected(gateway, f"/mcp/{name}")
    await client.text(f"{name}__echo")
    await gateway.patch(servers={name: change})
    first, *_ = server.pids()
    await eventually(lambda: first not in server.running())
    assert await client.tool_names() == [f"{name}__echo"]
    await client.text(f"{name}__echo")

    assert (await gateway.server(name))["pid"] == server.pids()[-1] != first


async def test_edit_of_the_command_lists_the_new_servers_tools(
    gateway: RunningGateway, servers: Servers, add: Add
) -> None:
    old, new = servers.make(tools=[tool("old")]), servers.make(tools=[tool("new")])
    name = await add(old)
    client = await connected(gateway, f"/mcp/{name}")
    async with client.stream() as stream:
        await gateway.patch(servers={name: {"args": new.entry()["args"]}})
        told = await stream.event()
    await gateway.until_listed(name)

    assert told["method"] == "notifications/tools/list_changed"
    assert await client.tool_names() == [f"{name}__new"]
    await eventually(lambda: not old.running())
    await gateway.patch(servers={name: None})
    await eventually(lambda: not new.running())


async def test_disabled_server_is_ended_and_gives_no_tools(gateway: RunningGateway, servers: Servers, add: Add) -> None:
    name = await add(server := servers.make())
    client = await connected(gateway, f"/mcp/{name}")
    await client.text(f"{name}__echo")
    await gateway.patch(servers={name: {"enabled": False}})
    await eventually(lambda: not server.running())
    off, shown = await client.tool_names(), await gateway.server(name)
    await gateway.patch(servers={name: {"enabled": True}})

    assert (off, shown["state"]) == ([], "disabled")
    assert await client.text(f"{name}__echo")


async def test_removed_server_is_ended_with_its_calls(gateway: RunningGateway, servers: Servers, add: Add) -> None:
    name = await add(server := servers.make(calls={"echo": [["touch", "came"], ["until", "never"]]}))
    client = await connected(gateway, f"/mcp/{name}")
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.call(f"{name}__echo"))
        await eventually(lambda: server.has_passed("came"))
        await gateway.patch(servers={name: None})
    await eventually(lambda: not server.running())

    assert call.result().json()["result"]["isError"]
    assert await client.tool_names() == []
    assert (await gateway.api("GET", f"/servers/{name}")).status == 404


async def test_added_server_is_listed_without_a_restart(gateway: RunningGateway, servers: Servers, add: Add) -> None:
    name = await add(servers.make())

    assert await (await connected(gateway, f"/mcp/{name}")).tool_names() == [f"{name}__echo"]


async def test_edits_during_a_start_leave_one_process(gateway: RunningGateway, servers: Servers, add: Add) -> None:
    name = await add(server := servers.make(start=[["until", "go"]]))
    await eventually(lambda: server.starts)
    for number in range(5):
        await gateway.patch(servers={name: {"env": {"A": str(number)}}})
    server.open_gate("go")

    assert await (await connected(gateway, f"/mcp/{name}")).text(f"{name}__echo")
    await eventually(lambda: len(server.running()) == 1)


@pytest.mark.parametrize("before", [600, 0])
async def test_shorter_idle_time_holds_for_a_server_that_runs(
    gateway: RunningGateway, servers: Servers, add: Add, before: int
) -> None:
    name = await add(servers.make(), idleTimeoutSec=before)
    await (await connected(gateway, f"/mcp/{name}")).text(f"{name}__echo")
    await gateway.patch(servers={name: {"idleTimeoutSec": 0.1}})

    await gateway.until_state(name, "stopped")


async def test_restart_ends_the_process_and_reads_the_list_of_a_new_one(
    gateway: RunningGateway, servers: Servers, add: Add
) -> None:
    name = await add(server := servers.make())
    await (await connected(gateway, f"/mcp/{name}")).text(f"{name}__echo")
    server.change(tools=[tool("echo"), tool("more")])
    answer = (await gateway.api("POST", f"/servers/{name}/restart")).json()

    assert (answer["state"], answer["toolNames"]) == ("ready", ["echo", "more"])
    assert server.running() == [answer["pid"]]
    assert server.starts == 2


async def test_call_that_a_restart_meets_is_told_and_one_that_comes_meanwhile_waits(
    gateway: RunningGateway, servers: Servers, add: Add
) -> None:
    slow = [["touch", "came"], ["until", "never"], text("x")]
    name = await add(server := servers.make(tools=[tool("echo"), tool("slow")], calls={"slow": slow}))
    client = await connected(gateway, f"/mcp/{name}")
    async with asyncio.TaskGroup() as tasks:
        met = tasks.create_task(client.call(f"{name}__slow", request_id="1"))
        await eventually(lambda: server.has_passed("came"))
        tasks.create_task(gateway.api("POST", f"/servers/{name}/restart"))
        # The restart has begun when the call it met is answered.
        await met
        later = tasks.create_task(client.text(f"{name}__echo"))

    assert met.result().json()["result"]["isError"]
    assert later.result()
