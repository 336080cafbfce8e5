"""A server's lists as they are now: read once for all who ask, and again when the server says that they changed."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.messages import RpcError
from switchboard_tray.servers.handshake import Hello
from switchboard_tray.servers.listing import list_server
from switchboard_tray.servers.stdio import StdioConnection
from switchboard_tray.servers.words import Words

log = logging.getLogger(__name__)

LIST_TIMEOUT_S = 60.0
CHANGED_PAUSE_S = 0.1
"""A server that announces many changes at once is listed once."""
MOST_CHANGED_PAUSE_S = 5.0
"""One whose list stays the same all the same is listed less and less often, down to this."""
CHANGED_QUIET_S = 10.0
"""After so long without a list, the next change is looked at soon again."""


@dataclass(frozen=True, slots=True)
class Connected:
    """A server that has said hello."""

    connection: StdioConnection
    hello: Hello


class Lists:
    """Reads the lists of one server. `ready` gives it, started where needed; `now` gives it if it runs."""

    def __init__(
        self,
        name: str,
        tasks: asyncio.TaskGroup,
        words: Words,
        ready: Callable[[], Awaitable[Connected]],
        now: Callable[[], Connected | None],
        listed: Callable[[ServerTools], None],
    ) -> None:
        self._name, self._tasks, self._words = name, tasks, words
        self._ready, self._now, self._listed = ready, now, listed
        self._reading: asyncio.Task[ServerTools | ServerError] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._digest, self._read_at = "", 0.0
        self._pause_s = CHANGED_PAUSE_S

    async def read(self, connected: Connected) -> ServerTools:
        """The lists, asked for now, or by somebody else a moment ago. Raises `ServerError`."""
        if self._reading is None or self._reading.done():
            self._reading = self._tasks.create_task(self._read(connected))
        listed = await asyncio.shield(self._reading)
        if isinstance(listed, ServerError):
            raise listed
        return listed

    async def read_quietly(self) -> None:
        """Read them for the catalog; where that fails, the last good ones stay."""
        try:
            await self.read(await self._ready())
        except ServerError as fault:
            # As text: who keeps the record would keep the fault, and with it all that was at work.
            log.warning("server %s: tools not listed: %s", self._name, str(fault))

    def changed(self) -> None:
        """The server said that one of them changed."""
        if self._timer is None:
            loop = asyncio.get_running_loop()
            if loop.time() - self._read_at > CHANGED_QUIET_S:
                self._pause_s = CHANGED_PAUSE_S
            self._timer = loop.call_later(self._pause_s, self._read_again)

    def _read_again(self) -> None:
        self._timer = None
        if self._reading is not None and not self._reading.done():
            # They may have been read before the change that is to be seen.
            self._reading.add_done_callback(lambda _: self._read_again())
        elif self._now() is not None:
            self._tasks.create_task(self.read_quietly())

    async def _read(self, connected: Connected) -> ServerTools | ServerError:
        """The lists, or what stood against it: shared by all who wait, so that none of them is needed to hear it."""
        name = self._name
        try:
            async with asyncio.timeout(LIST_TIMEOUT_S):
                listed = await list_server(connected.connection, connected.hello)
            self._take_in(listed)
        except TimeoutError:
            return ServerError(f"Server {name} did not list its tools in time.", hint="The last good list stays.")
        except RpcError as refusal:
            refused = f"Server {name} answered a list request with error {refusal.code}: {refusal.message}."
            return ServerError(self._words.shown(refused))
        except ServerError as fault:
            return fault
        except Exception:
            # A bug of ours in the care of one server must not end the others.
            log.exception("server %s: bug", name)
            return ServerError(f"The tools of server {name} could not be read, through a fault of Switchboard.")
        return listed

    def _take_in(self, listed: ServerTools) -> None:
        is_same = listed.digest == self._digest
        # Some servers announce a change whenever they are asked for their list: less and less often, then.
        self._pause_s = min(2 * self._pause_s, MOST_CHANGED_PAUSE_S) if is_same else CHANGED_PAUSE_S
        self._digest, self._read_at = listed.digest, asyncio.get_running_loop().time()
        level, counts = logging.DEBUG if is_same else logging.INFO, (len(listed.tools), len(listed.quarantined))
        log.log(level, "server %s: %d tools listed, %d set aside", self._name, *counts)
        self._listed(listed)
