"""Who is told that its list of tools changed, and when: by what its address lists (docs/profiles.md)."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from switchboard_tray.gateway import hub
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import LIST_CHANGED, ScriptedServer, Servers, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
TOOLS = [tool("echo"), tool("other")]


@pytest.fixture(scope="module")
def numbers() -> Iterator[int]:
    return itertools.count()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(module_servers: Servers, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    document = config_of({"one": module_servers.make(tools=TOOLS)}, defaultProfile=None)
    async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
        await running.until_listed("one")
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def profile(gateway: RunningGateway, numbers: Iterator[int]) -> str:
    """A profile of this test's own, with both tools."""
    name = f"p{next(numbers)}"
    await gateway.patch(profiles={name: {"servers": ["one"]}})
    return name


async def exclude(gateway: RunningGateway, profile: str, *patterns: str) -> None:
    """Have a profile exclude exactly these."""
    await gateway.patch(profiles={profile: {"exclude": list(patterns)}})


async def told_until_its_end(client: McpClient, change: Awaitable[None] | None = None) -> list[Any]:
    """What comes on the stream of `client` while `change` happens, until the session is ended."""
    async with client.stream() as stream:
        if change is not None:
            await change
        await client.delete()
        return await stream.rest()


async def test_excluded_tool_is_announced_to_its_profile_and_to_no_other(gateway: RunningGateway, profile: str) -> None:
    concerned, other = await connected(gateway, f"/mcp/{profile}"), await connected(gateway, "/mcp/all")
    async with concerned.stream() as stream:
        told = await told_until_its_end(other, exclude(gateway, profile, "one.other"))

        assert await stream.event() == CHANGED
        assert await concerned.tool_names() == ["one__echo"]
    assert told == []


async def test_edit_that_leaves_the_list_as_it_was_is_not_announced(gateway: RunningGateway, profile: str) -> None:
    client = await connected(gateway, f"/mcp/{profile}")

    assert await told_until_its_end(client, exclude(gateway, profile, "one.nothing", "two.*")) == []


async def test_description_that_an_override_changes_is_announced(gateway: RunningGateway, profile: str) -> None:
    client = await connected(gateway, f"/mcp/{profile}")
    overrides = {"one.echo": {"description": "Say it again."}}

    told = await told_until_its_end(client, gateway.patch(profiles={profile: {"overrides": overrides}}))
    assert told == [CHANGED]


async def test_client_that_never_listed_is_not_told(gateway: RunningGateway, profile: str) -> None:
    client = McpClient(gateway, f"/mcp/{profile}")
    await client.initialize()

    assert await told_until_its_end(client, exclude(gateway, profile, "one.other")) == []


async def test_changes_that_were_missed_are_told_once_with_the_next_stream(
    gateway: RunningGateway, profile: str
) -> None:
    client = await connected(gateway, f"/mcp/{profile}")
    await exclude(gateway, profile, "one.other")
    await exclude(gateway, profile, "one.echo")
    async with client.stream() as stream:
        assert await stream.event() == CHANGED

    assert await told_until_its_end(client) == []


async def test_list_that_was_read_since_the_change_is_not_announced_again(
    gateway: RunningGateway, profile: str
) -> None:
    client = await connected(gateway, f"/mcp/{profile}")
    await exclude(gateway, profile, "one.other")
    assert await client.tool_names() == ["one__echo"]

    assert await told_until_its_end(client) == []


async def test_newest_of_two_streams_is_told_and_the_other_is_not(gateway: RunningGateway, profile: str) -> None:
    client = await connected(gateway, f"/mcp/{profile}")
    async with client.stream() as older, client.stream() as newer:
        await exclude(gateway, profile, "one.other")
        assert await newer.event() == CHANGED
        await client.delete()
        assert await older.rest() == []


async def test_waiting_client_is_told_the_moment_it_is_given_a_profile(gateway: RunningGateway, profile: str) -> None:
    client = McpClient(gateway)
    said = await client.initialize(name="new-ai")
    waiting = await client.tool_names()
    async with client.stream() as stream:
        await gateway.patch(clients=[{"match": "new-ai", "profile": profile}])

        assert await stream.event() == CHANGED
        assert await client.tool_names() == ["one__echo", "one__other"]
    assert "No profile is assigned" in said.json()["result"]["instructions"]
    assert waiting == []


async def test_client_that_is_switched_to_a_profile_with_the_same_list_is_not_told(
    gateway: RunningGateway, profile: str
) -> None:
    await gateway.patch(clients=[{"match": "same-ai", "profile": "all"}])
    client = await connected(gateway, name="same-ai")

    change = gateway.patch(clients=[{"match": "same-ai", "profile": profile}])
    assert await told_until_its_end(client, change) == []


# -- servers that change their lists, and gateways that stop -----------------------------------------------------------


@pytest.fixture
def server(servers: Servers) -> ScriptedServer:
    return servers.make(tools=TOOLS)


async def test_list_that_changed_while_the_gateway_was_off_is_told_with_the_first_stream(
    home: Path, server: ScriptedServer
) -> None:
    profiles = {"a": {"servers": ["one"]}, "b": {"servers": ["one"]}}
    async with running_gateway(home, config_of({"one": server}, profiles=profiles, defaultProfile="a")) as gateway:
        changed, same = await connected(gateway, "/mcp/a"), await connected(gateway, "/mcp/b")
        await gateway.stop()
        edited = gateway.paths.config.read_text().replace('"a": {', '"a": {"exclude": ["one.other"], ', 1)
        gateway.paths.config.write_text(edited)
        await gateway.start()

        assert await told_until_its_end(changed) == [CHANGED]
        assert await told_until_its_end(same) == []


async def test_change_that_was_missed_before_a_restart_is_told_after_it(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await exclude(gateway, "all", "one.other")
        await gateway.restart()

        assert await told_until_its_end(client) == [CHANGED]


async def test_tool_that_a_server_adds_while_it_runs_is_announced_and_listed(
    home: Path, server: ScriptedServer
) -> None:
    server.change(calls={"other": [LIST_CHANGED, LIST_CHANGED, text("grown")]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            server.change(tools=[*TOOLS, tool("third")])
            await client.call("one__other")

            assert await stream.event() == CHANGED
            assert await client.tool_names() == ["one__echo", "one__other", "one__third"]


async def test_server_that_says_its_list_changed_when_it_did_not_is_not_passed_on(
    home: Path, server: ScriptedServer
) -> None:
    server.change(calls={"other": [LIST_CHANGED, text("same")]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)

        async def change() -> None:
            before = len(server.received("tools/list"))
            await client.call("one__other")
            await eventually(lambda: len(server.received("tools/list")) > before)
            await client.text("one__echo")

        assert await told_until_its_end(client, change()) == []


async def test_gateway_that_stops_ends_every_stream(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            await gateway.stop()

            assert await stream.rest() == []


async def test_profile_that_grows_over_its_threshold_and_back_is_announced_once_each_way(
    module_servers: Servers, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "HOLD_S", 0.0)
    few, many = ([tool(f"t{number}") for number in range(count)] for count in (40, 41))
    server = module_servers.make(tools=few)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        client = await connected(gateway)
        counts = [len(await client.tool_names())]
        async with client.stream() as stream:
            for tools in (many, few):
                server.change(tools=tools)
                await gateway.api("POST", "/servers/one/refresh", {})
                assert await stream.event() == CHANGED
                counts.append(len(await client.tool_names()))
            await client.delete()
            left = await stream.rest()

    assert (counts, left) == ([40, 3, 40], [])
