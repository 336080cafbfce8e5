"""The tool lists in `catalog.json`: read at start, written a moment after a change. Losing the file costs nothing."""

import asyncio
import logging
from pathlib import Path
from types import MappingProxyType

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.check import check_named, check_tools
from switchboard_tray.catalog.model import Catalog, Quarantined, ServerTools
from switchboard_tray.jsonfile import write_atomic

log = logging.getLogger(__name__)

SAVE_AFTER_S = 1.0
VERSION = 1


class _StoredFault(msgspec.Struct):
    name: str
    reason: str


class _StoredList(msgspec.Struct, rename="camel"):
    tools: list[Raw]
    quarantined: list[_StoredFault]
    instructions: str = ""
    title: str = ""
    listed_at: float = 0.0
    prompts: list[Raw] = []
    resources: list[Raw] = []
    resource_templates: list[Raw] = []


class _StoredCatalog(msgspec.Struct):
    version: int
    lists: dict[str, _StoredList]


_decode = msgspec.json.Decoder(_StoredCatalog).decode


class CatalogStore:
    """Sole writer of `catalog.json`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unsaved: Catalog | None = None
        self._timer: asyncio.TimerHandle | None = None

    def load(self) -> Catalog:
        """The lists of the file; none where there is no file or it is damaged."""
        try:
            stored = _decode(self._path.read_bytes())
        except FileNotFoundError:
            return Catalog()
        except (OSError, msgspec.MsgspecError, RecursionError) as exc:
            log.warning("catalog not read, it is built anew: %s", exc)
            return Catalog()
        if stored.version != VERSION:
            return Catalog()
        return Catalog(MappingProxyType({key: _from_stored(one) for key, one in stored.lists.items()}))

    def save_soon(self, catalog: Catalog) -> None:
        """Write `catalog` within a second; of several in that time only the last. Needs a running event loop."""
        self._unsaved = catalog
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(SAVE_AFTER_S, self.flush)

    def flush(self) -> None:
        """Write what is not written yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        catalog, self._unsaved = self._unsaved, None
        if catalog is None:
            return
        lists = {key: _to_stored(one) for key, one in catalog.lists.items()}
        try:
            write_atomic(self._path, msgspec.json.encode(_StoredCatalog(VERSION, lists)))
        except OSError as exc:
            log.warning("catalog not written: %s", exc)


def _to_stored(one: ServerTools) -> _StoredList:
    faults = [_StoredFault(fault.name, fault.reason) for fault in one.quarantined]
    tools, prompts, resources, templates = (
        [Raw(item.raw) for item in kind] for kind in (one.tools, one.prompts, one.resources, one.templates)
    )
    return _StoredList(
        tools, faults, one.instructions, one.title, one.listed_at, prompts, resources, templates
    )


def _from_stored(stored: _StoredList) -> ServerTools:
    # Checked once more: an older version of us may have let pass what this one repairs.
    tools, unfit = check_tools(stored.tools)
    known = tuple(Quarantined(fault.name, fault.reason) for fault in stored.quarantined)
    return ServerTools(
        tools,
        known + unfit,
        stored.instructions,
        stored.title,
        stored.listed_at,
        check_named(stored.prompts, "name"),
        check_named(stored.resources, "uri"),
        check_named(stored.resource_templates, "uriTemplate"),
    )
