"""Processes of servers: started when needed, shared, stopped when idle, ended with everything they started."""

import asyncio
import signal
import sys
from pathlib import Path

import pytest

from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import ECHO, ScriptedServer, Servers, is_running, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="scripted servers use signals and fork")


async def test_server_whose_tools_are_known_is_not_started_before_a_call_needs_it(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        await gateway.restart()
        client = await connected(gateway)
        listed, shown = await client.tool_names(), await gateway.server("one")
        starts = server.starts
        await client.text("one__echo")

    assert (listed, shown["state"], shown["tools"]) == (["one__echo"], "stopped", 1)
    assert (starts, server.starts) == (1, 2)


async def test_server_that_never_idles_is_started_with_the_gateway(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0)})) as gateway:
        await gateway.until_listed("one")
        await gateway.restart()
        await gateway.until_state("one", "ready")

    assert server.starts == 2


async def test_calls_that_come_at_once_start_one_process(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        await gateway.restart()
        clients = [await connected(gateway) for _ in range(5)]
        await asyncio.gather(*(client.text("one__echo") for client in clients))

    assert server.starts == 2


async def test_idle_server_is_stopped_and_started_again_by_the_next_call(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0.1)})) as gateway:
        client = await connected(gateway)
        await client.text("one__echo")
        await gateway.until_state("one", "stopped")
        await eventually(lambda: not server.running())
        starts = server.starts
        await client.text("one__echo")

        assert server.starts == starts + 1
        assert (await gateway.server("one"))["lastError"] == ""


async def test_server_is_never_stopped_while_a_call_is_in_flight(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["pause", 0.4], text("done")]})
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0.1)})) as gateway:
        client = await connected(gateway)

        assert await client.text("one__echo") == "done"
        await gateway.until_state("one", "stopped")


async def test_call_that_waited_for_a_stop_to_end_keeps_the_new_process_from_idling(
    home: Path, servers: Servers, quick_stop: None
) -> None:
    server = servers.make(ignores=["EOF"], calls={"echo": [["pause", 0.4], text("done")]})
    async with running_gateway(home, config_of({"one": server.entry(idleTimeoutSec=0.1)})) as gateway:
        client = await connected(gateway)
        await eventually(lambda: server.starts)
        # End of input does not end it, so the stop takes a while; the call comes meanwhile.
        await gateway.until_state("one", "stopped")
        assert server.running()

        assert await client.text("one__echo") == "done"
    assert server.starts == 2


@pytest.mark.parametrize("ignores", [[], ["EOF"], ["SIGTERM"], ["EOF", "SIGTERM"]], ids=lambda value: "+".join(value))
async def test_stop_of_the_gateway_ends_a_server_whatever_it_ignores(
    home: Path, servers: Servers, ignores: list[str], quick_stop: None
) -> None:
    server = servers.make(ignores=ignores)
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await (await connected(gateway)).text("one__echo")
        assert server.running()
        await gateway.stop()

        assert server.running() == []


@pytest.mark.parametrize("is_escaping", [False, True], ids=["same-session", "own-session"])
async def test_whole_process_tree_is_ended(home: Path, servers: Servers, is_escaping: bool, quick_stop: None) -> None:
    server = servers.make(start=[["grandchild", is_escaping]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await (await connected(gateway)).text("one__echo")
        grandchild = await eventually(server.grandchild)
        assert is_running(grandchild)
        await gateway.stop()

        assert server.running() == []


async def test_grandchild_of_a_server_that_crashed_is_ended(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["grandchild", False], ["until", "grandchild"], ["exit", 1]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await (await connected(gateway)).call("one__echo")

        grandchild = await eventually(server.grandchild)
        await eventually(lambda: not is_running(grandchild))


async def test_gateway_that_stops_while_a_server_starts_leaves_no_process(
    home: Path, servers: Servers, quick_stop: None
) -> None:
    server = servers.make(start=[["until", "never"]])
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await eventually(lambda: server.starts)
        await gateway.stop()

        assert server.running() == []


async def test_gateway_that_stops_at_once_leaves_no_process(home: Path, servers: Servers) -> None:
    made = [servers.make() for _ in range(5)]
    async with running_gateway(home, config_of({f"s{number}": server for number, server in enumerate(made)})):
        pass

    assert [server.running() for server in made] == [[]] * 5


# -- crashes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("step", "epitaph"),
    [(["exit", 7], "it exited with status 7"), (["kill", signal.SIGKILL], "it was ended by SIGKILL")],
)
async def test_crash_in_mid_call_is_told_with_its_status_and_the_last_words(
    home: Path, servers: Servers, step: list[object], epitaph: str
) -> None:
    words = "".join(f"line {number}\n" for number in range(9))
    server = servers.make(calls={"echo": [["stderr", words], step]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        outcome = (await (await connected(gateway)).call("one__echo")).json()["result"]
        shown = await gateway.server("one")

    said = outcome["content"][0]["text"]
    assert outcome["isError"]
    assert epitaph in said and "line 8" in said and "line 4" in said and "line 3" not in said
    assert epitaph in shown["lastError"]


async def test_first_call_after_a_crash_starts_the_server_at_once(home: Path, servers: Servers) -> None:
    server = servers.make(tools=[tool("echo"), tool("crash")], calls={"crash": [["exit", 1]]})
    async with running_gateway(home, config_of({"one": server})) as gateway:
        client = await connected(gateway)
        await client.call("one__crash")

        assert await client.text("one__echo")
    assert server.starts == 2


async def test_crash_loses_every_call_in_flight_and_none_of_another_server(home: Path, servers: Servers) -> None:
    wait = [["until", "go"], text("done")]
    server = servers.make(tools=[tool("a"), tool("crash")], calls={"a": wait, "crash": [["exit", 1]]})
    other = servers.make(calls={"echo": wait})
    async with running_gateway(home, config_of({"one": server, "two": other})) as gateway:
        client = await connected(gateway)
        async with asyncio.TaskGroup() as tasks:
            lost = tasks.create_task(client.call("one__a", request_id="1"))
            kept = tasks.create_task(client.call("two__echo", request_id="2"))
            await eventually(lambda: server.received("tools/call") and other.received("tools/call"))
            await client.call("one__crash", request_id="3")
            other.open_gate("go")

    assert lost.result().json()["result"]["isError"]
    assert kept.result().json()["result"]["content"][0]["text"] == "done"


async def test_server_that_reads_nothing_holds_up_no_call_of_another(home: Path, servers: Servers) -> None:
    deaf: ScriptedServer = servers.make(tools=[tool("big"), tool("echo")], calls={"big": [["deaf"], ECHO]})
    other = servers.make()
    async with running_gateway(home, config_of({"one": deaf, "two": other})) as gateway:
        client = await connected(gateway)
        large = f'{{"text":"{"x" * (4 << 20)}"}}'
        async with asyncio.TaskGroup() as tasks:
            waiting = [tasks.create_task(client.call("one__big", large, request_id=f'"{n}"')) for n in (1, 2)]
            await eventually(lambda: deaf.received("tools/call"))

            assert await client.text("two__echo")
            deaf.open_gate("hear")
        assert all("result" in call.result().json() for call in waiting)
