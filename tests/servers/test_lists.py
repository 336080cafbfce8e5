"""Tool lists as servers give them: many pages, endless ones, broken tools; none hides the others (docs/servers.md)."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.clients import connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import Servers, say, tool


async def names_and_server(gateway: RunningGateway) -> tuple[list[str], dict[str, Any]]:
    names = await (await connected(gateway)).tool_names()
    return names, await gateway.server("one")


async def test_all_pages_of_a_list_are_read(home: Path, servers: Servers) -> None:
    server = servers.make(tools=[tool(f"t{number}") for number in range(25)], page=10)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        names, _ = await names_and_server(gateway)

    assert names == [f"one__t{number}" for number in range(25)]
    assert [asked["params"].get("cursor") for asked in server.received("tools/list")] == [None, "10", "20"]


@pytest.mark.parametrize(("cursors", "asked"), [("repeated", 2), ("endless", 1000)])
async def test_list_without_an_end_is_read_up_to_a_limit(
    home: Path, servers: Servers, cursors: str, asked: int
) -> None:
    server = servers.make(tools=[tool("a"), tool("b")], page=1, cursors=cursors)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        names, _ = await names_and_server(gateway)

    assert names == ["one__a", "one__b"]
    assert len(server.received("tools/list")) <= asked


BROKEN = {
    "not-an-object": "5",
    "no-name": '{"inputSchema":{"type":"object"}}',
    "empty-name": '{"name":"","inputSchema":{"type":"object"}}',
    "odd-schema": '{"name":"odd","inputSchema":{"type":"string"}}',
    "odd-description": '{"name":"odd","description":[1],"inputSchema":{"type":"object"}}',
    "same-name": tool("good"),
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN.keys())
async def test_broken_tool_is_set_aside_with_its_reason_and_hides_no_other(
    home: Path, servers: Servers, broken: str
) -> None:
    server = servers.make(tools=[tool("good"), broken, tool("also")])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        names, shown = await names_and_server(gateway)
        await gateway.restart()
        again, kept = await names_and_server(gateway)

    assert names == again == ["one__good", "one__also"]
    assert [bool(one["reason"]) for one in shown["quarantined"]] == [True]
    assert kept["quarantined"] == shown["quarantined"]


async def test_repaired_tool_is_offered_and_its_repair_shown(home: Path, servers: Servers) -> None:
    server = servers.make(tools=['{"name":"bare","title":null}'])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        listed = (await (await connected(gateway)).request("tools/list")).json()["result"]["tools"]
        shown = await gateway.server("one")

    assert listed == [{"name": "one__bare", "inputSchema": {"type": "object"}}]
    assert shown["repaired"][0]["name"] == "bare" and len(shown["repaired"][0]["repairs"]) == 2


async def test_definition_is_passed_on_as_it_was_written_but_for_its_name(home: Path, servers: Servers) -> None:
    schema = '{"type":"object","properties":{"n":{"maximum":1e40,"default":1.0,"const":1180591620717411303424}}}'
    rest = f'"description":"é \\u0000","inputSchema":{schema},"x-own":{{"a":[null]}},"_meta":{{"k":-0}}'
    server = servers.make(tools=[f'{{"name":"kept",{rest}}}'])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        body = (await (await connected(gateway)).request("tools/list")).body
        await gateway.restart()
        again = (await (await connected(gateway)).request("tools/list")).body

    assert body == again
    assert f'{{"name":"one__kept",{rest}}}'.encode() in body


async def test_lone_surrogates_in_a_list_break_nothing(home: Path, servers: Servers) -> None:
    half = r'{"name":"half","description":"\ud83d","inputSchema":{"type":"object","title":"\udcff"}}'
    server = servers.make(tools=[half, tool("good")], instructions=r'"half \ud83d"')
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        names, _ = await names_and_server(gateway)
        said = (await client.initialize()).json()["result"]["instructions"]
        shown = [await gateway.api("GET", path) for path in ("/tools", "/servers", "/profiles", "/status")]
        await gateway.restart()
        again, _ = await names_and_server(gateway)

    assert names == again == ["one__half", "one__good"]
    assert "half" in said
    assert [answer.status for answer in shown] == [200] * 4
    assert server.starts == 1


@pytest.mark.parametrize("answer", ['{"tools":5}', '{"tools":{}}', "[]", "{}", '{"tools":[],"nextCursor":5}'])
async def test_list_that_is_none_leaves_the_others_theirs(
    home: Path, servers: Servers, quick_fill: None, answer: str
) -> None:
    odd = servers.make(list=[say(f'{{"jsonrpc":"2.0","id":$ID,"result":{answer}}}'), ["until", "never"]])
    async with running_gateway(home, config_of({"odd": odd, "one": servers.make()})) as gateway:
        await gateway.until_listed("one")

        assert (await gateway.api("GET", "/servers")).status == 200
        assert (await (await connected(gateway)).text("one__echo"))


async def test_server_that_declares_no_tools_is_not_asked_for_any(home: Path, servers: Servers) -> None:
    server = servers.make(capabilities="{}")
    async with running_gateway(home, config_of({"one": server})) as gateway:
        names, shown = await names_and_server(gateway)

    assert (names, shown["tools"]) == ([], 0)
    assert server.received("tools/list") == []


async def test_server_of_a_revision_nobody_knows_fails_and_says_which(home: Path, servers: Servers) -> None:
    server = servers.make(version="1999-01-01")
    async with running_gateway(home, config_of({"one": server})) as gateway:
        shown = await gateway.until_state("one", "failing")

    assert "1999-01-01" in shown["lastError"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_server_of_each_revision_is_served(home: Path, servers: Servers, version: str) -> None:
    server = servers.make(version=version)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        called = json.loads(await (await connected(gateway)).text("one__echo"))

    assert called["params"]["name"] == "echo"
    assert [message["method"] for message in server.received()][:2] == ["initialize", "notifications/initialized"]
