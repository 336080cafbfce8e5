"""AI clients as people install them: each is told our address by its own means, connects, and gets the tools."""

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clients.gateway import GatewayProcess, gateway_process
from tests.clients.programs import PROGRAM_S, Npm, Place

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]


@pytest.fixture(scope="module")
def gateway(npm: Npm, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    command, *arguments = npm.script("@modelcontextprotocol/server-everything")
    config = {
        "version": 1,
        "servers": {"everything": {"command": command, "args": arguments}},
        "profiles": {"work": {"servers": ["everything"], "surface": "passthrough"}},
    }
    with gateway_process(tmp_path_factory.mktemp("gateway"), config) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_claude_code_connects_and_lists_the_tools(npm: Npm, gateway: GatewayProcess, place: Place) -> None:
    added = place.run([*npm.claude, "mcp", "add", "--transport", "http", "switchboard", gateway.url("work")])
    listed = place.run([*npm.claude, "mcp", "list"])

    assert (added.status, listed.status) == (0, 0), (added, listed)
    assert re.search(r"^switchboard: .* ✔ Connected$", listed.stdout, re.MULTILINE), listed
    assert "client 'claude-code': tools/list of profile work" in gateway.log


def test_codex_lists_the_tools(npm: Npm, gateway: GatewayProcess, place: Place) -> None:
    codex = npm.script("@openai/codex")

    added = place.run([*codex, "mcp", "add", "switchboard", "--url", gateway.url("work")])
    status = codex_mcp_status([*codex, "app-server"], place)

    assert added.status == 0, added
    [server] = [one for one in status["data"] if one["name"] == "switchboard"]
    assert "everything__echo" in server["tools"]
    assert len(server["tools"]) == tool_count(gateway)
    assert "client 'codex-mcp-client': tools/list of profile work" in gateway.log


def test_gemini_cli_connects(npm: Npm, gateway: GatewayProcess, place: Place) -> None:
    gemini = npm.script("@google/gemini-cli")

    added = place.run([*gemini, "mcp", "add", "--transport", "http", "switchboard", gateway.url("work")])
    listed = place.run([*gemini, "mcp", "list"])

    assert (added.status, listed.status) == (0, 0), (added, listed)
    assert re.search(r"✓ switchboard: .* - Connected$", listed.stdout + listed.stderr, re.MULTILINE), listed


def test_opencode_connects_and_lists_the_tools(npm: Npm, gateway: GatewayProcess, place: Place) -> None:
    entry = {"type": "remote", "url": gateway.url("work")}
    place.project.mkdir()
    (place.project / "opencode.json").write_text(json.dumps({"autoupdate": False, "mcp": {"switchboard": entry}}))

    listed = place.run([*npm.opencode, "mcp", "list"])

    assert listed.status == 0, listed
    assert re.search(r"✓ switchboard\s.*connected", listed.stdout + listed.stderr), listed
    assert "client 'opencode': tools/list of profile work" in gateway.log


@pytest.mark.parametrize("era", ["legacy", "modern", "auto"])
def test_inspector_finds_nothing_wrong_with_the_tools(
    era: str, npm: Npm, gateway: GatewayProcess, place: Place
) -> None:
    inspector = npm.script("@modelcontextprotocol/inspector", "mcp-inspector")
    to_us = ["--cli", gateway.url("work"), "--transport", "http", "--protocol-era", era, "--format", "json"]

    echo = ["--tool-name", "everything__echo", "--tool-args-json", json.dumps({"message": "hello"})]

    listed = place.run([*inspector, *to_us, "--method", "tools/list", "--strict"])
    called = place.run([*inspector, *to_us, "--method", "tools/call", *echo])

    assert (listed.status, called.status) == (0, 0), (listed, called)
    assert len(json.loads(listed.stdout)["result"]["tools"]) == tool_count(gateway)
    assert json.loads(called.stdout)["result"]["content"] == [{"type": "text", "text": "Echo: hello"}]


def tool_count(gateway: GatewayProcess) -> int:
    """How many tools the gateway read from the server."""
    counts = re.findall(r"server everything: (\d+) tools listed", gateway.log)
    return int(counts[-1])


def codex_mcp_status(command: list[str], place: Place) -> Any:
    """What Codex tells editors of its MCP servers; no command of its own connects to them without an account."""
    requests = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "tests", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "mcpServerStatus/list", "params": {}},
    ]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        env=place.environ,
        cwd=place.project,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.writelines(json.dumps(request) + "\n" for request in requests)
        process.stdin.flush()
        # It answers nothing any more once its stdin has ended.
        answers = (json.loads(line) for line in process.stdout)
        answer = next(answer for answer in answers if answer.get("id") == 2)
        process.stdin.close()
        process.wait(PROGRAM_S)
    return answer["result"]
