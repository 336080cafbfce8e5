"""One gateway with one scripted server for the tests of a module that change nothing about them."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, tool


@pytest.fixture(scope="module")
def server(module_servers: Servers) -> ScriptedServer:
    """A server whose calls a test may script; a tool without a script echoes."""
    names = ("echo", "first", "second", "scripted")
    return module_servers.make(tools=[tool(name) for name in names])


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    """A gateway whose default profile has that server, as ``one``."""
    document = config_of({"one": server}, settings={"maxRequestMb": 1})
    async with running_gateway(tmp_path_factory.mktemp("home"), document) as running:
        await running.until_listed("one")
        yield running


@pytest_asyncio.fixture(loop_scope="module")
async def client(gateway: RunningGateway) -> McpClient:
    """A client in a session of its own."""
    return await connected(gateway)
