"""All servers by name: calls go to the right one, missing lists are read, changes of the config apply."""

import asyncio
import logging
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from types import TracebackType

from msgspec import Raw

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import Config, ServerConfig
from switchboard_tray.errors import ConnectionLost, NotFound, ServerError
from switchboard_tray.names import did_you_mean
from switchboard_tray.paths import Paths
from switchboard_tray.protocol.calls import Caller, Listener
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import Members
from switchboard_tray.servers.environment import Launcher
from switchboard_tray.servers.filling import Filling
from switchboard_tray.servers.lifecycle import Insisted, Resumed, Wanted
from switchboard_tray.servers.reports import Reports
from switchboard_tray.servers.status import ServerStatus
from switchboard_tray.servers.stderr import read_log, stderr_path
from switchboard_tray.servers.worker import Worker

log = logging.getLogger(__name__)

LOOK_FOR_SLEEP_S = 5.0
ASLEEP_S = 30.0


class ServerPool:
    """The servers of the config, each with its worker. Enter it to run them; leaving it ends every process."""

    def __init__(
        self,
        paths: Paths,
        environ: Mapping[str, str],
        reports: Reports,
        secret: Callable[[str], str | None] = lambda name: None,
    ) -> None:
        self._paths, self._reports = paths, reports
        self._launcher = Launcher(environ, paths, secret)
        self._workers: dict[str, Worker] = {}
        self._extras: dict[tuple[str, str], Worker] = {}
        """Further processes of a server, by scope: a profile's or client's own, one for the modern era."""
        self._duals: dict[str, asyncio.Task[bool]] = {}
        self._level: str | None = None
        self._tasks = asyncio.TaskGroup()
        self._filling = Filling(self._tasks, self._workers.get)
        self._watch: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "ServerPool":
        await self._tasks.__aenter__()
        self._watch = self._tasks.create_task(self._watch_for_sleep())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._watch is not None:
            self._watch.cancel()
        self._filling.close()
        await asyncio.gather(*(worker.retire() for worker in self._all_workers()))
        await self._launcher.close()
        await self._tasks.__aexit__(kind, error, trace)

    def apply(self, config: Config) -> None:
        """Bring the workers in line with `config`: a server whose start changed is stopped, and starts anew on need."""
        for name, worker in list(self._workers.items()):
            server = config.servers.get(name)
            if server is None or _starts_otherwise(server, worker.server):
                self._drop(name)
        for name, server in config.servers.items():
            worker = self._workers.get(name) or self._add(server)
            worker.adopt(server)
            for extra in self._extras_of(name):
                extra.adopt(server)
            if server.enabled and server.idle_timeout_s == 0:
                worker.post(Wanted())

    def _add(self, server: ServerConfig) -> Worker:
        worker = self._workers[server.name] = self._new_worker(server, "", Era.LEGACY)
        return worker

    def _new_worker(self, server: ServerConfig, scope: str, era: Era) -> Worker:
        worker = Worker(server, self._paths, self._launcher, self._tasks, self._reports, scope=scope, era=era)
        self._tasks.create_task(worker.set_level(self._level))
        return worker

    def _all_workers(self) -> list[Worker]:
        return [*self._workers.values(), *self._extras.values()]

    def _extras_of(self, name: str) -> list[Worker]:
        return [worker for (server, _), worker in self._extras.items() if server == name]

    def _drop(self, name: str) -> None:
        self._filling.forget(name)
        self._duals.pop(name, None)
        dropped = [self._workers.pop(name), *self._extras_of(name)]
        self._extras = {key: worker for key, worker in self._extras.items() if key[0] != name}
        for worker in dropped:
            self._tasks.create_task(worker.retire())

    # -- calls -----------------------------------------------------------------------------------------------------

    async def call(
        self,
        server: str,
        method: str,
        params: Members,
        listener: Listener,
        *,
        profile: str = "",
        is_repeatable: bool = False,
    ) -> bytes | Raw:
        """Send a request to `server`, which is started for it where needed; see `Worker.call` for what is raised.

        `profile` and the caller tell which process it is, where the server is not shared by all.
        """
        while True:
            worker = await self._serving(server, profile, listener.caller)
            try:
                return await worker.call(method, params, listener, is_repeatable=is_repeatable)
            except ConnectionLost as loss:
                if not worker.is_retired or (loss.was_sent and not is_repeatable):
                    raise
                log.info("server %s: a call goes on under the edited config", server)

    async def ready(self, server: str, profile: str, caller: Caller) -> None:
        """Return when the process that serves this caller is up, started for it where needed. Raises `ServerError`."""
        await (await self._serving(server, profile, caller)).ready()

    async def _serving(self, server: str, profile: str, caller: Caller) -> Worker:
        """The worker whose process serves this caller. Valid until the next wait: an edit may replace it."""
        worker = self._instance(self._of_call(server), profile, caller)
        if caller.era is Era.MODERN:
            is_dual = await self._is_dual(worker)
            worker = self._instance(self._of_call(server), profile, caller)
            return self._twin(worker) if is_dual else worker
        return worker

    def _of_call(self, server: str) -> Worker:
        """The worker of a server that a call is on its way to, and that may have been removed meanwhile."""
        try:
            return self._worker(server)
        except NotFound as fault:
            raise ServerError(f"Server {server} was removed.", hint="Its tools are gone.") from fault

    def _instance(self, shared: Worker, profile: str, caller: Caller) -> Worker:
        """The worker whose process serves this caller: the shared one, or one of its profile's or client's own."""
        match shared.server.isolation:
            case "profile":
                scope = f"profile {profile}"
            case "client":
                scope = f"client {caller.client or caller.key}"
            case _:
                return shared
        return self._extra(shared, scope, Era.LEGACY)

    def _twin(self, worker: Worker) -> Worker:
        """The second process of a server that speaks both eras, for clients of the modern one."""
        return self._extra(worker, f"{worker.scope} modern".strip(), Era.MODERN)

    def _extra(self, worker: Worker, scope: str, era: Era) -> Worker:
        key = (worker.server.name, scope)
        if key not in self._extras:
            self._forget_resting()
            self._extras[key] = self._new_worker(worker.server, scope, era)
        return self._extras[key]

    def _forget_resting(self) -> None:
        """Drop extra workers whose process has ended: clients come and go."""
        for key, worker in list(self._extras.items()):
            if worker.is_resting:
                del self._extras[key]

    def watching(self, server: str, uri: str) -> AbstractAsyncContextManager[None]:
        """Be told of updates of a resource while the context lasts; see `Worker.watching`."""
        return self._worker(server).watching(uri)

    def notify(self, servers: Iterable[str], method: str, params: Raw | None) -> None:
        """Pass on what a client tells to those of the servers that run."""
        for name in servers:
            for worker in self._all_workers():
                if worker.server.name == name:
                    worker.notify(method, params)

    def set_level(self, level: str | None) -> None:
        """Have all servers send log messages of `level` and above."""
        if level != self._level:
            self._level = level
            for worker in self._all_workers():
                self._tasks.create_task(worker.set_level(level))

    async def _is_dual(self, worker: Worker) -> bool:
        """Whether the server speaks both eras. Asked when the first modern client calls it, and remembered."""
        name = worker.server.name
        if name not in self._duals:
            self._duals[name] = self._tasks.create_task(self._ask_dual(worker))
        return await asyncio.shield(self._duals[name])

    async def _ask_dual(self, worker: Worker) -> bool:
        try:
            return await worker.is_dual()
        except ServerError:
            # Not known, then: the call itself will tell what is wrong, and the next one asks again.
            self._duals.pop(worker.server.name, None)
            return False

    async def refresh(self, server: str) -> ServerTools:
        """Read the server's tool list now, whatever its backoff. Raises `ServerError`."""
        worker = self._worker(server)
        worker.post(Insisted())
        return await worker.refresh()

    async def restart(self, server: str) -> ServerTools:
        """End the server, start it and read its list. Raises `ServerError`."""
        worker = self._worker(server)
        await asyncio.gather(*(one.stop() for one in (worker, *self._extras_of(worker.server.name))))
        return await self.refresh(server)

    def status(self) -> list[ServerStatus]:
        """Every server as it is now, in the order of the config."""
        return [
            replace(worker.status(), others=tuple(extra.status() for extra in self._extras_of(name)))
            for name, worker in self._workers.items()
        ]

    def hidden_values(self) -> list[str]:
        """Values that servers were started with and that must not be shown. May be called from any thread."""
        return [value for worker in self._all_workers() for value in worker.words.hidden]

    def stderr_text(self, server: str) -> str:
        """All that is kept of what the server wrote to stderr. Raises `OSError` where the log cannot be read."""
        return read_log(stderr_path(self._paths, self._worker(server).server.name))

    def _worker(self, server: str) -> Worker:
        worker = self._workers.get(server)
        if worker is None:
            hint = did_you_mean(server, self._workers) or "Run `switchboard server list` to see the servers."
            raise NotFound(f"There is no server {server!r}.", hint=hint)
        return worker

    async def _watch_for_sleep(self) -> None:
        """Notice that the machine was asleep: a short wait took long by the wall clock."""
        while True:
            before = time.time()
            await asyncio.sleep(LOOK_FOR_SLEEP_S)
            if time.time() - before > LOOK_FOR_SLEEP_S + ASLEEP_S:
                log.info("the machine was asleep: idle times and backoffs begin anew")
                for worker in self._all_workers():
                    worker.post(Resumed())

    # -- lists that are missing ------------------------------------------------------------------------------------

    def fill(self, servers: Iterable[str]) -> list[asyncio.Task[None]]:
        """Have the lists of these servers read; see `Filling.fill`."""
        return self._filling.fill(servers)

    async def wait_for_lists(self, servers: Iterable[str], timeout_s: float) -> None:
        """Wait until these servers were listed or given up, at most `timeout_s` in all."""
        if missing := self.fill(servers):
            await asyncio.wait(missing, timeout=timeout_s)


def _starts_otherwise(one: ServerConfig, other: ServerConfig) -> bool:
    """Whether the two differ in what a running process cannot take over."""
    return _launched(one) != _launched(other)


def _launched(server: ServerConfig) -> ServerConfig:
    return replace(
        server,
        description="",
        idle_timeout_s=0,
        call_timeout_s=0,
        start_timeout_s=0,
        max_concurrent=None,
        tool_changes="warn",
    )
