"""The gateway, put together: what is built, in which order it starts, and in which it ends.

The only place that knows all parts. `run` serves on the calling thread until it is asked to stop.
"""

import asyncio
import logging
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager
from dataclasses import dataclass

from msgspec import Raw
from starlette.routing import BaseRoute, Router
from starlette.types import ASGIApp

from switchboard_tray import __version__
from switchboard_tray.admin.api import Gateway, admin_routes
from switchboard_tray.admin.auth import read_or_make_token
from switchboard_tray.admin.pages import nothing_here, page_routes
from switchboard_tray.catalog.model import Catalog, ServerTools
from switchboard_tray.config.model import Config, ServerConfig
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.gateway.dispatch import Dispatcher
from switchboard_tray.gateway.door import Door
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.gateway.scripts import Scripts
from switchboard_tray.gateway.searching import Searcher
from switchboard_tray.jsonfile import make_private_folder
from switchboard_tray.logs import crashes_to, log_to, set_level
from switchboard_tray.paths import Paths
from switchboard_tray.sandbox.pool import SandboxPool
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.snapshot import Snapshot
from switchboard_tray.stores.audit import AuditLog
from switchboard_tray.stores.catalog import CatalogStore
from switchboard_tray.stores.config import ConfigStore, Loaded
from switchboard_tray.stores.daemon import Daemon, only_instance, remove_daemon, write_daemon
from switchboard_tray.stores.leftovers import Leftovers
from switchboard_tray.stores.secrets import SecretStore
from switchboard_tray.stores.shapes import ShapeStore
from switchboard_tray.stores.vectors import VectorStore
from switchboard_tray.wire.endpoint import Endpoint
from switchboard_tray.wire.guard import Guard
from switchboard_tray.wire.listen import listen
from switchboard_tray.wire.server import HttpServer, new_event_loop
from switchboard_tray.wire.sessions import Sessions

log = logging.getLogger(__name__)

WATCH_EVERY_S = 1.0
STRAYS_KEPT_S = 30 * 24 * 3600.0


def run(
    paths: Paths, *, port: int | None = None, verbose: bool = False, environ: Mapping[str, str] = os.environ
) -> int:
    """Serve until SIGTERM, Ctrl-C or ``stop``; the exit status.

    `port` overrides the config's for this run. Raises `GatewayError` where another gateway runs or the port is taken,
    `ConfigError` where no valid config is at hand.
    """
    make_private_folder(paths.state)
    with only_instance(paths.instance_lock, paths.daemon):
        store = ConfigStore(paths)
        loaded = store.create_first()
        with crashes_to(paths.logs), log_to(paths.logs, loaded.config.settings.log_level, verbose=verbose):
            with asyncio.Runner(loop_factory=new_event_loop) as runner:
                runner.run(serve(store, paths, port or loaded.config.settings.port, environ, _stopped_by_signals))
    return 0


async def serve(
    store: ConfigStore,
    paths: Paths,
    port: int,
    environ: Mapping[str, str],
    stopped_by: Callable[[Callable[[], None]], AbstractContextManager[None]],
) -> None:
    """Serve on `port`, on a free one where it is 0, until what `stopped_by` is handed is called.

    Raises `GatewayError` where the port is taken.
    """
    sockets = listen(port)
    url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    server = HttpServer()
    async with build_gateway(store, paths, url, environ, server.stop) as app:
        server.at_stop = app.endpoint.close
        with stopped_by(server.stop):
            write_daemon(paths.daemon, Daemon(os.getpid(), url, __version__))
            try:
                log.info("gateway %s serves at %s", __version__, url)
                print(f"Switchboard {__version__} serves at {url}/mcp", file=sys.stderr, flush=True)
                await server.serve(app.asgi, sockets)
            finally:
                remove_daemon(paths.daemon)
    log.info("gateway ended")


@dataclass(frozen=True, slots=True)
class App:
    """The gateway as something to serve."""

    asgi: ASGIApp
    endpoint: Endpoint
    routes: tuple[BaseRoute, ...]
    """Every route there is; the guard stands before all of them."""


