"""What is asked of one server: calls in their turn, its lists, what somebody watches. `keeper` has its process."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from msgspec import Raw

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import ServerConfig
from switchboard_tray.errors import ConnectionLost, ServerError
from switchboard_tray.paths import Paths
from switchboard_tray.protocol.calls import Listener
from switchboard_tray.protocol.eras import LISTEN_KEYS, RESOURCE_UPDATED, Era
from switchboard_tray.protocol.messages import Members, read_members, read_text
from switchboard_tray.servers.across import call_across
from switchboard_tray.servers.environment import Launcher
from switchboard_tray.servers.following import follow, tell_of_start
from switchboard_tray.servers.gate import Gate
from switchboard_tray.servers.handshake import speaks_modern_too
from switchboard_tray.servers.keeper import Keeper
from switchboard_tray.servers.lifecycle import Event, Phase
from switchboard_tray.servers.lists import Connected, Lists
from switchboard_tray.servers.reports import Reports
from switchboard_tray.servers.standing import Standing
from switchboard_tray.servers.status import ServerStatus
from switchboard_tray.servers.stderr import stderr_path
from switchboard_tray.servers.words import Words

log = logging.getLogger(__name__)

PROBE_TIMEOUT_S = 3.0


class Worker:
    """Asks one process of a server, which is started for it where needed."""

    def __init__(
        self,
        server: ServerConfig,
        paths: Paths,
        launcher: Launcher,
        tasks: asyncio.TaskGroup,
        reports: Reports,
        *,
        scope: str = "",
        era: Era = Era.LEGACY,
    ) -> None:
        self.scope = scope
        """Whom the process is for, where it is not for all."""
        self.words = Words(stderr_path(paths, server.name))
        self._tasks, self._reports = tasks, reports
        self._standing = Standing()
        self._keeper = Keeper(server, era, self.words, launcher, tasks, reports, self)
        self._gate = Gate(server.name, lambda: self.server.max_concurrent)
        self._lists = Lists(server.name, tasks, self.words, self._ready_for_list, self._now, self._listed)
        self._calls = 0

    # -- its process -----------------------------------------------------------------------------------------------

    @property
    def server(self) -> ServerConfig:
        """The server, as the config has it now."""
        return self._keeper.server

    @property
    def is_retired(self) -> bool:
        """Whether another worker has the server's name now, or none."""
        return self._keeper.is_retired

    @property
    def is_busy(self) -> bool:
        """Whether a call is in flight."""
        return self._keeper.life.busy > 0

    @property
    def is_resting(self) -> bool:
        """Whether there is no process, and none is about to be."""
        return self._keeper.life.phase in (Phase.STOPPED, Phase.FAILING) and not self.is_busy

    @property
    def last_used(self) -> float:
        """When a call last needed the server, by the event loop's clock."""
        return self._keeper.life.last_used

    def post(self, event: Event) -> None:
        """Move the server's life on."""
        self._keeper.post(event)

    def adopt(self, server: ServerConfig) -> None:
        """Go on under an edited config that needs no new process."""
        self._keeper.adopt(server)
        self._gate.admit()

    async def stop(self) -> None:
        """End the server, if it runs, and wait until nothing of it is left."""
        await self._keeper.stop()

    async def retire(self) -> None:
        """End the server for good; calls that wait for it are told, and nothing starts it here any more."""
        await self._keeper.retire()

    def status(self) -> ServerStatus:
        """The server as it is now."""
        now, life, connected = asyncio.get_running_loop().time(), self._keeper.life, self._keeper.connected
        connection = connected.connection if connected else None
        state = life.phase.value if self.server.enabled else "disabled"
        return ServerStatus(
            name=self.server.name,
            scope=self.scope,
            state="stopped" if state == "stopping" else state,
            pid=connection.process.pid if connection else None,
            uptime_s=now - life.since if life.phase is Phase.READY else None,
            calls=self._calls,
            in_flight=life.busy,
            fault=life.fault,
            retry_in_s=max(0.0, life.retry_at - now) if life.retry_at is not None else None,
            junk_lines=connection.junk_lines if connection else 0,
            first_junk=self.words.shown(connection.first_junk) if connection else "",
            last_stderr=self.words.stderr.tail(),
        )

    # -- calls -----------------------------------------------------------------------------------------------------

    async def call(self, method: str, params: Members, listener: Listener, *, is_repeatable: bool) -> bytes | Raw:
        """Send a client's request on and follow it to its result, across the eras where the two sides differ.

        A request that a crash met is sent once more if the server cannot have acted on it, or `is_repeatable`.

        Raises `RpcError` with the server's own error, `ServerError` where the server cannot be started, is busy or goes
        away, `CallTimeout` where it takes too long.
        """
        self._calls += 1
        token = read_members(params.get("_meta")).get("progressToken")
        # A call that waits for its turn keeps the server from idling too.
        self._keeper.use(1)
        try:
            await self._gate.enter()
            try:
                return await self._call_once(method, params, listener, token)
            except ConnectionLost as loss:
                if self.is_retired or (loss.was_sent and not is_repeatable):
                    raise
                log.info("server %s: a call is repeated, since it can have had no effect", self.server.name)
                return await self._call_once(method, params, listener, token)
            finally:
                self._gate.leave()
        finally:
            self._keeper.use(-1)

    async def _call_once(self, method: str, params: Members, listener: Listener, token: Raw | None) -> bytes | Raw:
        connected = await self._ready_for_call(listener, token)
        connection, timeout_s = connected.connection, self.server.call_timeout_s

        async def send(adapted: Members) -> Raw:
            call = connection.relay(method, adapted, token, listener.caller.key)
            try:
                return await follow(call, listener, self.server.name, timeout_s, self.words.explain)
            finally:
                connection.cancel(call, "the caller no longer waits")

        return await call_across(method, params, listener, connected.hello.era, send)

    async def _ready_for_call(self, listener: Listener, token: Raw | None) -> Connected:
        """The server; while it starts, the client is told so."""
        keeper = self._keeper
        if keeper.connected is not None and keeper.life.phase is Phase.READY:
            return keeper.connected
        telling = self._tasks.create_task(tell_of_start(self.server.name, listener, token))
        try:
            return await keeper.ready(by_call=True)
        finally:
            telling.cancel()

    async def ready(self) -> None:
        """Return when the server is up. Raises `ServerError` where it cannot be started."""
        await self._keeper.ready(by_call=True)

    async def is_dual(self) -> bool:
        """Whether the server, reached in the legacy era, speaks the modern one as well. Asked once in its life."""
        connected = await self._keeper.ready(by_call=True)
        if connected.hello.era is Era.MODERN:
            return False
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                return await speaks_modern_too(connected.connection)
        except TimeoutError:
            return False

    async def set_level(self, level: str | None) -> None:
        """Have the server send log messages of `level` and above, now and after each start."""
        await self._standing.set_level(level)

    def notify(self, method: str, params: Raw | None) -> None:
        """Pass on what a client tells, if the server runs and may be told."""
        connected = self._keeper.connected
        if connected is not None and connected.hello.era is Era.LEGACY:
            with suppress(ServerError):
                connected.connection.notify(method, params)

    @asynccontextmanager
    async def watching(self, uri: str) -> AsyncIterator[None]:
        """Be told of updates of a resource meanwhile; the server is not stopped for idleness while somebody is.

        Raises `RpcError` or `ServerError` where the server refuses.
        """
        self._keeper.use(1)
        try:
            await self._keeper.ready(by_call=True)
            await self._standing.watch(uri)
            try:
                yield
            finally:
                await self._standing.unwatch(uri)
        finally:
            self._keeper.use(-1)

    # -- lists -----------------------------------------------------------------------------------------------------

    async def refresh(self, *, by_call: bool = True) -> ServerTools:
        """The server's tools, asked for now; started for it where needed. Raises `ServerError`."""
        return await self._lists.read(await self._keeper.ready(by_call=by_call))

    async def _ready_for_list(self) -> Connected:
        return await self._keeper.ready(by_call=False)

    def _now(self) -> Connected | None:
        return self._keeper.connected

    def _listed(self, tools: ServerTools) -> None:
        self._reports.listed(self.server, tools)

    # -- called by the keeper --------------------------------------------------------------------------------------

    def notified(self, method: str, params: Raw | None) -> None:
        """The server said something that belongs to no call."""
        if method == RESOURCE_UPDATED and (uri := read_text(read_members(params).get("uri"))) is not None:
            self._reports.updated(self.server, params, uri)
        elif method in LISTEN_KEYS:
            self._lists.changed()

    async def began(self, connected: Connected) -> None:
        """The server has said hello."""
        self._tasks.create_task(self._lists.read_quietly())
        await self._standing.begin(connected.connection, connected.hello)

    def ended(self) -> None:
        """The server cannot be spoken to any more."""
        self._standing.end()
