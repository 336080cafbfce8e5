"""Servers that not everyone shares: a process for each profile, or for each client (docs/servers.md, "Isolation")."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, result
from tests.fixtures.waiting import eventually

PROFILES = {name: {"servers": ["one"]} for name in ("all", "other")}


def server_of(servers: Servers) -> ScriptedServer:
    return servers.make(calls={"echo": [["environment"]]})


def config(server: ScriptedServer, isolation: str, **keys: Any) -> dict[str, Any]:
    return config_of({"one": server.entry(isolation=isolation, **keys)}, profiles=PROFILES)


async def processes(gateway: RunningGateway) -> list[str]:
    """Whom the processes of the server are for, of those that run."""
    shown = await gateway.server("one")
    return [one["for"] for one in shown["otherProcesses"] if one["state"] == "ready"]


async def call(client: McpClient) -> None:
    answer = (await client.call("one__echo")).last()
    assert not answer["result"].get("isError"), answer


async def test_shared_server_has_one_process_for_all(home: Path, servers: Servers) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "shared")) as gateway:
        for target in ("/mcp", "/mcp/other", "/mcp"):
            await call(await connected(gateway, target))

    assert server.starts == 1


async def test_each_profile_has_its_process_which_its_clients_share(home: Path, servers: Servers) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "profile")) as gateway:
        await gateway.until_listed("one")
        for target in ("/mcp", "/mcp/other", "/mcp/other", "/mcp/all"):
            await call(await connected(gateway, target))
        scopes = await processes(gateway)

    # And one that was started for the list alone.
    assert (scopes, server.starts) == (["profile all", "profile other"], 3)
    assert server.running() == []


async def test_each_client_has_its_process_by_its_name_whatever_its_session_and_profile(
    home: Path, servers: Servers
) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "client")) as gateway:
        await gateway.until_listed("one")
        named = [("/mcp", "ai"), ("/mcp", "other-ai"), ("/mcp", "ai"), ("/mcp?client=desk", "ai"), ("/mcp/other", "ai")]
        for target, name in named:
            await call(await connected(gateway, target, name))
        scopes = await processes(gateway)

    assert scopes == ["client ai", "client other-ai", "client desk"] and server.starts == 4
    assert server.running() == []


async def test_process_of_a_client_ends_when_it_is_idle_and_is_forgotten(home: Path, servers: Servers) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "client", idleTimeoutSec=0.2)) as gateway:
        first = await connected(gateway, name="first")
        await call(first)
        await eventually(lambda: server.running() == [])
        others = iter(range(1000))

        async def is_forgotten() -> bool:
            # That a worker rests is noticed when another one is made.
            await call(await connected(gateway, name=f"other-{next(others)}"))
            shown = await gateway.server("one")
            return all(one["for"] != "client first" for one in shown["otherProcesses"])

        await eventually(is_forgotten)
        await call(first)


async def test_state_of_one_client_is_not_seen_by_another(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["touch", "came"], ["until", "go"], result('{"content":[]}')]})
    async with running_gateway(home, config(server, "client")) as gateway:
        one, other = await connected(gateway, name="one"), await connected(gateway, name="other")
        async with asyncio.TaskGroup() as tasks:
            for number, client in enumerate((one, other)):
                tasks.create_task(client.call("one__echo", json.dumps({"n": number})))
            await eventually(lambda: len(server.received("tools/call")) == 2)
            scopes = await processes(gateway)
            server.open_gate("go")

    assert len(set(scopes)) == 2


@pytest.mark.parametrize("edit", [{"env": {"A": "1"}}, {"isolation": "shared"}, {"enabled": False}, None])
async def test_edit_ends_every_process_of_the_server(
    home: Path, servers: Servers, edit: dict[str, Any] | None
) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "client")) as gateway:
        clients = [await connected(gateway, name=name) for name in ("one", "other")]
        await asyncio.gather(*(call(client) for client in clients))
        old = server.running()
        await gateway.patch(servers={"one": edit}, profiles={} if edit else {"all": {"servers": []}, "other": None})

        await eventually(lambda: not set(old) & set(server.running()))
    assert len(old) >= 2


async def test_restart_ends_every_process_of_the_server(home: Path, servers: Servers) -> None:
    server = server_of(servers)
    async with running_gateway(home, config(server, "profile")) as gateway:
        await call(await connected(gateway, "/mcp/other"))
        old = server.running()
        await gateway.api("POST", "/servers/one/restart")

        assert not set(old) & set(server.running())
