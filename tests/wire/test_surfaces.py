"""Every surface over the wire, in both eras: what is listed, and that a call through it is the call itself."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from typing import Any

import pytest
import pytest_asyncio

from tests.fixtures.clients import McpClient, ModernClient, connected
from tests.fixtures.gateway import DEMO, RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, error, progress, result, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

RESULTS = {
    "picture": '{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png","annotations":{"a":1}}]}',
    "structured": '{"content":[],"structuredContent":{"n":1180591620717411303424,"f":1.50,"z":null}}',
    "odd": '{"content":[{"type":"hologram","x":[1e3]}],"unknown":{"k":"\\ud83d"},"_meta":{"a/b":true}}',
    "failing": '{"content":[{"type":"text","text":"no such thing"}],"isError":true}',
    "link": '{"content":[{"type":"resource_link","uri":"x://1","name":"n"},{"type":"audio","data":"","mimeType":"a/b"}]}',
}
CALLS = {
    **{name: [result(raw)] for name, raw in RESULTS.items()},
    "refusing": [error('{"code":-32050,"message":"not today","data":{"x":[1]}}')],
}
SURFACES = ("passthrough", "meta", "compact", "apps", "auto")
OWN = {
    "meta": ["search_tools", "get_schema", "call_tool"],
    "compact": ["search_tools", "call_tool"],
    "apps": ["demo", "rich"],
}


@pytest.fixture(scope="module")
def rich(module_servers: Servers) -> ScriptedServer:
    needy = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
    return module_servers.make(
        tools=[
            *(tool(name, description=f"Gives the {name} one.") for name in (*RESULTS, "refusing", "slow", "secret")),
            tool("needy", inputSchema=needy),
        ],
        calls=CALLS,
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(rich: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    document = config_of({"demo": DEMO, "rich": rich, "off": rich.entry(enabled=False)}, defaultProfile="meta")
    every = {"servers": ["demo", "rich", "off"], "exclude": ["rich.secret"]}
    document["profiles"] = {surface: {**every, "surface": surface} for surface in SURFACES}
    document["profiles"]["auto"]["autoThreshold"] = 5
    async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
        await running.until_listed("demo", "rich")
        yield running


def through(surface: str, tool: str, arguments: Any) -> tuple[str, dict[str, Any]]:
    """The tool to call on a surface for a tool of `rich`, and its arguments."""
    if surface == "passthrough":
        return f"rich__{tool}", arguments
    if surface == "apps":
        return "rich", {"action": "call", "tool": tool, "arguments": arguments}
    return "call_tool", {"name": f"rich.{tool}", "arguments": arguments}


async def raw_answer(client: McpClient, name: str, arguments: Any) -> bytes:
    return (await client.call(name, json.dumps(arguments))).body


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("called", [*RESULTS, "refusing"])
async def test_answer_is_the_tools_own_to_the_byte(gateway: RunningGateway, surface: str, called: str) -> None:
    direct = await connected(gateway, "/b/passthrough/mcp")
    client = await connected(gateway, f"/mcp/{surface}")
    arguments = {"a": [1, "\ud83d"]}

    name, sent = through(surface, called, arguments)
    assert await raw_answer(client, name, sent) == await raw_answer(direct, f"rich__{called}", arguments)


@pytest.mark.parametrize("surface", SURFACES)
async def test_both_eras_list_and_call(gateway: RunningGateway, surface: str) -> None:
    old, new = await connected(gateway, f"/mcp/{surface}"), ModernClient(gateway, f"/w/{surface}/mcp")
    listed = (await new.request("tools/list"))["result"]["tools"]
    name, sent = through(surface, "structured", {})
    answer = (await new.request("tools/call", name=name, arguments=sent))["result"]
    hello = (await new.request("server/discover"))["result"]

    names = [one["name"] for one in listed]
    assert names == await old.tool_names()
    assert names == OWN.get({"auto": "meta"}.get(surface, surface), names) and len(names) in (2, 3, 19)
    assert answer["structuredContent"] == json.loads(RESULTS["structured"])["structuredContent"]
    assert hello["instructions"].count("\n") >= 1 and hello["instructions"].startswith("Switchboard gives you")


@pytest.mark.parametrize("surface", ["meta", "compact"])
async def test_search_finds_and_a_miss_names_what_could_not_be_searched(gateway: RunningGateway, surface: str) -> None:
    client = await connected(gateway, f"/mcp/{surface}")

    assert (await client.text("search_tools", '{"query":"picture"}')).count("rich.picture") == 1
    assert "demo.add_note" in await client.text("search_tools", '{"query":"write a note down"}')
    missed = await client.text("search_tools", '{"query":"secret"}')
    assert missed.startswith("No match for 'secret' among 19 tools of 2 servers.") and "rich.secret" not in missed
    assert missed.endswith("Not searched: off (it is switched off)")


@pytest.mark.parametrize("surface", ["passthrough", "meta", "compact", "apps"])
async def test_tool_outside_the_profile_reads_like_none_and_leaves_a_trace(
    gateway: RunningGateway, surface: str
) -> None:
    client = await connected(gateway, f"/mcp/{surface}")

    hidden, absent = [await raw_answer(client, *through(surface, name, {})) for name in ("secret", "secrex")]
    assert hidden.replace(b"secret", b"x") == absent.replace(b"secrex", b"x")
    if surface == "passthrough":
        assert json.loads(hidden)["error"]["code"] == -32602
    else:
        assert json.loads(hidden)["result"]["isError"] is True
    assert len(await eventually(lambda: rows if len(rows := refused(gateway, surface)) == 2 else None)) == 2


def refused(gateway: RunningGateway, profile: str) -> list[str]:
    """The tools outside the profile that somebody asked for."""
    query = "SELECT tool FROM calls WHERE profile = ? AND status = 'refused' AND tool LIKE '%secre%'"
    with closing(sqlite3.connect(gateway.paths.audit)) as database:
        return [name for (name,) in database.execute(query, (profile,))]


@pytest.mark.parametrize("surface", ["meta", "compact", "apps"])
async def test_wrong_arguments_are_told_and_do_not_reach_the_server(
    gateway: RunningGateway, rich: ScriptedServer, surface: str
) -> None:
    client = await connected(gateway, f"/mcp/{surface}")
    before = len(rich.received("tools/call"))
    answer = json.loads(await raw_answer(client, *through(surface, "needy", {"title": 5})))["result"]

    assert answer["isError"] is True
    assert "title: expected string, got 5" in answer["content"][0]["text"]
    assert "rich.needy(" in answer["content"][0]["text"]
    assert len(rich.received("tools/call")) == before


@pytest.mark.parametrize("surface", ["meta", "compact", "apps"])
async def test_progress_and_cancellation_go_through(
    gateway: RunningGateway, rich: ScriptedServer, surface: str
) -> None:
    client = await connected(gateway, f"/mcp/{surface}")
    gate = f"gate-{surface}"
    rich.change(calls={**CALLS, "slow": [progress('"progress":1,"extra":"x"'), ["until", gate], text("late")]})
    name, sent = through(surface, "slow", {})
    params = json.dumps({"name": name, "arguments": sent, "_meta": {"progressToken": "t"}})
    calls, before = len(rich.received("tools/call")), len(rich.received("notifications/cancelled"))
    async with asyncio.TaskGroup() as tasks:
        call = tasks.create_task(client.request("tools/call", params, request_id='"c"'))
        await eventually(lambda: len(rich.received("tools/call")) > calls)
        await client.notify("notifications/cancelled", '{"requestId":"c"}')
    notice = await eventually(lambda: rich.received("notifications/cancelled")[before:])
    rich.open_gate(gate)

    told = [json.loads(event) for event in call.result().events()]
    assert len(notice) == 1
    assert [one["params"] for one in told if one.get("method") == "notifications/progress"] in (
        [],
        [{"progressToken": "t", "progress": 1, "extra": "x"}],
    )


async def test_server_address_gives_that_server_alone_and_within_the_profile(gateway: RunningGateway) -> None:
    old, new = await connected(gateway, "/s/Rich/mcp"), ModernClient(gateway, "/s/rich/mcp")
    names = await old.tool_names()
    answer = (await new.request("tools/call", name="rich__failing", arguments={}))["result"]
    told = [await McpClient(gateway, f"/s/{name}/mcp").request("tools/list") for name in ("off", "nowhere")]

    assert names == [f"rich__{one}" for one in (*RESULTS, "refusing", "slow", "needy")]
    assert [one["name"] for one in (await new.request("tools/list"))["result"]["tools"]] == names
    assert answer["content"] == json.loads(RESULTS["failing"])["content"]
    assert (await old.call("demo__list_notes")).json()["error"]["code"] == -32602
    assert {one.status for one in told} == {404}
    assert told[0].body.replace(b"off", b"x") == told[1].body.replace(b"nowhere", b"x")


async def test_bundle_is_flat_whatever_the_surface(gateway: RunningGateway) -> None:
    for surface in SURFACES:
        client = await connected(gateway, f"/b/{surface}/mcp")
        assert len(await client.tool_names()) == 19


async def test_each_definition_says_enough_to_be_called(gateway: RunningGateway) -> None:
    for surface in ("meta", "compact", "apps"):
        for one in (await ModernClient(gateway, f"/mcp/{surface}").request("tools/list"))["result"]["tools"]:
            assert one["description"] and one["inputSchema"]["type"] == "object"
            assert set(one["inputSchema"]["required"]) <= set(one["inputSchema"]["properties"])

