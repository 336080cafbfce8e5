"""Who is told that its list of tools changed, and when (docs/profiles.md): by what an address lists, never by what it is."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import LIST_CHANGED, ScriptedServer, Servers, text, tool
from tests.fixtures.waiting import eventually

CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
TWO_PROFILES = {"a": {"servers": ["one"]}, "b": {"servers": ["one"]}}


@pytest.fixture
def server(servers: Servers) -> ScriptedServer:
    return servers.make(tools=[tool("echo"), tool("other")])


def document(server: ScriptedServer, **keys: Any) -> Mapping[str, Any]:
    return config_of({"one": server}, **{"profiles": TWO_PROFILES, "defaultProfile": "a", **keys})


async def exclude(gateway: RunningGateway, profile: str, *patterns: str) -> None:
    """Have a profile exclude exactly these."""
    await gateway.patch(profiles={profile: {"exclude": list(patterns)}})


async def told_until_its_end(client: McpClient, change: Any) -> list[Any]:
    """What comes on the stream of `client` while `change` happens, until the session is ended."""
    async with client.stream() as stream:
        await change
        await client.delete()
        return await stream.rest()


async def test_excluded_tool_is_announced_to_its_profile_and_to_no_other(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        concerned, other = await connected(gateway, "/mcp/a"), await connected(gateway, "/mcp/b")
        async with concerned.stream() as stream:
            told = await told_until_its_end(other, exclude(gateway, "a", "one.other"))

            assert await stream.event() == CHANGED
            assert await concerned.tool_names() == ["one__echo"]
    assert told == []


async def test_edit_that_leaves_the_list_as_it_was_is_not_announced(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        told = await told_until_its_end(client, exclude(gateway, "a", "one.nothing", "two.*"))

    assert told == []


async def test_description_that_an_override_changes_is_announced(home: Path, server: ScriptedServer) -> None:
    overrides = {"one.echo": {"description": "Say it again."}}
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        told = await told_until_its_end(client, gateway.patch(profiles={"a": {"overrides": overrides}}))

    assert told == [CHANGED]


async def test_client_that_never_listed_is_not_told(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        await gateway.until_listed("one")
        client = McpClient(gateway)
        await client.initialize()
        told = await told_until_its_end(client, exclude(gateway, "a", "one.other"))

    assert told == []


async def test_changes_that_were_missed_are_told_once_with_the_next_stream(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        await exclude(gateway, "a", "one.other")
        await exclude(gateway, "a", "one.echo")
        async with client.stream() as stream:
            assert await stream.event() == CHANGED
        async with client.stream() as stream:
            await client.delete()
            assert await stream.rest() == []


async def test_list_that_was_read_since_the_change_is_not_announced_again(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        await exclude(gateway, "a", "one.other")
        assert await client.tool_names() == ["one__echo"]

        async with client.stream() as stream:
            await client.delete()
            assert await stream.rest() == []


async def test_list_that_changed_while_the_gateway_was_off_is_told_with_the_first_stream(
    home: Path, server: ScriptedServer
) -> None:
    async with running_gateway(home, document(server)) as gateway:
        changed, same = await connected(gateway, "/mcp/a"), await connected(gateway, "/mcp/b")
        await gateway.stop()
        edited = gateway.paths.config.read_text().replace('"a": {', '"a": {"exclude": ["one.other"], ', 1)
        gateway.paths.config.write_text(edited)
        await gateway.start()

        async with changed.stream() as stream:
            assert await stream.event() == CHANGED
        async with same.stream() as stream:
            await same.delete()
            assert await stream.rest() == []


async def test_change_that_was_missed_before_a_restart_is_told_after_it(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        await exclude(gateway, "a", "one.other")
        await gateway.restart()

        async with client.stream() as stream:
            await client.delete()
            assert await stream.rest() == [CHANGED]


async def test_newest_of_two_streams_is_told_and_the_other_is_not(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        async with client.stream() as older, client.stream() as newer:
            await exclude(gateway, "a", "one.other")
            assert await newer.event() == CHANGED
            await client.delete()
            assert await older.rest() == []


async def test_tool_that_a_server_adds_while_it_runs_is_announced_and_listed(
    home: Path, server: ScriptedServer
) -> None:
    grown = [LIST_CHANGED, LIST_CHANGED, text("grown")]
    server.change(calls={"other": grown})
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            server.change(tools=[tool("echo"), tool("other"), tool("third")])
            await client.call("one__other")

            assert await stream.event() == CHANGED
            assert await client.tool_names() == ["one__echo", "one__other", "one__third"]


async def test_server_that_says_its_list_changed_when_it_did_not_is_not_passed_on(
    home: Path, server: ScriptedServer
) -> None:
    server.change(calls={"other": [LIST_CHANGED, text("same")]})
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            before = len(server.received("tools/list"))
            await client.call("one__other")
            await eventually(lambda: len(server.received("tools/list")) > before)
            await client.text("one__echo")
            await client.delete()
            assert await stream.rest() == []


async def test_waiting_client_is_told_the_moment_it_is_given_a_profile(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server, defaultProfile=None)) as gateway:
        client = McpClient(gateway)
        said = await client.initialize(name="new-ai")
        waiting = await client.tool_names()
        async with client.stream() as stream:
            await gateway.patch(clients=[{"match": "new-ai", "profile": "a"}])

            assert await stream.event() == CHANGED
            assert await client.tool_names() == ["one__echo", "one__other"]
    assert "No profile is assigned" in said.json()["result"]["instructions"]
    assert waiting == []


async def test_client_that_is_switched_to_a_profile_with_the_same_list_is_not_told(
    home: Path, server: ScriptedServer
) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        told = await told_until_its_end(client, gateway.patch(defaultProfile="b"))

    assert told == []


async def test_gateway_that_stops_ends_every_stream(home: Path, server: ScriptedServer) -> None:
    async with running_gateway(home, document(server)) as gateway:
        client = await connected(gateway)
        async with client.stream() as stream:
            await gateway.stop()

            assert await stream.rest() == []
