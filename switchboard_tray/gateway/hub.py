"""Holds the snapshot that every request is answered from, and tells of changes.

One event loop, no await inside `update`: the assignment is the commit, and readers need no lock.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.config.model import Config, ServerConfig
from switchboard_tray.snapshot import Snapshot, build_snapshot
from switchboard_tray.typescript.shapes import Shape

HOLD_S = 5.0
"""A profile whose surface was just switched keeps it for so long."""
BURST_S = 0.05
"""Lists that arrive together, as at a start with many servers, make one snapshot."""

Changed = Callable[[Snapshot, Snapshot], None]
"""Told of the snapshot before and the one that is now in force."""


class Hub:
    """The present snapshot, and who wants to know of the next."""

    def __init__(
        self,
        clock: Callable[[], float] = time.monotonic,
        shapes: Callable[[], Mapping[str, Shape]] = lambda: MappingProxyType({}),
    ) -> None:
        self._clock, self._shapes = clock, shapes
        self._held: dict[str, float] = {}
        """Until when a profile keeps its surface."""
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
        before, now = self.current, self._clock()
        self._held = {name: until for name, until in self._held.items() if until > now}
        held, shapes = frozenset(self._held), self._shapes()
        self.current = build_snapshot(config or before.config, self.catalog, before, held, shapes)
        self._hold_switched(before, now)
        for changed in self._listeners:
            changed(before, self.current)

    def _hold_switched(self, before: Snapshot, now: float) -> None:
        """Keep each surface that was just switched for a while, then look again."""
        for name, offer in self.current.offers.items():
            former = before.offers.get(name)
            if former is not None and former.surface != offer.surface and former.profile == offer.profile:
                self._held[name] = now + HOLD_S
        if self._held:
            self._update_in(min(self._held.values()) - now)

    def _update_in(self, delay_s: float) -> None:
        """Have `update` called in so many seconds, if it is not called before."""
        loop = asyncio.get_running_loop()
        due = loop.time() + delay_s
        if self._timer is None or due < self._timer.when():
            if self._timer is not None:
                self._timer.cancel()
            self._timer = loop.call_at(due, self.update)

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        """Take in a server's list: at once where it was never listed, else within a burst."""
        known = self.catalog.of(server)
        self.catalog = self.catalog.with_list(server_key(server), tools)
        if known is None:
            self.update()
        elif known.digest != tools.digest:
            self._update_in(BURST_S)
