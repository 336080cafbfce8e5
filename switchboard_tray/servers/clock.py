"""The time of a call, with one timer: when a sign of life is due to the client, and when the call is over."""

import asyncio
from collections.abc import Callable

from switchboard_tray.protocol.calls import SIGN_OF_LIFE_S, Expired, Tick


class Clock:
    """Pushes a `Tick` every 15 s, and `Expired` once when the time is over.

    The end of time is an item like others: a timeout around each wait would cost more than all the rest of a call.
    """

    __slots__ = ("_ends_at", "_loop", "_push", "_tells_at", "_timer")

    def __init__(self, push: Callable[[Tick | Expired], None], timeout_s: float) -> None:
        self._loop = asyncio.get_running_loop()
        self._push = push
        now = self._loop.time()
        self._ends_at, self._tells_at = now + timeout_s, now + SIGN_OF_LIFE_S
        self._timer = self._loop.call_at(min(self._ends_at, self._tells_at), self._ring)

    def ends_in(self, timeout_s: float, latest: float = float("inf")) -> None:
        """Have the time be over so many seconds from now, but not after `latest`."""
        self._ends_at = min(latest, self._loop.time() + timeout_s)
        # The timer mostly stays: where it rings too early, it sets itself anew.
        if self._ends_at < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_at(self._ends_at, self._ring)

    def stop(self) -> None:
        """Push nothing any more."""
        self._timer.cancel()

    def _ring(self) -> None:
        now = self._loop.time()
        if now >= self._ends_at:
            self._push(Expired())
            return
        if now >= self._tells_at:
            self._tells_at = now + SIGN_OF_LIFE_S
            self._push(Tick())
        self._timer = self._loop.call_at(min(self._ends_at, self._tells_at), self._ring)
