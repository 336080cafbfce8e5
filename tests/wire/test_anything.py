"""Whatever is sent to an MCP address: a well-formed answer, never a fault of ours, and the gateway goes on serving."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.fixtures.gateway import DEMO, RunningGateway, config_of, running_gateway
from tests.fixtures.http import JSON_RPC, Answer, fetch

LEGACY, MODERN = "2025-11-25", "2026-07-28"
META = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
}
METHODS = (
    "initialize ping tools/list tools/call prompts/list prompts/get resources/list resources/read "
    "resources/templates/list resources/subscribe resources/unsubscribe completion/complete logging/setLevel "
    "server/discover notifications/cancelled notifications/initialized notifications/progress tasks/list nonsense"
).split()

JSON_VALUE = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["demo__list_notes", "demo__nope", ""]) | JSON_VALUE,
        "arguments": JSON_VALUE,
        "uri": JSON_VALUE,
        "ref": JSON_VALUE,
        "level": JSON_VALUE,
        "cursor": JSON_VALUE,
        "requestId": JSON_VALUE,
        "requestState": JSON_VALUE,
        "inputResponses": JSON_VALUE,
        "notifications": JSON_VALUE,
        "protocolVersion": st.sampled_from([LEGACY, MODERN, "1999-01-01"]) | JSON_VALUE,
        "capabilities": st.just({}) | JSON_VALUE,
        "clientInfo": st.just({"name": "fuzz"}) | JSON_VALUE,
        "_meta": st.just(META) | st.just({**META, "progressToken": 1}) | JSON_VALUE,
    },
)
MESSAGE = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | JSON_VALUE,
        "id": st.integers() | st.text(max_size=5) | JSON_VALUE,
        "method": st.sampled_from(METHODS) | JSON_VALUE,
        "params": PARAMS | JSON_VALUE,
        "result": JSON_VALUE,
        "error": JSON_VALUE,
        "extra": JSON_VALUE,
    },
)
GOOD_MESSAGE = st.builds(
    lambda method, params, number: {"jsonrpc": "2.0", "id": number, "method": method, "params": params},
    st.sampled_from(METHODS),
    PARAMS,
    st.integers(0, 99),
)
BODY = st.one_of(
    GOOD_MESSAGE.map(json.dumps).map(str.encode),
    MESSAGE.map(json.dumps).map(str.encode),
    st.lists(MESSAGE | JSON_VALUE, max_size=4).map(json.dumps).map(str.encode),
    JSON_VALUE.map(json.dumps).map(str.encode),
    st.binary(max_size=60),
    st.sampled_from([b"", b"[", b"{", b'{"jsonrpc":"2.0","id":1', b"[" * 5000, b'{"a":' * 5000, b"nul"]),
)
HEADERS = st.fixed_dictionaries(
    {},
    optional={
        "MCP-Protocol-Version": st.sampled_from([LEGACY, MODERN, "2024-11-05", "1999-01-01", ""]),
        "Mcp-Session-Id": st.sampled_from(["SESSION", "0" * 32, "f" * 32, "no-id", ""]),
        "Mcp-Method": st.sampled_from(METHODS),
        "Mcp-Name": st.sampled_from(["demo__list_notes", "=?base64?ZGVtbw==?=", "=?base64?%?=", ""]),
        "Mcp-Param-Limit": st.sampled_from(["1", "x"]),
        "Accept": st.sampled_from(["application/json", "text/event-stream", "*/*", "text/html", ""]),
        "X-Switchboard-Profile": st.sampled_from(["all", "ALL", "none", ""]),
        "Content-Type": st.sampled_from(["application/json", "application/json; charset=utf-8", "text/plain", ""]),
    },
)
PATHS = st.sampled_from("/mcp /mcp/all /mcp/none /w/all/mcp /mcp?client=x /mcp/%2e%2e /mcp/all?client=%ff".split())
STATUSES = {200, 202, 400, 404, 405, 406, 413, 415}


class Target:
    """A running gateway that a test without tasks of its own can ask."""

    def __init__(self, home: Path) -> None:
        self._runner = asyncio.Runner()
        self._context = running_gateway(home, config_of({"demo": DEMO}))
        self._gateway: RunningGateway = self._runner.run(self._context.__aenter__())
        opened = self.post("/mcp", JSON_RPC, json.dumps(INITIALIZE).encode())
        self.session = opened.headers["mcp-session-id"]

    def post(self, path: str, headers: dict[str, str], body: bytes, verb: str = "POST") -> Answer:
        """Send a request, and wait for the whole answer."""
        return self._runner.run(fetch(self._gateway.port, verb, path, headers, body))

    def close(self) -> None:
        """Stop the gateway."""
        self._runner.run(self._context.__aexit__(None, None, None))
        self._runner.close()


INITIALIZE = {
    "jsonrpc": "2.0",
    "id": 0,
    "method": "initialize",
    "params": {"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}},
}


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    """A gateway with the demo server and an open session."""
    made = Target(tmp_path / "home")
    yield made
    made.close()


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(path="/mcp", headers={"Mcp-Session-Id": "SESSION"}, body=b'[{"id":[]}]', verb="POST")
@given(path=PATHS, headers=HEADERS, body=BODY, verb=st.sampled_from(["POST"] * 9 + ["DELETE", "PUT", "OPTIONS"]))
def test_whatever_is_sent_gets_a_well_formed_answer_and_the_next_client_is_served(
    target: Target, path: str, headers: dict[str, str], body: bytes, verb: str
) -> None:
    # DELETE would end the session that the other examples use.
    name = target.session if verb != "DELETE" else "0" * 32
    sent = {**JSON_RPC, **{key: value.replace("SESSION", name) for key, value in headers.items()}}
    answer = target.post(path, sent, body, verb)

    assert answer.status in STATUSES, (answer.status, answer.body)
    for part in answer.events() if answer.is_stream else [answer.body] if answer.body else []:
        check_message(json.loads(part))
    alive = target.post("/mcp", JSON_RPC, json.dumps(INITIALIZE).encode())
    assert alive.json()["result"]["serverInfo"]["name"] == "switchboard"


def check_message(message: Any) -> None:
    """Hold an answer to the form of JSON-RPC; nothing that happened here may be a fault of ours."""
    if isinstance(message, list):
        assert message
        for part in message:
            check_message(part)
        return
    assert message["jsonrpc"] == "2.0"
    if "method" in message:
        assert "id" not in message
        return
    assert ("result" in message) != ("error" in message)
    assert isinstance(message["id"], int | float | str | None)
    if "error" in message:
        assert isinstance(message["error"]["code"], int)
        assert message["error"]["message"]
        assert message["error"]["message"] != "Internal error"
