"""Clients that list tools and call them: the SDKs of MCP in their revisions, fastmcp, Claude Desktop's bridge."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp_types.version import LATEST_HANDSHAKE_VERSION, LATEST_MODERN_VERSION

from tests.clients.programs import Npm

HERE = Path(__file__).resolve().parent
ANSWER_S = 45.0
LINE_BYTES = 1 << 24

Json = dict[str, Any]
Mode = Literal["legacy", "auto"]


class Caller(Protocol):
    """A connected client."""

    async def tools(self) -> list[Json]:
        """The definitions of all tools."""

    async def call(self, name: str, arguments: Json) -> Json:
        """The result of a call."""


@dataclass(frozen=True)
class Programs:
    """What other people's clients are started with."""

    npm: Npm
    python: Path


Connect = Callable[[Programs, str], AbstractAsyncContextManager[Caller]]


# -- the Python SDK ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SdkCaller:
    """A client on the Python SDK, in this process."""

    client: Client

    async def tools(self) -> list[Json]:
        listed = await self.client.list_tools()
        return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]

    async def call(self, name: str, arguments: Json) -> Json:
        result = await self.client.call_tool(name, arguments, read_timeout_seconds=ANSWER_S)
        return result.model_dump(mode="json", by_alias=True, exclude_none=True)


@asynccontextmanager
async def python_sdk(target: str | StdioServerParameters, mode: Mode) -> AsyncIterator[SdkCaller]:
    """A client that can be asked everything a server may ask, and accepts what it is asked."""
    async with Client(
        target,
        mode=mode,
        client_info=types.Implementation(name=f"python-{mode}", version="1"),
        sampling_callback=_sample,
        elicitation_callback=_accept,
        list_roots_callback=_roots,
    ) as client:
        yield SdkCaller(client)


async def _sample(context: Any, params: types.CreateMessageRequestParams) -> types.CreateMessageResult:
    content = types.TextContent(text="Sampled.")
    return types.CreateMessageResult(role="assistant", content=content, model="none")


async def _accept(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
    return types.ElicitResult(action="accept", content={"name": "Ada"})


async def _roots(context: Any) -> types.ListRootsResult:
    return types.ListRootsResult(roots=[])


@asynccontextmanager
async def _python_at(url: str, mode: Mode, version: str) -> AsyncIterator[Caller]:
    async with python_sdk(url, mode) as caller:
        assert caller.client.protocol_version == version
        yield caller


# -- other programs ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LineCaller:
    """A client in a process of its own, which is told what to do by lines of JSON."""

    process: asyncio.subprocess.Process
    turn: asyncio.Lock
    """It does one thing after the other."""

    async def tools(self) -> list[Json]:
        tools: list[Json] = (await self._ask("tools/list"))["tools"]
        return tools

    async def call(self, name: str, arguments: Json) -> Json:
        return await self._ask("tools/call", {"name": name, "arguments": arguments})

    async def _ask(self, method: str, params: Json | None = None) -> Json:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        async with self.turn, asyncio.timeout(ANSWER_S):
            self.process.stdin.write(json.dumps({"method": method, "params": params}).encode() + b"\n")
            line = await self.process.stdout.readline()
        if not line:
            assert self.process.stderr is not None
            pytest.fail(f"the client ended: {(await self.process.stderr.read()).decode()}")
        said = json.loads(line)
        assert "result" in said, said
        result: Json = said["result"]
        return result


@asynccontextmanager
async def _line_caller(*command: str) -> AsyncIterator[Caller]:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=pipe, limit=LINE_BYTES)
    try:
        yield LineCaller(process, asyncio.Lock())
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


def _typescript(programs: Programs, kind: str, url: str) -> AbstractAsyncContextManager[Caller]:
    return _line_caller(str(programs.npm.node), str(HERE / "typescript_client.mjs"), kind, url)


@asynccontextmanager
async def _bridge(programs: Programs, url: str) -> AsyncIterator[Caller]:
    command, *script = programs.npm.script("mcp-remote")
    bridge = StdioServerParameters(command=command, args=[*script, url, "--allow-http"])
    async with python_sdk(bridge, "legacy") as caller:
        yield caller


SDKS: Mapping[str, Connect] = {
    "python-legacy": lambda _, url: _python_at(url, "legacy", LATEST_HANDSHAKE_VERSION),
    "python-modern": lambda _, url: _python_at(url, "auto", LATEST_MODERN_VERSION),
    "typescript-v1": lambda programs, url: _typescript(programs, "v1", url),
    "typescript-v2": lambda programs, url: _typescript(programs, "v2", url),
    "typescript-v2-modern": lambda programs, url: _typescript(programs, "v2-modern", url),
}
"""The SDKs of MCP, each with the revisions it can speak."""
ALL: Mapping[str, Connect] = {
    **SDKS,
    "fastmcp": lambda programs, url: _line_caller(str(programs.python), str(HERE / "fastmcp_client.py"), url),
    "mcp-remote": _bridge,
}
