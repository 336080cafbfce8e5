"""Each tool call leaves one row in the audit, whatever becomes of it (docs/audit.md)."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, cast

import pytest

from switchboard_tray.errors import NotFound
from switchboard_tray.gateway.door import Door, Origin
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.names import ToolRef
from switchboard_tray.protocol.calls import Silent
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.stores.audit import AuditRow
from switchboard_tray.stores.shapes import ShapeStore
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import Servers, error, result, tool
from tests.fixtures.waiting import eventually


def rows(gateway: RunningGateway) -> list[dict[str, Any]]:
    """What is in the audit, in order."""
    with closing(sqlite3.connect(gateway.paths.audit)) as database:
        database.row_factory = sqlite3.Row
        return [dict(row) for row in database.execute("SELECT * FROM calls ORDER BY id")]


async def test_calls_of_each_outcome_leave_a_row_and_none_is_lost_at_the_end(home: Path, servers: Servers) -> None:
    calls = {
        "wrong": [result('{"content":[],"isError":true}')],
        "broken": [error('{"code":-1,"message":"x"}')],
        "crash": [["exit", 1]],
        "slow": [["touch", "came"], ["until", "never"]],
    }
    server = servers.make(tools=[tool(name) for name in ("echo", *calls)], calls=calls)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway, name="my-ai")
        for name in ("echo", "wrong", "broken", "crash"):
            await client.call(f"one__{name}", '{"secret":"hunter2"}')
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(client.call("one__slow"))
            await eventually(lambda: server.has_passed("came"))
            await client.notify("notifications/cancelled", '{"requestId":1}')
        await asyncio.gather(*(client.call("one__echo", request_id=str(number)) for number in range(50)))
        await gateway.stop()

        kept = rows(gateway)
    assert [(row["tool"], row["status"]) for row in kept[:5]] == [
        ("echo", "ok"), ("wrong", "tool-error"), ("broken", "failed"), ("crash", "failed"), ("slow", "cancelled")
    ]  # fmt: skip
    assert [row["status"] for row in kept[5:]] == ["ok"] * 50
    first = kept[0]
    assert (first["client"], first["profile"], first["server"], first["origin"]) == ("my-ai", "all", "one", "mcp")
    assert first["reason"] == "it is the default profile"
    assert first["arguments_bytes"] == len('{"secret":"hunter2"}')
    assert first["result_bytes"] > 0 and first["duration_ms"] > 0 and first["time"] > 0
    assert b"hunter2" not in gateway.paths.audit.read_bytes()


async def test_call_that_is_in_flight_when_the_gateway_stops_leaves_a_row(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["touch", "came"], ["until", "never"]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(_call_that_may_break_off(client))
            await eventually(lambda: server.has_passed("came"))
            await gateway.stop()

        assert [row["status"] for row in rows(gateway)] in (["cancelled"], ["failed"])
    assert call.done()


async def _call_that_may_break_off(client: McpClient) -> None:
    try:
        await client.call("one__echo")
    except (ConnectionError, asyncio.IncompleteReadError, ValueError, IndexError):
        pass


async def test_client_that_names_itself_in_its_address_is_known_by_that_name(home: Path, servers: Servers) -> None:
    async with running_gateway(home, config_of({"one": servers.make()})) as gateway:
        client = await connected(gateway, "/mcp?client=cursor-1", name="something")
        await client.call("one__echo")
        await gateway.api("POST", "/call", {"ref": "one.echo"})
        await gateway.stop()

        who = [(row["client"], row["origin"]) for row in rows(gateway)]
    assert who == [("cursor-1", "mcp"), ("switchboard", "api")]


async def test_call_outside_the_profile_leaves_a_refused_row(home: Path, servers: Servers) -> None:
    server = servers.make(tools=[tool("echo"), tool("hidden")])
    profiles = {"all": {"servers": ["one"], "exclude": ["one.hidden"]}}
    async with running_gateway(home, config_of({"one": server}, profiles=profiles)) as gateway:
        client = await connected(gateway)
        for name in ("one__hidden", "one__absent", "nobody"):
            await client.call(name)
        await gateway.stop()

        assert [row["status"] for row in rows(gateway)] == ["refused"] * 3


class Rows:
    """A sink that keeps rows in a list."""

    def __init__(self) -> None:
        self.kept: list[AuditRow] = []

    def write(self, row: AuditRow) -> None:
        self.kept.append(row)


async def test_door_looks_a_tool_up_before_it_looks_for_a_server(tmp_path: Path) -> None:
    sink, shapes = Rows(), ShapeStore(tmp_path / "shapes.json")
    nowhere = cast(ServerPool, None)
    with pytest.raises(NotFound, match=r"no tool 'one\.echo' in profile 'all'"):
        await Door(Hub(), nowhere, sink, shapes).call("all", ToolRef("one", "echo"), {}, Origin("mcp"), Silent())

    assert [(row.server, row.tool, row.status) for row in sink.kept] == [("one", "echo", "refused")]


async def test_audit_is_readable_by_its_user_alone(home: Path, servers: Servers) -> None:
    async with running_gateway(home, config_of({"one": servers.make()})) as gateway:
        await (await connected(gateway)).call("one__echo", json.dumps({"a": 1}))
        await gateway.stop()

        files = list(gateway.paths.audit.parent.glob("audit.db*"))
        assert files and all(file.stat().st_mode & 0o077 == 0 for file in files)
