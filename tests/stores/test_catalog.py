"""The cached tool lists on disk: kept as they were, and worth nothing when damaged (docs/files.md, "catalog.json")."""

from pathlib import Path
from types import MappingProxyType

import pytest

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Catalog, ServerTools
from switchboard_tray.stores import catalog as store_module
from switchboard_tray.stores.catalog import CatalogStore
from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers
from tests.fixtures.waiting import eventually

GOOD = b'{"name":"good","inputSchema":{"type":"object","x":1180591620717411303424,"y":1.0},"own":[null]}'
BAD = b'{"name":"bad","inputSchema":5}'


def catalog_of(*definitions: bytes, instructions: str = "") -> Catalog:
    tools, quarantined = check_tools(definitions)
    listed = ServerTools(tools, quarantined, instructions, "Title", listed_at=12.5)
    return Catalog(MappingProxyType({"key": listed}))


async def saved(path: Path, catalog: Catalog) -> Catalog:
    """The catalog as another start of ours reads it."""
    store = CatalogStore(path)
    store.save_soon(catalog)
    store.flush()
    return CatalogStore(path).load()


async def test_list_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    written = catalog_of(GOOD, BAD, instructions="é ☎ \u0000")
    read = await saved(tmp_path / "catalog.json", written)

    assert read == written
    assert read.lists["key"].digest == written.lists["key"].digest
    assert read.lists["key"].tools[0].raw == GOOD


async def test_without_a_file_nothing_is_known(tmp_path: Path) -> None:
    assert CatalogStore(tmp_path / "catalog.json").load() == Catalog()


DAMAGE = {
    "empty": b"",
    "torn": b'{"version":1,"lists":{"a":',
    "binary": b"\x00\xff\xfe",
    "array": b"[]",
    "another-form": b'{"version":1,"lists":{"a":{"tools":5,"quarantined":[]}}}',
    "newer": b'{"version":2,"lists":{}}',
    "no-version": b'{"lists":{}}',
    "deep": b'{"version":1,"lists":{"a":{"quarantined":[],"tools":[' + b"[" * 100_000,
}


@pytest.mark.parametrize("data", DAMAGE.values(), ids=DAMAGE.keys())
def test_damaged_file_is_as_good_as_none(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "catalog.json").write_bytes(data)

    assert CatalogStore(tmp_path / "catalog.json").load() == Catalog()


def test_folder_in_place_of_the_file_is_as_good_as_none(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").mkdir()

    assert CatalogStore(tmp_path / "catalog.json").load() == Catalog()


async def test_gateway_with_a_damaged_catalog_lists_each_server_anew(home: Path, servers: Servers) -> None:
    server = servers.make()
    async with running_gateway(home, config_of({"one": server})) as gateway:
        await gateway.until_listed("one")
        await gateway.stop()
        gateway.paths.catalog.write_bytes(b'{"version":1')
        await gateway.start()

        assert await (await connected(gateway)).tool_names() == ["one__echo"]
        await gateway.restart()
        assert await (await connected(gateway)).tool_names() == ["one__echo"]
    assert server.starts == 2


async def test_catalog_is_written_by_itself_a_moment_after_a_change(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_module, "SAVE_AFTER_S", 0.01)
    path = tmp_path / "catalog.json"
    store = CatalogStore(path)
    store.save_soon(catalog_of(BAD))
    store.save_soon(catalog_of(GOOD))
    await eventually(path.exists)

    assert [tool.name for tool in CatalogStore(path).load().lists["key"].tools] == ["good"]


async def test_end_without_a_change_writes_nothing(tmp_path: Path) -> None:
    store = CatalogStore(tmp_path / "catalog.json")
    store.load()
    store.flush()

    assert not (tmp_path / "catalog.json").exists()


async def test_file_that_cannot_be_written_is_no_error_of_the_gateway(tmp_path: Path) -> None:
    (tmp_path / "catalog.json").mkdir()
    store = CatalogStore(tmp_path / "catalog.json")
    store.save_soon(catalog_of(GOOD))
    store.flush()

    assert (tmp_path / "catalog.json").is_dir()
