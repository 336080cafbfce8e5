"""How servers come up, or do not: slowly, not at all, at the third try; and what the others notice of it: nothing."""

import asyncio
import json
import sys
from pathlib import Path

import pytest

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, error, is_running, say, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork")


async def test_list_of_a_server_that_was_never_listed_waits_for_it(home: Path, servers: Servers) -> None:
    server = servers.make(start=[["until", "go"]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = McpClient(gateway)
        await client.initialize()
        async with asyncio.TaskGroup() as tasks:
            listing = tasks.create_task(client.tool_names())
            await eventually(lambda: server.starts)
            server.open_gate("go")

    assert listing.result() == ["one__echo"]


async def test_call_of_a_client_that_knows_its_tools_already_waits_for_the_list_of_a_server(
    home: Path, servers: Servers
) -> None:
    server = servers.make(start=[["until", "go"]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = McpClient(gateway)
        await client.initialize()
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.call("one__echo"))
            await eventually(lambda: server.starts)
            server.open_gate("go")

    assert "result" in call.result().json()


async def test_list_does_not_wait_longer_than_its_patience_and_the_tools_follow(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("switchboard_tray.gateway.dispatch.LIST_PATIENCE_S", 0.05)
    slow, quick = servers.make(start=[["until", "go"]]), servers.make()
    async with running_gateway(home, config_of({"slow": slow, "quick": quick})) as gateway:
        await gateway.until_listed("quick")
        client = await connected(gateway)
        early = await client.tool_names()
        async with client.stream() as stream:
            slow.open_gate("go")
            told = await stream.event()

        assert early == ["quick__echo"]
        assert told["method"] == "notifications/tools/list_changed"
        assert await client.tool_names() == ["slow__echo", "quick__echo"]


async def test_server_that_is_never_well_hides_no_tool_of_another(
    home: Path, servers: Servers, quick_fill: None
) -> None:
    dead, well = servers.make(start=[["stderr", "no licence\n"], ["exit", 3]]), servers.make()
    missing = {"command": "no-such-command-anywhere"}
    async with running_gateway(home, config_of({"dead": dead, "gone": missing, "well": well})) as gateway:
        client = await connected(gateway)

        assert await client.tool_names() == ["well__echo"]
        assert await client.text("well__echo")
        shown = await gateway.until_state("dead", "failing")
        gone = await gateway.until_state("gone", "failing")
    assert "exited with status 3" in shown["lastError"] and "no licence" in shown["lastError"]
    assert "no-such-command-anywhere was not found" in gone["lastError"] and "/usr/bin:/bin" in gone["lastError"]


async def test_list_that_cannot_be_read_is_tried_three_times_and_then_left(
    home: Path, servers: Servers, quick_fill: None
) -> None:
    server = servers.make(list=[error('{"code":-1,"message":"no list"}'), ["until", "never"]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await (await connected(gateway)).tool_names()
        tries = len(server.received("tools/list"))
        await (await connected(gateway)).tool_names()

        assert len(server.received("tools/list")) == tries
    assert tries in (3, 4)


async def test_server_that_was_started_for_its_list_alone_is_stopped_again(
    home: Path, servers: Servers, quick_fill: None
) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        await gateway.until_state("one", "stopped")
        await eventually(lambda: server.running() == [])


async def test_start_that_takes_too_long_fails_with_the_last_words_and_leaves_no_process(
    home: Path, servers: Servers, quick_stop: None
) -> None:
    server = servers.make(start=[["stderr", "waiting for a database\n"], ["until", "never"]])
    async with running_gateway(home, config_of({"one": server.entry(startTimeoutSec=0.3)})) as gateway:
        shown = await gateway.until_state("one", "failing")
        pid = server.pids()[0]
        await eventually(lambda: not is_running(pid))

    assert "did not answer within 0.3 s" in shown["lastError"]
    assert "waiting for a database" in shown["lastError"]
    assert "startTimeoutSec" in shown["lastError"]
    assert 0 < shown["retryInSec"] <= 30


async def test_call_of_a_failing_server_says_what_failed_and_when_the_next_try_is(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        server.change(start=[["stderr", "disk full\n"], ["exit", 4]])
        await gateway.stop()
        await gateway.start()
        outcomes = [(await client.call("one__echo")).json()["result"] for _ in range(2)]

    for outcome in outcomes:
        said = outcome["content"][0]["text"]
        assert outcome["isError"]
        assert "exited with status 4" in said and "disk full" in said and "next try" in said


async def test_start_that_failed_is_tried_again_and_succeeds(home: Path, servers: Servers) -> None:
    server = servers.make(start=[["fail", 1]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")

        assert await (await connected(gateway)).text("one__echo")
    assert server.starts == 2


async def test_person_who_asks_for_a_try_gets_one_at_once(home: Path, servers: Servers) -> None:
    server = servers.make(start=[["exit", 3]])
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0)})) as gateway:
        await eventually(lambda: server.starts >= 2)
        await gateway.until_state("one", "failing")
        server.change(start=[])
        answer = await gateway.api("POST", "/servers/one/refresh")

    assert (answer.status, answer.json()["state"], answer.json()["tools"]) == (200, "ready", 1)


async def test_call_waits_for_the_start_of_its_server(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        server.change(start=[["until", "go"]])
        await gateway.restart()
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            call = tasks.create_task(client.text("one__echo"))
            await gateway.until_state("one", "starting")
            server.open_gate("go")

    assert call.result()


async def test_call_of_a_server_that_takes_its_time_to_start_is_told_so_and_the_start_goes_on(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        monkeypatch.setattr("switchboard_tray.servers.keeper.CALLER_PATIENCE_S", 0.05)
        server.change(start=[["until", "go"]])
        await gateway.restart()
        outcome = (await client.call("one__echo")).json()["result"]
        server.open_gate("go")
        await gateway.until_state("one", "ready")

    assert outcome["isError"]
    assert "still starting" in outcome["content"][0]["text"]


async def test_call_that_takes_too_long_is_cancelled_at_the_server_and_says_what_to_raise(
    home: Path, servers: Servers
) -> None:
    server = servers.make(calls={"echo": [["until", "never"]]})
    async with running_gateway(home, config_of({"one": server.entry(callTimeoutSec=0.2)})) as gateway:
        outcome = (await (await connected(gateway)).call("one__echo")).json()["result"]
        notice = await eventually(lambda: server.received("notifications/cancelled"))

    assert outcome["isError"]
    assert "did not answer within 0.2 s" in outcome["content"][0]["text"]
    assert "callTimeoutSec" in outcome["content"][0]["text"]
    assert notice[0]["params"]["requestId"] == server.received("tools/call")[0]["id"]


async def test_progress_keeps_a_call_alive_beyond_its_timeout(home: Path, servers: Servers) -> None:
    beat = say('{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":$TOKEN,"progress":1}}')
    server = servers.make(calls={"echo": [*[step for _ in range(6) for step in (["pause", 0.1], beat)], text("done")]})
    async with running_gateway(home, config_of({"one": server.entry(callTimeoutSec=0.4)})) as gateway:
        assert await (await connected(gateway)).text("one__echo") == "done"


async def test_server_gets_its_own_variables_and_a_small_base_and_nothing_else_of_ours(
    home: Path, servers: Servers, tmp_path: Path
) -> None:
    server = servers.make(calls={"echo": [["environment"]]})
    entry = server.entry(env={"TOKEN": "${env:MINE}", "PLAIN": "$${x}"}, cwd=str(tmp_path))
    environ = {"PATH": "/usr/bin:/bin", "MINE": "s3cret", "OTHER": "not for servers", "LANG": "C.UTF-8"}
    async with running_gateway(home, config_of({"one": entry}), environ) as gateway:
        told = json.loads(await (await connected(gateway)).text("one__echo"))

    assert told["cwd"] == str(tmp_path)
    assert (told["env"]["TOKEN"], told["env"]["PLAIN"]) == ("s3cret", "${x}")
    assert told["env"].keys() - {"LC_CTYPE", "PWD", "_", "__CF_USER_TEXT_ENCODING"} == {
        "PATH", "LANG", "NO_COLOR", "SWITCHBOARD_START", "TOKEN", "PLAIN"
    }  # fmt: skip


async def test_read_only_tool_that_a_crash_met_is_called_once_more(home: Path, servers: Servers) -> None:
    server: ScriptedServer = servers.make(
        tools=[tool("read", annotations={"readOnlyHint": True}), tool("write")],
        calls={"read": [["fail", 1], text("done")], "write": [["fail", 2], text("done")]},
    )
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        read = await client.text("one__read")
        written = (await client.call("one__write")).json()["result"]

    assert read == "done"
    assert written["isError"]
    assert [call["params"]["name"] for call in server.received("tools/call")] == ["read", "read", "write"]
