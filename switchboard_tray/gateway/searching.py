"""Searches of a profile's tools: off the event loop, with what they need from outside the snapshot."""

import asyncio
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TypeVar

from switchboard_tray.gateway.hub import Hub
from switchboard_tray.profiles.select import servers_of
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.snapshot import Offer
from switchboard_tray.surfaces.material import summary
from switchboard_tray.surfaces.plan import ServerTrouble, Surroundings
from switchboard_tray.typescript.shapes import Shape

if TYPE_CHECKING:
    from switchboard_tray.search.meaning import Vectors

FAULT_CHARS = 200
_Found = TypeVar("_Found")


class Searcher:
    """Answers searches. `load_vectors` gives the table for search by meaning; it is asked in a thread."""

    def __init__(
        self,
        hub: Hub,
        pool: ServerPool,
        load_vectors: "Callable[[], Vectors | None]",
        shape_of: Callable[[str], Shape | None],
    ) -> None:
        self._hub, self._pool, self._load_vectors, self._shape_of = hub, pool, load_vectors, shape_of
        self._turn = asyncio.Lock()

    async def answer(self, find: Callable[[Surroundings], _Found], offer: Offer) -> _Found:
        """What `find` gives. The first search of a list of tools builds its index: up to a second for thousands."""
        troubles = tuple(self._troubles(offer))
        # One at a time: they would only take the interpreter from each other, and two first ones build two indexes.
        async with self._turn:
            return await asyncio.to_thread(lambda: find(self._surroundings(troubles)))

    def _surroundings(self, troubles: tuple[ServerTrouble, ...]) -> Surroundings:
        return Surroundings(troubles, self._load_vectors, lambda ref: self._shape_of(str(ref)))

    def _troubles(self, offer: Offer) -> Iterator[ServerTrouble]:
        """The servers of the profile that give nothing now: a model must not take them for what cannot be done."""
        for server in servers_of(offer.profile, self._hub.current.config, enabled=False):
            yield ServerTrouble(server.name, "it is switched off")
        statuses = {status.name: status for status in self._pool.status()}
        for server, listed in offer.servers:
            status = statuses.get(server.name)
            if status is not None and status.state == "failing":
                yield ServerTrouble(server.name, f"it is failing: {summary(status.fault, FAULT_CHARS)}")
            elif listed is None:
                yield ServerTrouble(server.name, "its tools are not known yet")
