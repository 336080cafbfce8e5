"""One server's process: its life moved on event by event, and one task that owns a connection from spawn to end."""

import asyncio
import logging
import random
from typing import Protocol

from msgspec import Raw

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.errors import ConnectionLost, ServerError
from switchboard_tray.protocol.eras import Era
from switchboard_tray.servers import lifecycle
from switchboard_tray.servers.environment import Launcher
from switchboard_tray.servers.lifecycle import Action, Ended, Event, Life, Phase, Started, StartFailed, StopAsked
from switchboard_tray.servers.lists import Connected
from switchboard_tray.servers.opening import open_server
from switchboard_tray.servers.reports import Reports
from switchboard_tray.servers.stdio import StdioConnection
from switchboard_tray.servers.words import Words

log = logging.getLogger(__name__)

CALLER_PATIENCE_S = 45.0
"""A call waits so long for a start; the start goes on without it."""


class Visitor(Protocol):
    """Whom a process is kept for."""

    def notified(self, method: str, params: Raw | None) -> None:
        """The server said something that belongs to no call."""

    async def began(self, connected: Connected) -> None:
        """The server has said hello."""

    def ended(self) -> None:
        """The server cannot be spoken to any more."""


class Keeper:
    """Starts a server when it is wanted, lets it rest when it is idle, tries again when it fails."""

    def __init__(
        self,
        server: ServerConfig,
        era: Era,
        words: Words,
        launcher: Launcher,
        tasks: asyncio.TaskGroup,
        reports: Reports,
        visitor: Visitor,
    ) -> None:
        self.server = server
        self.life = Life()
        self.connected: Connected | None = None
        self.is_retired = False
        self._era, self._words, self._launcher = era, words, launcher
        self._tasks, self._reports, self._visitor = tasks, reports, visitor
        self._living: asyncio.Task[None] | None = None
        self._settled: list[asyncio.Future[None]] = []
        self._timer: asyncio.TimerHandle | None = None

    def post(self, event: Event) -> None:
        """Move the server's life on. All of it happens here, at once and in order."""
        loop = asyncio.get_running_loop()
        before = self.life
        self.life, actions = lifecycle.step(before, event, loop.time(), self.server.idle_timeout_s)
        if self.life.phase is not before.phase:
            self._log_change(before)
        for action in actions:
            if action is Action.START:
                self._living = self._tasks.create_task(self._live())
                self._living.add_done_callback(self._lived)
            elif self._living is not None:
                self._living.cancel()
        self._wake_later(loop)
        if self.life.phase not in (Phase.STARTING, Phase.STOPPING):
            for waiter in self._settled:
                if not waiter.done():
                    waiter.set_result(None)
            self._settled.clear()

    def use(self, step: int) -> None:
        """One call or watch more, or one less."""
        loop = asyncio.get_running_loop()
        used = lifecycle.Used(self.life.busy + step)
        # Never more than a change of the count, so it can do without the rest of `post`.
        self.life, _ = lifecycle.step(self.life, used, loop.time(), self.server.idle_timeout_s)
        if self.life.busy == 0:
            self._wake_later(loop)

    def adopt(self, server: ServerConfig) -> None:
        """Go on under an edited config that needs no new process."""
        self.server = server
        self._wake_later(asyncio.get_running_loop())

    async def ready(self, *, by_call: bool) -> Connected:
        """The server, started where needed. Raises `ServerError` where that fails or takes too long."""
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
        if self.connected is None:
            raise self._unavailable()
        return self.connected

    async def stop(self) -> None:
        """End the server, if it runs, and wait until nothing of it is left."""
        self.post(StopAsked())
        await self._settle()

    async def retire(self) -> None:
        """End the server for good: another process has its name now, or none. Nothing starts it here any more."""
        self.is_retired = True
        await self.stop()
        if self._timer is not None:
            # It would keep all of this in memory until the idle time is over.
            self._timer.cancel()

    async def _settle(self) -> None:
        """Wait until the server neither starts nor stops."""
        if self.life.phase in (Phase.STARTING, Phase.STOPPING):
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._settled.append(waiter)
            await waiter

    def _wake_later(self, loop: asyncio.AbstractEventLoop) -> None:
        due = lifecycle.wake_at(self.life, self.server.idle_timeout_s)
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
        name, connection = self.server.name, StdioConnection(self._words.stderr, self._visitor.notified)
        outcome: Event = StartFailed("")
        try:
            hello = await open_server(
                self.server, connection, self._era, self._launcher, self._words, self._reports
            )
            self.connected, outcome = Connected(connection, hello), Ended()
            self.post(Started())
            await self._visitor.began(self.connected)
            await connection.process.wait()
            outcome = Ended(self._words.explain(f"Server {name} ended: {connection.process.epitaph}"))
        except ServerError as fault:
            outcome = StartFailed(f"{fault} {fault.hint}".strip(), random.uniform(0.8, 1.2))
        except Exception:
            # A bug of ours in the care of one server must not end the others.
            log.exception("server %s: bug", name)
            outcome = StartFailed(f"Server {name} could not be started, through a fault of Switchboard.")
        finally:
            self.connected = None
            self._visitor.ended()
            await connection.close()
            self._reports.ended(connection.process.pid)
            self.post(outcome)

    def _lived(self, living: asyncio.Task[None]) -> None:
        # A task that is cancelled before its first step runs none of its code, and so tells no outcome.
        if living is self._living and self.life.phase in (Phase.STARTING, Phase.STOPPING):
            self.post(Ended())

    def _must_not_be_retired(self) -> None:
        if self.is_retired:
            gone = f"Server {self.server.name} was changed or removed."
            raise ConnectionLost(gone, was_sent=False, hint="Try again.")

    def _unavailable(self) -> ServerError:
        retry_at = self.life.retry_at
        if retry_at is None:
            hint = "The next call tries again."
        else:
            hint = f"The next try is in {max(0.0, retry_at - asyncio.get_running_loop().time()):.0f} s."
        return ServerError(self.life.fault or f"Server {self.server.name} was stopped.", hint=hint)

    def _log_change(self, before: Life) -> None:
        took = f" in {self.life.since - before.since:.1f} s" if before.phase is Phase.STARTING else ""
        fault = f": {self.life.fault}" if self.life.phase is Phase.FAILING else ""
        log.info("server %s: %s -> %s%s%s", self.server.name, before.phase.value, self.life.phase.value, took, fault)
