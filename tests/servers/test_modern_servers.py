"""Servers of the modern era, and clients of either: the handshake, questions (docs/protocol.md)."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import Raw

from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.calls import Ask, Caller, Silent
from switchboard_tray.protocol.eras import CLIENT_KEY, LOG_LEVEL_KEY, SERVER_KEY, SUBSCRIPTION_KEY, VERSION_KEY, Era
from switchboard_tray.protocol.messages import INVALID_REQUEST, UNSUPPORTED_VERSION, RpcError
from switchboard_tray.servers import across
from switchboard_tray.servers.pool import ServerPool
from tests.fixtures.servers import ScriptedServer, Servers, Step, error, result, say, text
from tests.servers.test_pool import Heard, config, new_pool

DISCOVERED: dict[str, Any] = {
    "supportedVersions": ["2026-07-28"],
    "capabilities": {"tools": {"listChanged": True}, "resources": {"subscribe": True}},
    "instructions": "Be modern.",
    "_meta": {SERVER_KEY: {"name": "modern", "title": "Modern", "version": "1"}},
}
REFUSED = error(f'{{"code":{UNSUPPORTED_VERSION},"message":"no initialize here"}}')


def told(method: str) -> Step:
    """A notification on the standing request that is answered."""
    return say(f'{{"jsonrpc":"2.0","method":"{method}","params":{{"_meta":{{"{SUBSCRIPTION_KEY}":$ID}}}}}}')


ACKNOWLEDGED = told("notifications/subscriptions/acknowledged")


def modern(servers: Servers, **script: Any) -> ScriptedServer:
    """A server of the modern era alone."""
    methods = {
        "initialize": [REFUSED],
        "server/discover": [result(json.dumps(DISCOVERED))],
        "subscriptions/listen": [ACKNOWLEDGED],
        **script.pop("methods", {}),
    }
    return servers.make(methods=methods, **script)


class Asked(Silent):
    """A client that answers what it is asked, in order."""

    def __init__(self, *answers: bytes | RpcError, era: Era = Era.LEGACY, level: str | None = None) -> None:
        self.caller = Caller("one", era, {"elicitation": {}}, {"name": "ai", "version": "1"}, level, "ai")
        self.asks: list[Ask] = []
        self._answers = list(answers)

    async def ask(self, ask: Ask) -> None:
        self.asks.append(ask)
        if self._answers:
            ask.answer(self._answers.pop(0))


async def call(pool: ServerPool, client: Silent, meta: str = "{}") -> Any:
    params = {"name": Raw(b'"echo"'), "arguments": Raw(b'{"n":1}'), "_meta": Raw(meta.encode())}
    return json.loads(bytes(await pool.call("one", "tools/call", params, client)))


def sent(server: ScriptedServer, method: str = "tools/call") -> list[dict[str, Any]]:
    """The parameters of the requests that the server got."""
    return [message["params"] for message in server.received(method)]


# -- handshake ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [UNSUPPORTED_VERSION, -32601, INVALID_REQUEST])
async def test_server_that_knows_no_initialize_is_discovered(home: Path, servers: Servers, code: int) -> None:
    server = modern(servers, methods={"initialize": [error(f'{{"code":{code},"message":"no"}}')]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        listed = await pool.refresh("one")

    assert [tool.name for tool in listed.tools] == ["echo"]
    assert (listed.title, listed.instructions) == ("Modern", "Be modern.")
    assert all(VERSION_KEY in params["_meta"] for params in sent(server, "tools/list"))


@pytest.mark.parametrize(
    ("methods", "said"),
    [
        ({"initialize": [error('{"code":-32603,"message":"out"}')]}, "answered initialize with error -32603: out"),
        ({"server/discover": [error('{"code":-1,"message":"no"}')]}, "answered server/discover with error -1: no"),
        ({"server/discover": [result('{"supportedVersions":["2099-01-01"]}')]}, "speaks no revision of MCP"),
        ({"server/discover": [result("5")]}, "speaks no revision of MCP"),
    ],
)
async def test_server_that_does_not_come_to_terms_says_why(
    home: Path, servers: Servers, methods: dict[str, Any], said: str
) -> None:
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=modern(servers, methods=methods)))
        with pytest.raises(ServerError) as fault:
            await call(pool, Silent())

    assert said in str(fault.value)


# -- a legacy client ---------------------------------------------------------------------------------------------------


async def test_request_of_a_legacy_client_gets_the_envelope_and_the_result_loses_its_own(
    home: Path, servers: Servers
) -> None:
    answer = '{"resultType":"complete","content":[],"structuredContent":[1],"ttlMs":1,"cacheScope":"private","x":1.0}'
    server = modern(servers, calls={"echo": [result(answer)]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        got = await call(pool, Asked(level="info"), '{"mine":1}')

    assert got == {"content": [], "x": 1.0}
    meta = sent(server)[0]["_meta"]
    assert (meta["mine"], meta[CLIENT_KEY]["name"], meta[LOG_LEVEL_KEY]) == (1, "ai", "info")


def asking(*questions: str) -> Step:
    """A result that asks these questions, as ``METHOD``, under keys q0, q1, ..."""
    requests = {f"q{at}": {"method": method, "params": {"message": "?"}} for at, method in enumerate(questions)}
    return result(json.dumps({"resultType": "input_required", "inputRequests": requests, "requestState": "s1"}))


async def test_questions_are_put_to_the_client_and_the_request_is_repeated_with_the_answers(
    home: Path, servers: Servers
) -> None:
    server = modern(servers, calls={"echo": [["turns", [[asking(*["elicitation/create"] * 2)], [text("done")]]]]})
    client = Asked(b'{"action":"accept"}', RpcError(-1, "closed"))
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        got = await call(pool, client)

    assert got["content"][0]["text"] == "done"
    first, second = sent(server)
    assert second["arguments"] == first["arguments"] == {"n": 1}
    assert second["requestState"] == "s1"
    # To refuse a dialog is to close it.
    assert second["inputResponses"] == {"q0": {"action": "accept"}, "q1": {"action": "cancel"}}
    assert len(client.asks) == 2


async def test_question_that_the_client_refuses_ends_the_call_where_it_is_no_dialog(
    home: Path, servers: Servers
) -> None:
    server = modern(servers, calls={"echo": [asking("sampling/createMessage")]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        with pytest.raises(RpcError, match="declined"):
            await call(pool, Asked(RpcError(-1, "declined")))


async def test_question_that_nobody_answers_is_given_up(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(across, "ASK_TIMEOUT_S", 0.05)
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=modern(servers, calls={"echo": [asking("elicitation/create")]})))
        with pytest.raises(ServerError, match="did not answer what the server asked"):
            await call(pool, Asked())


async def test_questions_without_an_end_are_given_up(
    home: Path, servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(across, "ROUNDS", 3)
    server = modern(servers, calls={"echo": [asking("elicitation/create")]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        with pytest.raises(ServerError, match="asked for input 3 times"):
            await call(pool, Asked(*[b'{"action":"decline"}'] * 3))

    assert len(sent(server)) == 3


# -- a modern client ---------------------------------------------------------------------------------------------------

ENVELOPE = json.dumps({VERSION_KEY: "2026-07-28", CLIENT_KEY: {"name": "ai"}, "mine": 1})


async def test_request_of_a_modern_client_loses_its_envelope_before_a_legacy_server(
    home: Path, servers: Servers
) -> None:
    server = servers.make()
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        await call(pool, Asked(era=Era.MODERN), ENVELOPE)

    assert sent(server)[0]["_meta"].keys() == {"mine", "progressToken"}


async def test_modern_client_and_server_speak_without_a_translator(home: Path, servers: Servers) -> None:
    server = modern(servers, calls={"echo": [asking("elicitation/create")]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        got = await call(pool, Asked(era=Era.MODERN), ENVELOPE)

    assert got["resultType"] == "input_required"
    assert sent(server)[0]["_meta"][VERSION_KEY] == "2026-07-28"
    assert server.starts == 1


async def test_server_of_both_eras_gets_a_process_for_each(home: Path, servers: Servers) -> None:
    late = error(f'{{"code":{INVALID_REQUEST},"message":"too late"}}')
    discover = ["turns", [[late], [result(json.dumps(DISCOVERED))]]]
    server = servers.make(methods={"server/discover": [discover], "subscriptions/listen": [ACKNOWLEDGED]})
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        await call(pool, Asked())
        for _ in range(2):
            await call(pool, Asked(era=Era.MODERN), ENVELOPE)
        (status,) = pool.status()

    assert [other.scope for other in status.others] == ["modern"] and server.starts == 2
    assert [VERSION_KEY in params["_meta"] for params in sent(server)] == [False, True, True]


async def test_failing_start_is_asked_for_its_era_again_by_the_next_call(home: Path, servers: Servers) -> None:
    server = servers.make(start=[["fail", 1]])
    async with new_pool(home, Heard()) as pool:
        pool.apply(config(one=server))
        with pytest.raises(ServerError, match="exited with status 3"):
            await call(pool, Asked(era=Era.MODERN), ENVELOPE)
        await pool.refresh("one")

        assert await call(pool, Asked(era=Era.MODERN), ENVELOPE)
