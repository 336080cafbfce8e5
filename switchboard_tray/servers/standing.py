"""What we want to hear from a server apart from answers: log messages, updates of resources, changes of its lists.

Kept over restarts of the server, since a new process knows nothing of what the old one was told.
"""

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable

from switchboard_tray.errors import ServerError
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.calls import Call, Lost, Note
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import Frame, RpcError, dumps
from switchboard_tray.servers.handshake import Hello, our_envelope
from switchboard_tray.servers.stdio import StdioConnection

log = logging.getLogger(__name__)

ACKNOWLEDGE_S = 5.0
"""For an answer to what we only tell; a server that owes it is of use all the same."""


class Standing:
    """The standing wishes towards one server."""

    def __init__(self) -> None:
        self._level: str | None = None
        self._watched: Counter[str] = Counter()
        self._connection: StdioConnection | None = None
        self._hello: Hello | None = None
        self._listening: Call | None = None
        self._telling = asyncio.Lock()

    @property
    def is_watching(self) -> bool:
        """Whether somebody watches a resource of the server."""
        return bool(self._watched)

    async def begin(self, connection: StdioConnection, hello: Hello) -> None:
        """Tell a server that has just started all there is to tell."""
        self._connection, self._hello, self._listening = connection, hello, None
        if hello.era is Era.MODERN:
            return await self._listen()
        if self._level is not None:
            await self.set_level(self._level)
        for uri in list(self._watched):
            await _quietly(connection.question("resources/subscribe", dumps({"uri": uri})))

    def end(self) -> None:
        """The server is gone."""
        self._connection = self._hello = self._listening = None

    async def set_level(self, level: str | None) -> None:
        """Have the server send log messages of `level` and above."""
        self._level = level
        if level is not None and self._connection is not None and self._hello is not None and self._hello.has_logging:
            await _quietly(self._connection.question("logging/setLevel", dumps({"level": level})))

    async def watch(self, uri: str) -> None:
        """Have the server tell of updates of a resource. Raises `RpcError` or `ServerError` where it refuses."""
        # One after the other: who comes second must not take for granted what the server may still refuse.
        async with self._telling:
            self._watched[uri] += 1
            try:
                if self._watched[uri] == 1:
                    await self._tell("resources/subscribe", uri)
            except BaseException:
                # Also where the client left meanwhile.
                self._forget(uri)
                raise

    async def unwatch(self, uri: str) -> None:
        """One listener less for a resource; the server is told when it was the last."""
        if not self._forget(uri):
            return
        async with self._telling:
            # Somebody else may want it by now.
            if uri not in self._watched:
                await _quietly(self._tell("resources/unsubscribe", uri))

    def _forget(self, uri: str) -> bool:
        """One listener less; whether it was the last."""
        self._watched[uri] -= 1
        if self._watched[uri] > 0:
            return False
        del self._watched[uri]
        return True

    async def _tell(self, method: str, uri: str) -> None:
        if self._connection is None or self._hello is None:
            return
        if self._hello.era is Era.MODERN:
            return await self._listen()
        try:
            async with asyncio.timeout(ACKNOWLEDGE_S):
                await self._connection.question(method, dumps({"uri": uri}))
        except TimeoutError:
            raise ServerError(f"The server did not answer {method} within {ACKNOWLEDGE_S:g} s.") from None

    async def _listen(self) -> None:
        """Subscribe to what we want to hear from a modern server; the new request stands before the old one ends."""
        assert self._connection is not None
        former = self._listening
        wanted: dict[str, object] = dict.fromkeys(eras.LISTEN_KEYS.values(), True)
        if self._watched:
            wanted["resourceSubscriptions"] = list(self._watched)
        params = {"notifications": wanted, "_meta": our_envelope()}
        self._listening = self._connection.send("subscriptions/listen", dumps(params))
        try:
            async with asyncio.timeout(ACKNOWLEDGE_S):
                item = await self._listening.next()
        except TimeoutError:
            log.warning("the server did not acknowledge that we listen")
            return
        if isinstance(item, Note) and former is not None:
            self._connection.cancel(former, "replaced")
        elif isinstance(item, Frame | Lost):
            log.warning("the server does not tell of changes")


async def _quietly(question: Awaitable[object]) -> None:
    try:
        async with asyncio.timeout(ACKNOWLEDGE_S):
            await question
    except (RpcError, ServerError, TimeoutError) as refusal:
        # Not what it said: a server may repeat there what it was given to keep secret.
        log.info("the server did not accept what it was told: %s", type(refusal).__name__)
