"""At most so many calls at once for a fragile server; a bounded number may wait, in order of arrival."""

import asyncio
from collections import deque
from collections.abc import Callable

from switchboard_tray.errors import ServerError

MAY_WAIT = 100


class Gate:
    """Counts calls in. `limit` is asked each time, so that an edit of the config holds at once; None = no limit."""

    def __init__(self, server: str, limit: Callable[[], int | None]) -> None:
        self._server, self._limit = server, limit
        self._inside = 0
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def enter(self) -> None:
        """Wait for a place. Raises `ServerError` where too many wait already. Each `enter` wants a `leave`."""
        if not self._waiting and self._has_room():
            self._inside += 1
            return
        if len(self._waiting) >= MAY_WAIT:
            raise ServerError(f"Server {self._server} is busy: {MAY_WAIT} calls wait for it.", hint="Try again later.")
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        self.admit()
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():
                # The place was given at the very moment the caller left: somebody else may have it.
                self.leave()
            elif place in self._waiting:
                self._waiting.remove(place)
            raise

    def leave(self) -> None:
        """Give the place back."""
        self._inside -= 1
        self.admit()

    def admit(self) -> None:
        """Let those in for whom there is room: after a call left, and after the limit was raised."""
        while self._waiting and self._has_room():
            place = self._waiting.popleft()
            if not place.done():
                self._inside += 1
                place.set_result(None)

    def _has_room(self) -> bool:
        limit = self._limit()
        return limit is None or self._inside < limit
