"""One server: its life moved on event by event, and one task that owns a connection from spawn to end."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Protocol

from msgspec import Raw

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import ServerConfig
from switchboard_tray.errors import ConnectionLost, ServerError
from switchboard_tray.paths import Paths
from switchboard_tray.protocol.calls import Listener, Note
from switchboard_tray.protocol.eras import LISTEN_KEYS, RESOURCE_UPDATED, Era
from switchboard_tray.protocol.messages import Members, RpcError, dumps, read_members, read_text
from switchboard_tray.redact import redact, spellings
from switchboard_tray.servers import lifecycle
from switchboard_tray.servers.across import call_across
from switchboard_tray.servers.environment import Launcher
from switchboard_tray.servers.following import follow
from switchboard_tray.servers.gate import Gate
from switchboard_tray.servers.handshake import Hello, shake_hands, speaks_modern_too
from switchboard_tray.servers.installing import extended_while_installing
from switchboard_tray.servers.lifecycle import Action, Ended, Event, Life, Phase, Started, StartFailed, StopAsked
from switchboard_tray.servers.listing import list_server
from switchboard_tray.servers.standing import Standing
from switchboard_tray.servers.status import ServerStatus
from switchboard_tray.servers.stderr import StderrLog, stderr_path
from switchboard_tray.servers.stdio import StdioConnection

log = logging.getLogger(__name__)

CALLER_PATIENCE_S = 45.0
"""A call waits so long for a start; the start goes on without it."""
PROBE_TIMEOUT_S = 3.0
TELL_EVERY_S = 5
LIST_TIMEOUT_S = 60.0
CHANGED_PAUSE_S = 0.1
"""A server that announces many changes at once is listed once."""


class Reports(Protocol):
    """Where a worker reports what a server said unasked."""

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        """The server's lists were read."""

    def started(self, pid: int) -> None:
        """A process runs."""

    def ended(self, pid: int) -> None:
        """A process and all it started has ended."""

    def updated(self, server: ServerConfig, params: Raw | None, uri: str) -> None:
        """A watched resource changed."""


