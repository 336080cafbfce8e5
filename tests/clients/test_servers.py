"""Real servers behind the gateway, real SDKs before it: a client gets what the servers themselves would have said."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from mcp.client.stdio import StdioServerParameters

from tests.clients.callers import SDKS, Caller, Json, Programs, python_sdk
from tests.clients.gateway import GatewayProcess, gateway_process
from tests.clients.programs import Npm

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

SHARED = ("everything", "files", "memory")
"""Servers of one era, of which nobody needs a second process."""


@dataclass(frozen=True)
class Behind:
    """The servers, and calls to them that always give the same."""

    servers: Mapping[str, Json]
    calls: tuple[tuple[str, str, Json], ...]
    """Server, tool, arguments."""


@pytest.fixture(scope="module")
def behind(npm: Npm, other_python: Path, tmp_path_factory: pytest.TempPathFactory) -> Behind:
    folder = tmp_path_factory.mktemp("behind")
    files, graph, repository = folder / "files", folder / "graph.jsonl", folder / "repository"
    files.mkdir()
    (files / "note.txt").write_text("Grüße, 世界\n", "utf-8")
    graph.write_text(json.dumps({"type": "entity", "name": "Ada", "entityType": "person", "observations": ["wrote"]}))
    make_repository(repository)
    own = other_python.parent
    servers = {
        "everything": server(npm, "everything"),
        "files": server(npm, "filesystem", str(files)),
        "memory": {**server(npm, "memory"), "env": {"MEMORY_FILE_PATH": str(graph)}},
        "time": {"command": str(own / "mcp-server-time"), "args": ["--local-timezone", "UTC"]},
        "git": {"command": str(own / "mcp-server-git"), "args": ["--repository", str(repository)]},
    }
    calls: tuple[tuple[str, str, Json], ...] = (
        ("everything", "echo", {"message": "Grüße"}),
        ("everything", "get-sum", {"a": 2, "b": 3}),
        ("everything", "get-structured-content", {"location": "New York"}),
        ("everything", "get-tiny-image", {}),
        ("everything", "get-annotated-message", {"messageType": "error", "includeImage": True}),
        ("everything", "get-resource-links", {"count": 2}),
        ("files", "read_text_file", {"path": str(files / "note.txt")}),
        ("files", "list_directory", {"path": str(files)}),
        ("files", "read_text_file", {"path": "/nowhere"}),
        ("memory", "read_graph", {}),
        ("time", "convert_time", {"source_timezone": "Asia/Tokyo", "time": "12:00", "target_timezone": "Asia/Kolkata"}),
        ("git", "git_log", {"repo_path": str(repository), "max_count": 5}),
    )
    return Behind(servers, calls)


@pytest.fixture(scope="module")
def direct(behind: Behind) -> Mapping[str, Any]:
    """What the servers themselves say: tools by server, and the outcome of each call."""
    return asyncio.run(ask_directly(behind))


@pytest.fixture(scope="module")
def gateway(behind: Behind, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayProcess]:
    profiles = {
        "all": {"servers": list(behind.servers)},
        **{name: {"servers": list(SHARED)} for name in ("one", "two", "three")},
    }
    flat = {name: {"surface": "passthrough", **profile} for name, profile in profiles.items()}
    config = {"version": 1, "servers": behind.servers, "profiles": flat}
    with gateway_process(tmp_path_factory.mktemp("gateway"), config) as running:
        yield running


@pytest.fixture
def programs(npm: Npm, other_python: Path) -> Programs:
    return Programs(npm, other_python)


@pytest.mark.parametrize("client", SDKS)
async def test_each_client_gets_what_the_servers_themselves_say(
    client: str, programs: Programs, behind: Behind, direct: Mapping[str, Any], gateway: GatewayProcess
) -> None:
    async with SDKS[client](programs, gateway.url("all")) as caller:
        names = [tool["name"] for tool in await caller.tools()]
        outcomes = [outcome(await caller.call(f"{server}__{tool}", given)) for server, tool, given in behind.calls]

    assert names == [f"{name}__{tool['name']}" for name in behind.servers for tool in direct["tools"][name]]
    assert outcomes == direct["outcomes"]


async def test_definitions_are_the_servers_own_but_for_names_and_tasks(
    programs: Programs, behind: Behind, direct: Mapping[str, Any], gateway: GatewayProcess
) -> None:
    async with SDKS["python-legacy"](programs, gateway.url("all")) as caller:
        listed = await caller.tools()

    own = [{**tool, "name": f"{name}__{tool['name']}"} for name in behind.servers for tool in direct["tools"][name]]
    for tool in own:
        # Tasks are not passed on, so no tool may say that it takes them.
        if tool.get("execution", {}).get("taskSupport", "forbidden") != "forbidden":
            del tool["execution"]
    assert listed == own


@pytest.mark.parametrize("client", ["python-legacy", "python-modern"])
async def test_a_server_that_asks_reaches_the_person_at_the_client(
    client: str, programs: Programs, gateway: GatewayProcess
) -> None:
    async with SDKS[client](programs, gateway.url("all")) as caller:
        result = await caller.call("everything__trigger-elicitation-request", {})

    said = "\n".join(block["text"] for block in result["content"])
    assert "provided the requested information" in said
    assert "Ada" in said


async def test_ten_clients_of_three_profiles_share_one_process_of_each_server(
    programs: Programs, gateway: GatewayProcess
) -> None:
    async with AsyncExitStack() as stack:
        callers: list[Caller] = []
        for number, client in zip(range(10), [*SDKS, *SDKS], strict=True):
            url = gateway.url(("one", "two", "three")[number % 3])
            callers.append(await stack.enter_async_context(SDKS[client](programs, url)))
        results = await asyncio.gather(*(use_all(caller, f"caller {n}") for n, caller in enumerate(callers)))
        running = Counter(name_of(process.cmdline()) for process in gateway.servers())

    assert [text for text, _, _ in results] == [f"Echo: caller {n}" for n in range(10)]
    assert all(graph == results[0][1] and folders == results[0][2] for _, graph, folders in results)
    assert [running[f"server-{name}"] for name in ("everything", "filesystem", "memory")] == [1, 1, 1]


async def use_all(caller: Caller, message: str) -> tuple[str, Json, Json]:
    """Use each of the shared servers."""
    echo, graph, folders = await asyncio.gather(
        caller.call("everything__echo", {"message": message}),
        caller.call("memory__read_graph", {}),
        caller.call("files__list_allowed_directories", {}),
    )
    text: str = echo["content"][0]["text"]
    return text, outcome(graph), outcome(folders)


async def ask_directly(behind: Behind) -> Mapping[str, Any]:
    tools: dict[str, list[Json]] = {}
    outcomes: list[Json] = []
    for name, entry in behind.servers.items():
        parameters = StdioServerParameters(command=entry["command"], args=entry["args"], env=entry.get("env"))
        async with python_sdk(parameters, "legacy") as caller:
            outcomes += [
                outcome(await caller.call(tool, given)) for server, tool, given in behind.calls if server == name
            ]
            tools[name] = await caller.tools()
    return {"tools": tools, "outcomes": outcomes}


def outcome(result: Json) -> Json:
    """What counts of a result; a day that passes meanwhile does not."""
    kept = {"isError": False, **{key: result[key] for key in result if key not in ("_meta", "resultType")}}
    steady: Json = json.loads(re.sub(r"\d{4}-\d\d-\d\d", "DATE", json.dumps(kept)))
    return steady


def name_of(command: list[str]) -> str:
    """The package a server process runs."""
    return next((part for word in command for part in Path(word).parts if "server-" in part), " ".join(command))


def server(npm: Npm, name: str, *arguments: str) -> Json:
    command, *own = npm.script(f"@modelcontextprotocol/server-{name}")
    return {"command": command, "args": [*own, *arguments]}


def make_repository(folder: Path) -> None:
    """A repository of one commit that is the same on every day and machine."""
    git = shutil.which("git")
    if git is None:
        pytest.skip("git is not installed")
    (folder / "file").parent.mkdir()
    (folder / "file").write_text("one\n")
    person = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in _PERSON.items()}
    environ = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **person}
    for arguments in (["init", "--quiet"], ["add", "file"], ["commit", "--quiet", "--message", "first"]):
        subprocess.run([git, *arguments], cwd=folder, env=environ, check=True)


_PERSON = {"NAME": "Ada", "EMAIL": "ada@example.org", "DATE": "2026-01-02T03:04:05Z"}
