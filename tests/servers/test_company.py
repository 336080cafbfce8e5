"""Five servers, of which one is dead, one hangs and one is slow: the others do not notice."""

import asyncio
from pathlib import Path

from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, text

NAMES = ("fine", "dead", "well", "hangs", "slow")


async def test_lists_and_calls_of_healthy_servers_go_on_beside_a_dead_a_hanging_and_a_slow_one(
    home: Path, servers: Servers
) -> None:
    five = {name: servers.make(calls={"echo": [text(name)]}) for name in NAMES}
    async with running_gateway(home, config_of(five)) as gateway:
        await gateway.until_listed(*NAMES)
        await gateway.stop()
        five["dead"].change(start=[["exit", 1]])
        five["hangs"].change(start=[["until", "never"]])
        five["slow"].change(start=[["until", "go"]])
        starts = {name: server.starts for name, server in five.items()}
        await gateway.start()
        client = await connected(gateway)

        assert await client.tool_names() == [f"{name}__echo" for name in NAMES]
        assert {name: server.starts for name, server in five.items()} == starts
        async with asyncio.TaskGroup() as tasks:
            waiting = [
                tasks.create_task(client.call(f"{name}__echo", request_id=f'"{name}"')) for name in ("hangs", "slow")
            ]
            assert (await client.call("dead__echo")).json()["result"]["isError"]
            assert [await client.text(f"{name}__echo") for name in ("fine", "well")] == ["fine", "well"]
            assert not any(call.done() for call in waiting)
            five["slow"].open_gate("go")
            assert (await waiting[1]).last()["result"]["content"][0]["text"] == "slow"
            assert not waiting[0].done()
            await client.notify("notifications/cancelled", '{"requestId":"hangs"}')
