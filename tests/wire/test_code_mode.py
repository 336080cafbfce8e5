"""Code mode over the wire: what `execute` is told to be, and that its calls go through the one door."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from switchboard_tray.sandbox.process import WorkerProcess
from tests.fixtures.clients import McpClient, ModernClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, error, result, text, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

ISSUE = {"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]}
PICTURE = '{"content":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}'


@pytest.fixture(scope="module")
def server(module_servers: Servers) -> ScriptedServer:
    return module_servers.make(
        tools=[
            tool("create-issue", description="Create an issue.", inputSchema=ISSUE),
            *(tool(name) for name in ("large", "picture", "broken", "failing", "waiting", "secret")),
        ],
        calls={
            "create-issue": [text('{"id": 7}')],
            "large": [result('{"content":[],"structuredContent":{"n":1180591620717411303424}}')],
            "picture": [result(PICTURE)],
            "broken": [error('{"code":-5,"message":"no such row"}')],
            "failing": [result('{"content":[{"type":"text","text":"out of paper"}],"isError":true}')],
            "waiting": [["until", "never"]],
        },
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    document = config_of({"my-server": server}, defaultProfile="code")
    profile = {"servers": ["my-server"], "surface": "code", "exclude": ["my-server.secret"]}
    document["profiles"] = {
        "code": profile,
        "strict": {**profile, "budgets": {"timeoutMs": 400, "maxToolCalls": 2, "maxSourceBytes": 200}},
    }
    async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
        await running.until_listed("my-server")
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(gateway: RunningGateway) -> McpClient:
    return await connected(gateway)


async def execute(client: McpClient, code: str) -> dict[str, Any]:
    answered: dict[str, Any] = (await client.call("execute", json.dumps({"code": code}))).last()["result"]
    return answered


async def said(client: McpClient, code: str) -> str:
    words: str = (await execute(client, code))["content"][0]["text"]
    return words


async def test_execute_alone_is_listed_with_the_declarations_of_all_tools(gateway: RunningGateway) -> None:
    (listed,) = (await ModernClient(gateway).request("tools/list"))["result"]["tools"]

    assert listed["name"] == "execute"
    assert "declare const my_server: {" in listed["description"]
    assert "create_issue(args: { title: string }): Promise<unknown>;" in listed["description"]
    assert "secret" not in listed["description"]


async def test_calls_give_values_and_the_value_is_answered(client: McpClient, gateway: RunningGateway) -> None:
    source = """async () => {
      const issue = await my_server.create_issue({ title: 'x' });
      return [issue.id, await my_server.large()];
    }"""

    assert await said(client, source) == 'Result:\n[7,{"n":1180591620717411303424}]'
    answer = (await ModernClient(gateway).request("tools/call", name="execute", arguments={"code": source}))["result"]
    assert answer["content"][0]["text"] == 'Result:\n[7,{"n":1180591620717411303424}]'


async def test_picture_that_is_returned_is_part_of_the_answer(client: McpClient) -> None:
    content = (await execute(client, "async () => my_server.picture()"))["content"]

    assert content == [
        {"type": "text", "text": 'Result:\n"[image image/png 8 bytes #1]"'},
        json.loads(PICTURE)["content"][0],
    ]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("async () => my_server.failing()", "runtime: Error: my_server.failing: out of paper"),
        ("async () => my_server.broken()", "runtime: Error: my_server.broken: no such row"),
        ("async () => my_server.create_issue({})", "Hint: /** Create an issue. */\nmy_server.create_issue(args:"),
        ("async () => my_server.create_issue('x')", "expected one object as its argument"),
        ("async () => my_server.create_isue({})", "Hint: Did you mean create_issue?"),
        ("async () => github.x()", "the globals with tools are: my_server, catalog"),
    ],
)
async def test_what_went_wrong_is_told(client: McpClient, code: str, words: str) -> None:
    answered = await execute(client, code)

    assert answered["isError"] is True and words in answered["content"][0]["text"]


async def test_catalog_is_the_profiles_own(client: McpClient) -> None:
    found = await said(client, "async () => catalog.search('create issue', 1)")
    shown = await said(client, "async () => catalog.describe(['my_server.create_issue', 'my_server.secret'])")

    assert found == 'Result:\n[{"name":"my_server.create_issue","summary":"Create an issue."}]'
    assert "my_server.create_issue(args: { title: string })" in shown and "Unknown tool: my_server.secret." in shown


@pytest.mark.parametrize(
    "spelling", ["my_server.secret", "my_server['secret']", "my_server['se' + 'cret']", "my_server['my-server.secret']"]
)
async def test_tool_outside_the_profile_is_reached_by_no_spelling(
    client: McpClient, server: ScriptedServer, spelling: str
) -> None:
    assert "has no tool" in await said(client, f"async () => {spelling}({{}})")
    assert [one for one in server.received("tools/call") if one["params"]["name"] == "secret"] == []


async def test_rows_of_the_audit_name_the_run(client: McpClient, gateway: RunningGateway) -> None:
    await said(client, "async () => { await my_server.large(); await my_server.create_issue({ title: 'y' }) }")

    def rows() -> list[tuple[str, str, str]]:
        query = "SELECT run, tool, status FROM calls WHERE run != '' ORDER BY id DESC LIMIT 2"
        with closing(sqlite3.connect(gateway.paths.audit)) as database:
            found = database.execute(query).fetchall()
        return found if len(found) == 2 and found[0][1] == "create-issue" else []

    (last, _, _), (former, tool_name, status) = await eventually(rows)
    assert last == former and (tool_name, status) == ("large", "ok")


async def test_budgets_of_the_profile_are_in_force(gateway: RunningGateway) -> None:
    client = await connected(gateway, "/mcp/strict")

    assert (await said(client, "async () => { while (true) {} }")).startswith("timeout:")
    assert (await said(client, "async () => { for (;;) await my_server.large() }")).startswith("budget:")
    assert (await said(client, "x" * 201)).startswith("syntax: SyntaxError: the source has 201 bytes")


async def test_cancelled_run_cancels_the_call_at_the_server(client: McpClient, server: ScriptedServer) -> None:
    calls, before = len(server.received("tools/call")), len(server.received("notifications/cancelled"))
    params = json.dumps({"name": "execute", "arguments": {"code": "async () => my_server.waiting()"}})
    task = asyncio.create_task(client.request("tools/call", params, request_id='"run"'))
    await eventually(lambda: len(server.received("tools/call")) > calls)
    await client.notify("notifications/cancelled", '{"requestId":"run"}')
    await task

    assert await eventually(lambda: server.received("notifications/cancelled")[before:])


async def test_code_that_is_missing_or_no_text_is_told(client: McpClient) -> None:
    for arguments in ("{}", '{"code":5}', '{"code":" "}'):
        answered = (await client.call("execute", arguments)).last()["result"]
        assert answered["isError"] is True and "give JavaScript as text" in answered["content"][0]["text"]


async def test_run_over_the_admin_api_tells_what_it_used(gateway: RunningGateway) -> None:
    answer = (await gateway.api("POST", "/runs", {"code": "async () => (await my_server.large()).n"})).json()
    bad = await gateway.api("POST", "/runs", {"code": 5})

    assert (answer["kind"], answer["calls"], answer["tools"]) == ("ok", 1, ["my_server.large"])
    assert answer["result"]["content"][0]["text"] == "Result:\n1180591620717411303424"
    assert answer["wallMs"] > 0 and bad.status == 400


async def test_result_that_was_seen_tells_the_type_at_once_where_it_is_asked_for(
    gateway: RunningGateway, client: McpClient
) -> None:
    before = (await client.request("tools/list")).json()["result"]["tools"][0]["description"]
    await said(client, "async () => my_server.create_issue({ title: 'x' })")
    schema = (await client.call("get_schema", '{"names":["my_server.create_issue"]}')).last()["result"]
    inside = await said(client, "async () => catalog.describe(['my_server.create_issue'])")
    listed = (await client.request("tools/list")).json()["result"]["tools"][0]["description"]
    # Another change of the profile has the description made anew.
    await gateway.patch(profiles={"code": {"exclude": ["my-server.secret", "my-server.waiting"]}})
    anew = (await client.request("tools/list")).json()["result"]["tools"][0]["description"]
    await gateway.patch(profiles={"code": {"exclude": ["my-server.secret"]}})

    seen = "Promise<{ id: number }>; // as seen in results so far"
    assert "Promise<{ id: number }> // as seen in results so far" in schema["content"][0]["text"]
    assert "{ id: number }" in inside
    assert listed == before and seen not in listed and seen in anew


async def test_client_that_lists_execute_finds_a_process_waiting(gateway: RunningGateway) -> None:
    await connected(gateway)

    assert await eventually(lambda: [child for child in psutil.Process().children() if is_worker(child)])


def is_worker(process: psutil.Process) -> bool:
    """Whether it runs scripts."""
    try:
        return any(word.endswith("worker.py") for word in process.cmdline())
    except psutil.Error:
        return False


async def test_others_are_served_while_scripts_do_their_worst(gateway: RunningGateway) -> None:
    other = await connected(gateway, "/b/code/mcp")
    hostile = ("while (true) {}", "const a = []; for (;;) a.push('x'.repeat(1e5) + 1)", "for (;;) console.log('x')")
    clients = [await connected(gateway, "/mcp/strict") for _ in hostile]
    runs = [
        asyncio.create_task(execute(client, f"async () => {{ {code} }}"))
        for client, code in zip(clients, hostile, strict=True)
    ]
    served = 0
    while not all(task.done() for task in runs):
        answer = (await other.call("my-server__large")).last()
        assert "structuredContent" in answer.get("result", {}), answer
        served += 1

    assert served > len(hostile)
    assert all(task.result()["isError"] for task in runs)


async def test_engine_that_cannot_be_started_is_told_with_what_to_do(
    gateway: RunningGateway, client: McpClient, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("switchboard_tray.sandbox.process.WORKER", tmp_path / "gone.py")
    monkeypatch.setattr("switchboard_tray.sandbox.pool.SandboxPool._take", lambda pool: WorkerProcess.start())
    told = await execute(client, "1")
    answer = await gateway.api("POST", "/runs", {"code": "1"})

    assert told["isError"] is True
    assert told["content"][0]["text"].startswith("Code cannot be run: ")
    assert "switchboard doctor" in told["content"][0]["text"]
    assert answer.status == 503 and answer.json()["error"]["hint"] == "Run `switchboard doctor`."