@asynccontextmanager
async def build_gateway(
    store: ConfigStore, paths: Paths, url: str, environ: Mapping[str, str], stop: Callable[[], None]
) -> AsyncIterator[App]:
    """All parts, running. At the end the servers stop, then what is unsaved is written."""
    started = time.monotonic()
    shapes = ShapeStore(paths.shapes)
    catalogs, hub = CatalogStore(paths.catalog), Hub(shapes=lambda: shapes.current)
    sessions = Sessions(paths.sessions, time.time())
    secrets = SecretStore(paths.secrets)
    leftovers = Leftovers(paths.running)
    reports = _Reports(hub, leftovers)
    servers = ServerPool(paths, environ, reports, secrets.get)
    audit = AuditLog(
        paths.audit, lambda: store.current.config.settings.audit, lambda: (*secrets.values(), *servers.hidden_values())
    )
    try:
        await asyncio.to_thread(leftovers.end_all)
        async with servers as pool, SandboxPool() as sandbox, asyncio.TaskGroup() as tasks:
            door = Door(hub, pool, audit, shapes)
            searcher = Searcher(hub, pool, VectorStore().load, shapes.of)
            scripts = Scripts(pool, door, searcher, sandbox)
            endpoint = Endpoint(Dispatcher(hub, pool, door, searcher, scripts), sessions, lambda: _limit_bytes(hub))
            reports.on_updated = endpoint.resource_updated
            gateway = Gateway(
                store=store,
                hub=hub,
                pool=pool,
                door=door,
                searcher=searcher,
                scripts=scripts,
                token=read_or_make_token(paths.admin_token),
                url=url,
                config_path=str(paths.config),
                facts=lambda: {
                    "pid": os.getpid(),
                    "uptimeSec": time.monotonic() - started,
                    "sessions": sum(1 for session in sessions if session.facts),
                },
                apply=lambda loaded: _apply(loaded, hub, pool),
                stop=stop,
                server_log=pool.stderr_text,
            )
            hub.listen(lambda before, now: _follow(before, now, endpoint, pool, catalogs))
            hub.update(store.current.config, _known_lists(catalogs, store.current.config))
            pool.apply(store.current.config)
            pool.fill(_unlisted(hub.current))
            watching = tasks.create_task(_watch(store, gateway.apply, shapes))
            routes = (*endpoint.routes(), *admin_routes(gateway), *page_routes())
            # No error pages of Starlette's: nothing of ours raises past its own translator.
            others = Router(list(routes), redirect_slashes=False, default=nothing_here)
            yield App(Guard(endpoint.before(others)), endpoint, routes)
            watching.cancel()
    finally:
        catalogs.flush()
        shapes.save()
        sessions.close()
        await asyncio.to_thread(audit.close)


class _Reports:
    """What servers say and do unasked: lists go to the hub, updates to the clients that watch, processes are noted."""

    def __init__(self, hub: Hub, leftovers: Leftovers) -> None:
        self._hub, self._leftovers = hub, leftovers
        self.on_updated: Callable[[str, Raw | None, str], None] = lambda server, params, uri: None

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        """A server's lists were read."""
        self._hub.listed(server, tools)

    def starting(self) -> Mapping[str, str]:
        """A process is about to start; what it must be given beside its own variables."""
        return self._leftovers.starting()

    def started(self, env: Mapping[str, str], pid: int) -> None:
        """The process that was about to start with `env` runs; 0 where it could not be started."""
        self._leftovers.started(env, pid)

    def ended(self, pid: int) -> None:
        """A process and all it started has ended."""
        self._leftovers.ended(pid)

    def updated(self, server: ServerConfig, params: Raw | None, uri: str) -> None:
        """A watched resource changed."""
        self.on_updated(server.name, params, uri)


def _apply(loaded: Loaded, hub: Hub, pool: ServerPool) -> None:
    """Put a config in force: servers first, so that a list read for it finds its worker."""
    set_level(loaded.config.settings.log_level)
    pool.apply(loaded.config)
    hub.update(loaded.config)


def _follow(before: Snapshot, now: Snapshot, endpoint: Endpoint, pool: ServerPool, catalogs: CatalogStore) -> None:
    """What a new snapshot sets off."""
    endpoint.announce_changes()
    if now.catalog is not before.catalog:
        catalogs.save_soon(now.catalog)
    if now.config is not before.config:
        pool.fill(_unlisted(now))


def _unlisted(snapshot: Snapshot) -> list[str]:
    """Servers that a profile uses and whose tools were never listed."""
    return list(dict.fromkeys(name for offer in snapshot.offers.values() for name in offer.unlisted))


def _known_lists(catalogs: CatalogStore, config: Config) -> Catalog:
    """The lists of the last run; those of servers that left the config are forgotten after a while."""
    return catalogs.load().without_strays(config, time.time() - STRAYS_KEPT_S)


def _limit_bytes(hub: Hub) -> int:
    return hub.current.config.settings.max_request_mb << 20


async def _watch(store: ConfigStore, apply: Callable[[Loaded], None], shapes: ShapeStore) -> None:
    """Put edits by hand in force. A fault in the file is logged once; the last good config stays.

    What was learnt of results is written down on the way.
    """
    while True:
        await asyncio.sleep(WATCH_EVERY_S)
        await asyncio.to_thread(shapes.save)
        try:
            loaded = await asyncio.to_thread(store.poll)
        except (OSError, SwitchboardError) as exc:
            log.warning("config not read: %s", exc)
            continue
        if loaded is None:
            continue
        for problem in loaded.problems:
            log.warning("config: %s", problem)
        if not loaded.problems:
            log.info("config: changed on disk, now in force")
            apply(loaded)


@contextmanager
def _stopped_by_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Have SIGTERM and Ctrl-C end the gateway in order."""
    loop = asyncio.get_running_loop()
    former = {
        number: signal.signal(number, lambda *_: loop.call_soon_threadsafe(stop))
        for number in (signal.SIGINT, signal.SIGTERM)
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
