"""Holds the snapshot that every request is answered from, and tells of changes.

One event loop, no await inside `update`: the assignment is the commit, and readers need no lock.
"""

import asyncio
from collections.abc import Callable

from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.config.model import Config, ServerConfig
from switchboard_tray.snapshot import Snapshot, build_snapshot

BURST_S = 0.05
"""Lists that arrive together, as at a start with many servers, make one snapshot."""

Changed = Callable[[Snapshot, Snapshot], None]
"""Told of the snapshot before and the one that is now in force."""


class Hub:
    """The present snapshot, and who wants to know of the next."""

    def __init__(self) -> None:
        self.current = Snapshot()
        self.catalog = Catalog()
        """All lists known so far; ahead of the snapshot's for the length of a burst."""
        self._listeners: list[Changed] = []
        self._timer: asyncio.TimerHandle | None = None

    def listen(self, changed: Changed) -> None:
        """Have `changed` called after each new snapshot."""
        self._listeners.append(changed)

    def update(self, config: Config | None = None, catalog: Catalog | None = None) -> None:
        """Put a new snapshot in force, now."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if catalog is not None:
            self.catalog = catalog
        before = self.current
        self.current = build_snapshot(config or before.config, self.catalog, before)
        for changed in self._listeners:
            changed(before, self.current)

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        """Take in a server's list: at once where it was never listed, else within a burst."""
        known = self.catalog.of(server)
        self.catalog = self.catalog.with_list(server_key(server), tools)
        if known is None:
            self.update()
        elif known.digest != tools.digest and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BURST_S, self.update)
