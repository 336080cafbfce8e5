"""What tests of running parts share: the product's event loop, scripted servers, and no process left behind."""

import asyncio
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import psutil
import pytest

from switchboard_tray.wire.server import new_event_loop
from tests.fixtures.servers import Servers


def pytest_asyncio_loop_factories() -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Tests run on the loop that the gateway runs on."""
    return {"product": new_event_loop}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder for a gateway's files."""
    return tmp_path / "home"


@pytest.fixture
def servers(tmp_path: Path) -> Iterator[Servers]:
    """Makes scripted servers; at the end none of their processes may be left."""
    yield from _servers_without_leftovers(tmp_path)


@pytest.fixture(scope="module")
def module_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Servers]:
    """The same for all tests of a module."""
    yield from _servers_without_leftovers(tmp_path_factory.mktemp("servers"))


def _servers_without_leftovers(folder: Path) -> Iterator[Servers]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    servers = Servers(folder)
    yield servers
    left = [child for child in psutil.Process().children(recursive=True) if child.pid not in before]
    for child in left:
        child.kill()
    assert (servers.kill(), left) == ([], [])
