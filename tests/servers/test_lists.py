"""Tool lists as servers give them: many pages, endless ones, broken tools; none hides the others (docs/servers.md).

One gateway runs all of these servers at once, which is the point: whatever one says, the others are served.
"""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from switchboard_tray.servers import filling
from tests.fixtures.clients import connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, say, tool

pytestmark = pytest.mark.asyncio(loop_scope="module")

VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
BROKEN = [
    "5",
    '{"inputSchema":{"type":"object"}}',
    '{"name":"","inputSchema":{"type":"object"}}',
    '{"name":"odd","inputSchema":{"type":"string"}}',
    '{"name":"odd","description":[1],"inputSchema":{"type":"object"}}',
    tool("good"),
]
SCHEMA = '{"type":"object","properties":{"n":{"maximum":1e40,"default":1.0,"const":1180591620717411303424}}}'
KEPT = f'"description":"é \\u0000","inputSchema":{SCHEMA},"x-own":{{"a":[null]}},"_meta":{{"k":-0}}'
HALF = r'{"name":"half","description":"\ud83d","inputSchema":{"type":"object","title":"\udcff"}}'
NO_LISTS = ('{"tools":5}', '{"tools":{}}', "[]", "{}", '{"tools":[],"nextCursor":5}')

SCRIPTS: dict[str, dict[str, Any]] = {
    "pages": {"tools": [tool(f"t{number}") for number in range(25)], "page": 10},
    "repeated": {"tools": [tool("a"), tool("b")], "page": 1, "cursors": "repeated"},
    "endless": {"tools": [tool("a"), tool("b")], "page": 1, "cursors": "endless"},
    "broken": {"tools": [tool("good"), *BROKEN, tool("also")]},
    "bare": {"tools": ['{"name":"bare","title":null}']},
    "kept": {"tools": [f'{{"name":"kept",{KEPT}}}']},
    "half": {"tools": [HALF, tool("good")], "instructions": r'"half \ud83d"'},
    "silent": {"capabilities": "{}"},
    "strange": {"version": "1999-01-01"},
    **{f"none{number}": {"list": [say(f'{{"jsonrpc":"2.0","id":$ID,"result":{answer}}}'), ["until", "never"]]}
       for number, answer in enumerate(NO_LISTS)},
    **{f"v{number}": {"version": version} for number, version in enumerate(VERSIONS)},
}  # fmt: skip


@pytest.fixture(scope="module")
def made(module_servers: Servers) -> dict[str, ScriptedServer]:
    return {name: module_servers.make(**script) for name, script in SCRIPTS.items()}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(
    made: dict[str, ScriptedServer], tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[RunningGateway]:
    profiles = {name: {"servers": [name]} for name in made}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(filling, "FILL_PAUSES_S", (0.01, 0.01))
        document = config_of(made, profiles=profiles, defaultProfile=None)
        async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
            await running.until_listed("pages", "repeated", "endless", "broken", "bare", "kept", "half", "silent", "v3")
            yield running


async def names_of(gateway: RunningGateway, profile: str) -> list[str]:
    return [name.partition("__")[2] for name in await (await connected(gateway, f"/mcp/{profile}")).tool_names()]


async def body_of(gateway: RunningGateway, profile: str) -> bytes:
    return (await (await connected(gateway, f"/mcp/{profile}")).request("tools/list")).body


async def test_all_pages_of_a_list_are_read(gateway: RunningGateway, made: dict[str, ScriptedServer]) -> None:
    assert await names_of(gateway, "pages") == [f"t{number}" for number in range(25)]
    asked = made["pages"].received("tools/list")
    assert [one["params"].get("cursor") for one in asked[:3]] == [None, "10", "20"]


@pytest.mark.parametrize(("name", "most"), [("repeated", 2), ("endless", 1000)])
async def test_list_without_an_end_is_read_up_to_a_limit(
    gateway: RunningGateway, made: dict[str, ScriptedServer], name: str, most: int
) -> None:
    assert await names_of(gateway, name) == ["a", "b"]
    assert len(made[name].received("tools/list")) <= most


async def test_broken_tools_are_set_aside_with_their_reasons_and_hide_no_other(gateway: RunningGateway) -> None:
    shown = await gateway.server("broken")

    assert await names_of(gateway, "broken") == ["good", "also"]
    assert [one["name"] for one in shown["quarantined"]] == [*["(unnamed)"] * 3, "odd", "odd", "good"]
    assert all(one["reason"] for one in shown["quarantined"])


async def test_repaired_tool_is_offered_and_its_repair_shown(gateway: RunningGateway) -> None:
    listed = json.loads(await body_of(gateway, "bare"))["result"]["tools"]
    shown = await gateway.server("bare")

    assert listed == [{"name": "bare__bare", "inputSchema": {"type": "object"}}]
    assert shown["repaired"][0]["name"] == "bare" and len(shown["repaired"][0]["repairs"]) == 2


async def test_definition_is_passed_on_as_it_was_written_but_for_its_name(gateway: RunningGateway) -> None:
    assert f'{{"name":"kept__kept",{KEPT}}}'.encode() in await body_of(gateway, "kept")


async def test_lone_surrogates_in_a_list_break_nothing(gateway: RunningGateway) -> None:
    client = await connected(gateway, "/mcp/half")
    said = (await client.initialize()).json()["result"]["instructions"]
    paths = ("/tools?profile=half", "/servers", "/profiles", "/status")

    assert await names_of(gateway, "half") == ["half", "good"]
    assert "half: half" in said
    assert [(await gateway.api("GET", path)).status for path in paths] == [200] * 4


@pytest.mark.parametrize("name", [f"none{number}" for number in range(len(NO_LISTS))])
async def test_list_that_is_none_gives_no_tools_and_is_waited_for_in_vain_once(
    gateway: RunningGateway, name: str
) -> None:
    assert await names_of(gateway, name) == []
    assert (await gateway.server(name))["tools"] in (None, 0)


async def test_server_that_declares_no_tools_is_not_asked_for_any(
    gateway: RunningGateway, made: dict[str, ScriptedServer]
) -> None:
    assert (await gateway.server("silent"))["tools"] == 0
    assert made["silent"].received("tools/list") == []


async def test_server_of_a_revision_nobody_knows_fails_and_says_which(gateway: RunningGateway) -> None:
    assert "1999-01-01" in (await gateway.until_state("strange", "failing"))["lastError"]


@pytest.mark.parametrize("number", range(len(VERSIONS)))
async def test_server_of_each_revision_is_served(
    gateway: RunningGateway, made: dict[str, ScriptedServer], number: int
) -> None:
    called = json.loads(await (await connected(gateway, f"/mcp/v{number}")).text(f"v{number}__echo"))

    assert called["params"]["name"] == "echo"
    heard = [message["method"] for message in made[f"v{number}"].received()]
    assert heard[:2] == ["initialize", "notifications/initialized"]


async def test_lists_are_the_same_after_a_restart_with_no_server_started(
    gateway: RunningGateway, made: dict[str, ScriptedServer]
) -> None:
    names = ("pages", "broken", "bare", "kept", "half")
    before = [await body_of(gateway, name) for name in names]
    aside, starts = (await gateway.server("broken"))["quarantined"], [made[name].starts for name in names]
    await gateway.restart()
    after = [await body_of(gateway, name) for name in names]

    assert before == after
    assert (await gateway.server("broken"))["quarantined"] == aside
    assert [made[name].starts for name in names] == starts
