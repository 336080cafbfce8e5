"""A gateway that is killed and started again: clients that were connected go on as if nothing had happened."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clients.callers import ALL, SDKS, Caller, Programs
from tests.clients.gateway import GatewayProcess, gateway_process
from tests.clients.programs import Npm

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


@pytest.mark.parametrize("client", ALL)
async def test_client_goes_on_after_the_gateway_was_killed(
    client: str, npm: Npm, other_python: Path, gateway: GatewayProcess
) -> None:
    async with ALL[client](Programs(npm, other_python), gateway.url("work")) as caller:
        before = await echo(caller, "before")
        gateway.kill()
        gateway.start()
        after = await echo(caller, "after")
        names = [tool["name"] for tool in await caller.tools()]

    assert (before, after) == ("Echo: before", "Echo: after")
    assert "everything__echo" in names


@pytest.mark.parametrize("client", SDKS)
async def test_client_goes_on_after_the_cached_tool_lists_were_lost_too(
    client: str, npm: Npm, other_python: Path, gateway: GatewayProcess
) -> None:
    async with SDKS[client](Programs(npm, other_python), gateway.url("work")) as caller:
        before = await echo(caller, "before")
        gateway.kill()
        gateway.paths.catalog.unlink(missing_ok=True)
        gateway.start()
        after = await echo(caller, "after")

    assert (before, after) == ("Echo: before", "Echo: after")


async def echo(caller: Caller, message: str) -> str:
    text: str = (await caller.call("everything__echo", {"message": message}))["content"][0]["text"]
    return text
