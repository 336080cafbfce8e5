"""The HTTP server below everything: uvicorn, told to keep to what a local gateway needs."""

import asyncio
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp

KEEP_ALIVE_S = 75
"""uvicorn's 5 s are as long as some clients keep an idle connection: both would close it at the same moment."""


class HttpServer:
    """Serves an app on sockets that are already open, until `stop`."""

    def __init__(self) -> None:
        self.at_stop: Callable[[], None] = lambda: None
        """Called once when the server is asked to stop: ends what would keep connections open."""
        self._server: _Uvicorn | None = None
        self._is_stopped = False

    async def serve(self, app: ASGIApp, sockets: list[socket.socket]) -> None:
        """Serve until `stop`, then finish the requests in flight, at most for a second."""
        self._server = _Uvicorn(
            uvicorn.Config(
                app,
                lifespan="off",
                ws="none",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                date_header=False,
                timeout_keep_alive=KEEP_ALIVE_S,
                timeout_graceful_shutdown=1,
            )
        )
        if self._is_stopped:
            self._server.leave()
        await self._server.serve(sockets)

    def stop(self) -> None:
        """Ask the server to end. May be called more than once, and before it serves."""
        if self._is_stopped:
            return
        self._is_stopped = True
        self.at_stop()
        if self._server is not None:
            self._server.leave()


class _Uvicorn(uvicorn.Server):
    """uvicorn without two habits: its signal handlers would end the process before the servers were stopped, and its
    main loop would wake ten times a second to look whether it is to stop.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self._leaving = asyncio.Event()

    def leave(self) -> None:
        """Stop serving."""
        self.should_exit = True
        self._leaving.set()

    async def main_loop(self) -> None:
        await self._leaving.wait()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def new_event_loop() -> asyncio.AbstractEventLoop:
    """An event loop: uvloop's where it exists, else Python's own."""
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