class Worker:
    """Keeps one server: starts it when it is wanted, lets it rest when it is idle, tries again when it fails."""

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
        self.server = server
        self.scope = scope
        """Whom the process is for, where it is not for all."""
        self._launcher, self._tasks, self._reports, self._era = launcher, tasks, reports, era
        self._standing = Standing()
        self.stderr_path = stderr_path(paths, server.name)
        self._stderr = StderrLog(self.stderr_path)
        self._life = Life()
        self._connection: StdioConnection | None = None
        self._hello: Hello | None = None
        self._living: asyncio.Task[None] | None = None
        self._listing: asyncio.Task[ServerTools | ServerError] | None = None
        self._relist: asyncio.TimerHandle | None = None
        self._gate = Gate(server.name, lambda: self.server.max_concurrent)
        self._settled: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None
        self._calls = 0
        self.is_retired = False
        self.hidden: tuple[str, ...] = ()
        """What the server was started with and must not be shown where it repeats it."""
        self._spelled: tuple[str, ...] = ()

    # -- life ------------------------------------------------------------------------------------------------------

    def post(self, event: Event) -> None:
        """Move the server's life on. All of it happens here, at once and in order."""
        loop = asyncio.get_running_loop()
        before = self._life
        self._life, actions = lifecycle.step(before, event, loop.time(), self.server.idle_timeout_s)
        if self._life.phase is not before.phase:
            self._log_change(before)
        for action in actions:
            if action is Action.START:
                self._living = self._tasks.create_task(self._live())
            elif self._living is not None:
                self._living.cancel()
        self._wake_later(loop)
        if self._life.phase not in (Phase.STARTING, Phase.STOPPING):
            for waiter in self._settled:
                if not waiter.done():
                    waiter.set_result(None)
            self._settled.clear()

    def adopt(self, server: ServerConfig) -> None:
        """Go on under an edited config that needs no new process."""
        self.server = server
        self._gate.admit()
        self._wake_later(asyncio.get_running_loop())

    async def stop(self) -> None:
        """End the server, if it runs, and wait until nothing of it is left."""
        self.post(StopAsked())
        await self._settle()

    async def retire(self) -> None:
        """End the server for good: another worker has its name now, or none. Nothing starts it here any more."""
        self.is_retired = True
        await self.stop()

    @property
    def is_busy(self) -> bool:
        """Whether a call is in flight."""
        return self._life.busy > 0

    @property
    def is_resting(self) -> bool:
        """Whether there is no process, and none is about to be."""
        return self._life.phase in (Phase.STOPPED, Phase.FAILING) and not self.is_busy

    @property
    def last_used(self) -> float:
        """When a call last needed the server, by the event loop's clock."""
        return self._life.last_used

    def status(self) -> ServerStatus:
        """The server as it is now."""
        now = asyncio.get_running_loop().time()
        life, connection = self._life, self._connection
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
            first_junk=self._shown(connection.first_junk) if connection else "",
            last_stderr=self._stderr.tail(),
        )

    def _wake_later(self, loop: asyncio.AbstractEventLoop) -> None:
        due = lifecycle.wake_at(self._life, self.server.idle_timeout_s)
        if due is None or (self._timer is not None and self._timer.when() <= due):
            # A timer that comes too early sets the right one; to move it with each call would cost more.
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer = loop.call_at(due, self._wake)

    def _wake(self) -> None:
        self._timer = None
        self.post(lifecycle.TimePassed())

    async def _live(self) -> None:
        """One process, from its start to its end."""
        connection = StdioConnection(self._stderr, self._notified)
        outcome: Event = StartFailed("")
        try:
            self._hello = await self._open(connection)
            self._connection, outcome = connection, Ended()
            self.post(Started())
            await self._standing.begin(connection, self._hello)
            self._tasks.create_task(self._list_quietly())
            await connection.process.wait()
            outcome = Ended(self._with_stderr(f"Server {self.server.name} ended: {connection.process.epitaph}"))
        except ServerError as fault:
            outcome = StartFailed(f"{fault} {fault.hint}".strip(), random.uniform(0.8, 1.2))
        except Exception:
            # A bug of ours in the care of one server must not end the others.
            log.exception("server %s: bug", self.server.name)
            outcome = StartFailed(f"Server {self.server.name} could not be started, through a fault of Switchboard.")
        finally:
            self._connection = None
            self._standing.end()
            await connection.close()
            self._reports.ended(connection.process.pid)
            self.post(outcome)

    async def _open(self, connection: StdioConnection) -> Hello:
        try:
            async with asyncio.timeout(self.server.start_timeout_s) as limit:
                launch = await self._launcher.plan(self.server)
                self.hidden = launch.hidden
                self._spelled = spellings(launch.hidden)
                self._stderr.begin(self._spelled)
                await connection.spawn(launch)
                self._reports.started(connection.process.pid)
                async with extended_while_installing(limit, launch, connection.process, self.server.start_timeout_s):
                    return await shake_hands(connection, self._era)
        except TimeoutError:
            late = f"Server {self.server.name} did not answer within {self.server.start_timeout_s:g} s of its start"
            raise ServerError(self._with_stderr(late), hint="startTimeoutSec can be raised.") from None
        except RpcError as refusal:
            refused = f"Server {self.server.name} refused to start: error {refusal.code}, {refusal.message}"
            raise ServerError(self._with_stderr(refused)) from refusal
        except ServerError as fault:
            raise ServerError(self._with_stderr(str(fault).rstrip(".")), hint=fault.hint) from fault

    async def _settle(self) -> None:
        """Wait until the server neither starts nor stops."""
        if self._life.phase in (Phase.STARTING, Phase.STOPPING):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._settled.append(waiter)
            await waiter

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
        self._use(1)
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
            self._use(-1)

    async def _call_once(self, method: str, params: Members, listener: Listener, token: Raw | None) -> bytes | Raw:
        connection = await self._ready_for(listener, token)
        assert self._hello is not None
        timeout_s = self.server.call_timeout_s

        async def send(adapted: Members) -> Raw:
            call = connection.relay(method, adapted, token, listener.caller.key)
            try:
                return await follow(call, listener, self.server.name, timeout_s, self._with_stderr)
            finally:
                connection.cancel(call, "the caller no longer waits")

        return await call_across(method, params, listener, self._hello.era, send)

    async def _ready_for(self, listener: Listener, token: Raw | None) -> StdioConnection:
        """The connection; while the server starts, the client is told so."""
        if self._connection is not None and self._life.phase is Phase.READY:
            return self._connection
        telling = self._tasks.create_task(self._tell_of_start(listener, token))
        try:
            return await self._ready()
        finally:
            telling.cancel()

    async def _tell_of_start(self, listener: Listener, token: Raw | None) -> None:
        elapsed_s = 0
        while True:
            await asyncio.sleep(TELL_EVERY_S)
            elapsed_s += TELL_EVERY_S
            if token is None:
                await listener.tick()
            else:
                message = f"starting server {self.server.name}"
                told = {"progressToken": token, "progress": elapsed_s, "message": message}
                await listener.note(Note("notifications/progress", dumps(told)))

    async def is_dual(self) -> bool:
        """Whether the server, reached in the legacy era, speaks the modern one as well. Asked once in its life."""
        connection = await self._ready()
        if self._hello is None or self._hello.era is Era.MODERN:
            return False
        try:
            async with asyncio.timeout(PROBE_TIMEOUT_S):
                return await speaks_modern_too(connection)
        except TimeoutError:
            return False

    async def set_level(self, level: str | None) -> None:
        """Have the server send log messages of `level` and above, now and after each start."""
        await self._standing.set_level(level)

    def notify(self, method: str, params: Raw | None) -> None:
        """Pass on what a client tells, if the server runs and may be told."""
        if self._connection is not None and self._hello is not None and self._hello.era is Era.LEGACY:
            try:
                self._connection.notify(method, params)
            except ServerError:
                pass

    @asynccontextmanager
    async def watching(self, uri: str) -> AsyncIterator[None]:
        """Be told of updates of a resource meanwhile; the server is not stopped for idleness while somebody is.

        Raises `RpcError` or `ServerError` where the server refuses.
        """
        self._use(1)
        try:
            await self._ready()
            await self._standing.watch(uri)
            try:
                yield
            finally:
                await self._standing.unwatch(uri)
        finally:
            self._use(-1)

    async def refresh(self, *, by_call: bool = True) -> ServerTools:
        """The server's tools, asked for now; started for it where needed. Raises `ServerError`."""
        await self._ready(by_call=by_call)
        if self._listing is None or self._listing.done():
            self._listing = self._tasks.create_task(self._list())
        listed = await asyncio.shield(self._listing)
        if isinstance(listed, ServerError):
            raise listed
        return listed

    def _use(self, step: int) -> None:
        """One call or watch more, or one less."""
        loop = asyncio.get_running_loop()
        used = lifecycle.Used(self._life.busy + step)
        # Never more than a change of the count, so it can do without the rest of `post`.
        self._life, _ = lifecycle.step(self._life, used, loop.time(), self.server.idle_timeout_s)
        if self._life.busy == 0:
            self._wake_later(loop)

    async def _ready(self, *, by_call: bool = True) -> StdioConnection:
        """The connection, started where needed. Raises `ServerError` where that fails or takes too long."""
        name = self.server.name
        if not self.server.enabled:
            raise ServerError(f"Server {name} is disabled.", hint=f"Enable it with `switchboard server enable {name}`.")
        self._must_not_be_retired()
        self.post(lifecycle.Wanted(by_call))
        try:
            async with asyncio.timeout(min(self.server.start_timeout_s, CALLER_PATIENCE_S)):
                await self._settle()
        except TimeoutError:
            raise ServerError(f"Server {name} is still starting.", hint="Try again in a moment.") from None
        self._must_not_be_retired()
        if self._connection is None:
            raise self._unavailable()
        return self._connection

    def _must_not_be_retired(self) -> None:
        if self.is_retired:
            gone = f"Server {self.server.name} was changed or removed."
            raise ConnectionLost(gone, was_sent=False, hint="Try again.")

    def _unavailable(self) -> ServerError:
        retry_at = self._life.retry_at
        if retry_at is None:
            hint = "The next call tries again."
        else:
            hint = f"The next try is in {max(0.0, retry_at - asyncio.get_running_loop().time()):.0f} s."
        return ServerError(self._life.fault or f"Server {self.server.name} was stopped.", hint=hint)

    # -- lists -----------------------------------------------------------------------------------------------------

    def _notified(self, method: str, params: Raw | None) -> None:
        if method == RESOURCE_UPDATED and (uri := read_text(read_members(params).get("uri"))) is not None:
            self._reports.updated(self.server, params, uri)
        elif method in LISTEN_KEYS and self._relist is None:
            self._relist = asyncio.get_running_loop().call_later(CHANGED_PAUSE_S, self._list_again)

    def _list_again(self) -> None:
        self._relist = None
        if self._listing is not None and not self._listing.done():
            # It may have been read before the change that is to be seen.
            self._listing.add_done_callback(lambda _: self._list_again())
        elif self._connection is not None:
            self._tasks.create_task(self._list_quietly())

    async def _list_quietly(self) -> None:
        """Read the list for the catalog; where that fails, the last good one stays."""
        try:
            await self.refresh(by_call=False)
        except ServerError as fault:
            log.warning("server %s: tools not listed: %s", self.server.name, fault)

    async def _list(self) -> ServerTools | ServerError:
        """The list, or what stood against it: shared by all who wait, so that none of them is needed to hear it."""
        connection, hello, name = self._connection, self._hello, self.server.name
        if connection is None or hello is None:
            return self._unavailable()
        try:
            async with asyncio.timeout(LIST_TIMEOUT_S):
                listed = await list_server(connection, hello)
        except TimeoutError:
            return ServerError(f"Server {name} did not list its tools in time.", hint="The last good list stays.")
        except RpcError as refusal:
            return ServerError(f"Server {name} answered a list request with error {refusal.code}: {refusal.message}.")
        except ServerError as fault:
            return fault
        log.info("server %s: %d tools listed, %d set aside", name, len(listed.tools), len(listed.quarantined))
        self._reports.listed(self.server, listed)
        return listed

    # -- words -----------------------------------------------------------------------------------------------------

    def _with_stderr(self, fault: str) -> str:
        tail = self._stderr.tail()
        return self._shown(f"{fault}. Its last words: {tail}" if tail else f"{fault}.")

    def _shown(self, text: str) -> str:
        """`text` without values that must not be shown."""
        return redact(text, self._spelled)

    def _log_change(self, before: Life) -> None:
        took = f" in {self._life.since - before.since:.1f} s" if before.phase is Phase.STARTING else ""
        fault = f": {self._life.fault}" if self._life.phase is Phase.FAILING else ""
        log.info(
            "server %s: %s -> %s%s%s", self.server.name, before.phase.value, self._life.phase.value, took, fault
        )


