"""What we want to hear from servers beside answers: changes, updates of resources; kept over restarts."""

import asyncio
from pathlib import Path

import pytest

from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.calls import Silent
from switchboard_tray.protocol.messages import RpcError
from switchboard_tray.servers import lists, standing
from switchboard_tray.servers.pool import ServerPool
from tests.fixtures.servers import ECHO, ScriptedServer, Servers, Step, error, result, tool
from tests.fixtures.waiting import eventually
from tests.servers.test_modern_servers import ACKNOWLEDGED, call, modern, sent, told
from tests.servers.test_pool import Heard, config, new_pool


async def test_change_that_a_modern_server_tells_of_is_listed(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "CHANGED_PAUSE_S", 0.001)
    changed = told("notifications/tools/list_changed")
    server = modern(servers, methods={"subscriptions/listen": [ACKNOWLEDGED, ["until", "go"], changed]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        await pool.refresh("one")
        before = len(sent(server, "tools/list"))
        server.change(tools=[tool("echo"), tool("more")])
        server.open_gate("go")
        await eventually(lambda: len(sent(server, "tools/list")) > before)

    assert sent(server, "subscriptions/listen")[0]["notifications"] == dict.fromkeys(
        ("toolsListChanged", "promptsListChanged", "resourcesListChanged"), True
    )


@pytest.mark.parametrize(
    "answer", [[["until", "never"]], [error('{"code":-32601,"message":"no"}')]], ids=["silent", "refused"]
)
async def test_modern_server_that_tells_of_nothing_is_of_use_all_the_same(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch, answer: list[Step]
) -> None:
    monkeypatch.setattr(standing, "ACKNOWLEDGE_S", 0.05)
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=modern(servers, methods={"subscriptions/listen": answer})))

        assert [tool.name for tool in (await pool.refresh("one")).tools] == ["echo"]
        assert await call(pool, Silent())


async def test_watched_resources_of_a_modern_server_stand_in_one_request_at_a_time(
    home: Path, servers: Servers
) -> None:
    server = modern(servers)
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        async with pool.watching("one", "test://a"), pool.watching("one", "test://b"):
            pass
        await eventually(lambda: len(sent(server, "notifications/cancelled")) == 4)

    listened = [params["notifications"].get("resourceSubscriptions") for params in sent(server, "subscriptions/listen")]
    assert listened == [None, ["test://a"], ["test://a", "test://b"], ["test://a"], None]
    ids = [message["id"] for message in server.received("subscriptions/listen")]
    assert [params["requestId"] for params in sent(server, "notifications/cancelled")] == ids[:4]


# -- resources of a legacy server --------------------------------------------------------------------------------------

TAKEN = [result("{}")]


def watched(servers: Servers, answer: list[Step] | None = None) -> ScriptedServer:
    methods = {"resources/subscribe": answer or TAKEN, "resources/unsubscribe": TAKEN}
    return servers.make(methods=methods, capabilities='{"tools":{},"resources":{"subscribe":true}}')


async def test_resource_that_several_watch_is_subscribed_once_and_again_after_a_crash(
    home: Path, servers: Servers
) -> None:
    server = watched(servers)
    server.change(calls={"echo": [["turns", [[["exit", 1]], [ECHO]]]]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        async with pool.watching("one", "test://a"):
            async with pool.watching("one", "test://a"):
                pass
            with pytest.raises(ServerError):
                await call(pool, Silent())
            await call(pool, Silent())
            await eventually(lambda: len(sent(server, "resources/subscribe")) == 2)
            before = sent(server, "resources/unsubscribe")

    assert (before, sent(server, "resources/unsubscribe")) == ([], [{"uri": "test://a"}])
    assert sent(server, "resources/subscribe") == [{"uri": "test://a"}] * 2


@pytest.mark.parametrize(
    ("answer", "said"),
    [([error('{"code":-5,"message":"not that one"}')], "not that one"), ([["until", "never"]], "did not answer")],
    ids=["refused", "silent"],
)
async def test_watch_that_a_server_refuses_is_told_and_can_be_tried_again(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch, answer: list[Step], said: str
) -> None:
    monkeypatch.setattr(standing, "ACKNOWLEDGE_S", 0.2)
    server = watched(servers, answer)
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        with pytest.raises((RpcError, ServerError), match=said):
            async with pool.watching("one", "test://a"):
                pytest.fail("it is not watched")
        server.change(methods={"resources/subscribe": TAKEN, "resources/unsubscribe": TAKEN})
        async with pool.watching("one", "test://a"):
            pass

    assert len(sent(server, "resources/subscribe")) == 2


async def test_watch_whose_client_leaves_before_it_stands_is_not_kept(home: Path, servers: Servers) -> None:
    server = watched(servers, [["until", "go"], *TAKEN])
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        await pool.refresh("one")

        async def watch() -> None:
            async with pool.watching("one", "test://a"):
                await asyncio.Event().wait()

        watching = asyncio.create_task(watch())
        await eventually(lambda: sent(server, "resources/subscribe"))
        watching.cancel()
        await asyncio.wait([watching])
        server.open_gate("go")
        async with pool.watching("one", "test://a"):
            pass
        (status,) = pool.status()

    assert len(sent(server, "resources/subscribe")) == 2 and status.in_flight == 0


async def test_second_watch_waits_for_the_first_and_is_refused_with_it(home: Path, servers: Servers) -> None:
    server = watched(servers, [["until", "go"], error('{"code":-5,"message":"not that one"}')])

    async def watch(pool: ServerPool) -> None:
        async with pool.watching("one", "test://a"):
            pass

    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        await pool.refresh("one")
        watching = [asyncio.create_task(watch(pool)) for _ in range(2)]
        await eventually(lambda: sent(server, "resources/subscribe"))
        server.open_gate("go")
        outcomes = await asyncio.gather(*watching, return_exceptions=True)

    assert [type(outcome) for outcome in outcomes] == [RpcError, RpcError]
