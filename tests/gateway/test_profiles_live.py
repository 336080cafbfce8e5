"""Which tools a client has, asked over HTTP: by address, header, rule or default, and anew for each request."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.http import Answer
from tests.fixtures.servers import ScriptedServer, Servers, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest.fixture(scope="module")
def server(module_servers: Servers) -> ScriptedServer:
    tools = [tool("echo"), tool("hidden"), tool("a.b c", description="odd"), tool("x" * 80)]
    return module_servers.make(tools=tools, instructions='"Ask one thing at a time."')


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(
    server: ScriptedServer, module_servers: Servers, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningGateway]:
    profiles = {
        "work": {"servers": ["one"], "exclude": ["ONE.hid*"]},
        "slim": {"include": ["one.echo", "two.*"], "overrides": {"one.echo": {"name": "say", "description": "Say."}}},
        "nothing": {},
    }
    servers = {
        "one": server.entry(),
        "two": module_servers.make().entry(),
        "off": module_servers.make().entry(enabled=False),
    }
    rules = [{"match": "slim*", "profile": "slim"}, {"match": "wait*", "profile": None}]
    document = config_of(servers, profiles=profiles, defaultProfile="work", clients=rules)
    async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
        await running.until_listed("one", "two")
        yield running


async def call_of(client: McpClient, name: str) -> Answer:
    return await client.call(name, '{"a":1}')


async def test_excluded_tool_answers_byte_for_byte_like_an_unknown_one(gateway: RunningGateway) -> None:
    client = await connected(gateway)
    excluded, unknown = await call_of(client, "one__hidden"), await call_of(client, "one__absent")

    assert excluded.body.replace(b"one__hidden", b"one__absent") == unknown.body
    assert (excluded.status, excluded.headers) == (unknown.status, unknown.headers)
    assert json.loads(excluded.body)["error"] == {"code": -32602, "message": "Unknown tool: one__hidden"}


async def test_tool_of_another_profile_or_a_disabled_server_answers_like_an_unknown_one(
    gateway: RunningGateway,
) -> None:
    client = await connected(gateway)
    names = ("one__hidden", "two__echo", "off__echo", "one.hidden")
    bodies = {(await call_of(client, name)).body.replace(name.encode(), b"X") for name in names}

    assert len(bodies) == 1


async def test_excluded_tool_is_not_listed(gateway: RunningGateway) -> None:
    names = await (await connected(gateway)).tool_names()

    assert names[:2] == ["one__echo", "one__a_b_c"]
    assert len(names) == 3 and len(names[2]) == 64


async def test_listed_names_are_the_ones_that_can_be_called(gateway: RunningGateway) -> None:
    client = await connected(gateway)

    asked = [json.loads(await client.text(name))["params"]["name"] for name in await client.tool_names()]
    assert asked == ["echo", "a.b c", "x" * 80]


async def test_override_is_the_whole_name_and_description(gateway: RunningGateway) -> None:
    client = await connected(gateway, "/mcp/slim")
    tools = (await client.request("tools/list")).json()["result"]["tools"]

    assert [(one["name"], one.get("description")) for one in tools] == [("say", "Say."), ("two__echo", None)]
    assert await client.text("say")
    assert (await call_of(client, "one__echo")).json()["error"]["code"] == -32602


@pytest.mark.parametrize(
    ("target", "headers", "name", "profile"),
    [
        ("/mcp/slim", {}, "x", "slim"),
        ("/mcp/SLIM", {}, "x", "slim"),
        ("/w/slim/mcp", {}, "x", "slim"),
        ("/mcp/slim?client=wait", {"X-Switchboard-Profile": "work"}, "wait", "slim"),
        ("/mcp", {"X-Switchboard-Profile": "slim"}, "wait", "slim"),
        ("/mcp", {"x-switchboard-profile": " Slim "}, "x", "slim"),
        ("/mcp", {}, "SLIM-ai", "slim"),
        ("/mcp?client=slim-1", {}, "wait", "slim"),
        ("/mcp?client=other", {}, "slim", "work"),
        ("/mcp?other=slim", {}, "x", "work"),
        ("/mcp", {}, "x", "work"),
        ("/mcp", {}, "waiting", None),
        ("/mcp/nothing", {}, "x", None),
    ],
)
async def test_profile_is_by_address_then_header_then_rule_then_default(
    gateway: RunningGateway, target: str, headers: dict[str, str], name: str, profile: str | None
) -> None:
    client = McpClient(gateway, target, headers)
    await client.initialize(name)

    first = {"slim": ["say"], "work": ["one__echo"], None: []}[profile]
    assert (await client.tool_names())[:1] == first


@pytest.mark.parametrize(
    ("target", "headers", "near"),
    [
        ("/mcp/wrok", {}, "work"),
        ("/w/slimm/mcp", {}, "slim"),
        ("/mcp", {"X-Switchboard-Profile": "wrk"}, "work"),
        ("/mcp/zzz", {}, "switchboard profile list"),
        ("/mcp/%20", {}, "switchboard profile list"),
    ],
)
async def test_unknown_profile_is_404_with_a_json_rpc_error_and_near_names(
    gateway: RunningGateway, target: str, headers: dict[str, str], near: str
) -> None:
    client = McpClient(gateway, target, headers)
    answers = [await client.initialize(), await client.request("tools/list"), await client.delete()]
    async with client.stream() as reply:
        answers.append(await reply.whole())

    assert [answer.status for answer in answers] == [404] * 4
    for answer in answers:
        error = answer.json()
        assert (error["jsonrpc"], error["id"]) == ("2.0", None)
        assert near in error["error"]["message"]


async def test_instructions_say_how_to_use_the_surface_then_what_the_servers_say(gateway: RunningGateway) -> None:
    said = (await McpClient(gateway).initialize()).json()["result"]["instructions"]

    assert said.startswith("Switchboard gives you the tools of several servers")
    assert said.endswith("one: Ask one thing at a time.")


async def test_every_call_is_checked_against_the_profile_of_now(
    gateway: RunningGateway, server: ScriptedServer
) -> None:
    client = await connected(gateway, "/mcp/slim")
    calls = len(server.received("tools/call"))
    assert await client.text("say")
    await gateway.patch(profiles={"slim": {"exclude": ["one.*"]}})
    refused = await call_of(client, "say")
    await gateway.patch(profiles={"slim": {"exclude": None}})

    assert refused.json()["error"]["code"] == -32602
    assert await client.text("say")
    assert len(server.received("tools/call")) == calls + 2


async def test_call_that_was_let_in_ends_although_its_tool_is_excluded_meanwhile(
    gateway: RunningGateway, server: ScriptedServer
) -> None:
    server.change(calls={"echo": [["touch", "came"], ["until", "go"], ["echo"]]})
    client = await connected(gateway, "/mcp/slim")
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(call_of(client, "say"))
        await eventually(lambda: server.has_passed("came"))
        await gateway.patch(profiles={"slim": {"exclude": ["one.*"]}})
        server.open_gate("go")
    await gateway.patch(profiles={"slim": {"exclude": None}})

    assert "result" in call.result().json()


async def test_profile_that_is_removed_is_404_for_its_clients_and_back_when_it_returns(gateway: RunningGateway) -> None:
    profile: dict[str, Any] = {"servers": ["one"]}
    await gateway.patch(profiles={"brief": profile})
    client = await connected(gateway, "/mcp/brief")
    await gateway.patch(profiles={"brief": None})
    gone = await client.request("tools/list")
    await gateway.patch(profiles={"brief": profile})

    assert gone.status == 404
    assert "one__hidden" in await client.tool_names()
