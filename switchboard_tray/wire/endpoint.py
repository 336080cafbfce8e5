"""The MCP addresses over Streamable HTTP: reads a message, decides its era, hands it on.

Says nothing about tools: what a request comes to is `gateway.dispatch`'s part.
"""

from collections.abc import Callable

import msgspec
from msgspec import Raw
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from switchboard_tray.errors import NotFound
from switchboard_tray.gateway.dispatch import Dispatcher
from switchboard_tray.protocol.eras import Era, era_of
from switchboard_tray.protocol.messages import PARSE_ERROR, read_frame
from switchboard_tray.wire import http
from switchboard_tray.wire.legacy import LegacyClients
from switchboard_tray.wire.modern import ModernClients
from switchboard_tray.wire.request import Incoming, read_incoming
from switchboard_tray.wire.sessions import Sessions
from switchboard_tray.wire.shared import is_message

ADDRESSES = ("/mcp", "/mcp/{profile}", "/w/{profile}/mcp", "/b/{profile}/mcp", "/s/{server}/mcp")


class Endpoint:
    """Serves the MCP addresses."""

    def __init__(self, dispatcher: Dispatcher, sessions: Sessions, limit_bytes: Callable[[], int]) -> None:
        self._dispatcher, self._limit_bytes = dispatcher, limit_bytes
        self._legacy, self._modern = LegacyClients(dispatcher, sessions), ModernClients(dispatcher)

    def routes(self) -> list[Route]:
        """The MCP addresses, for the routes table."""
        return [Route(path, _Verbatim(self)) for path in ADDRESSES]

    def before(self, others: ASGIApp) -> ASGIApp:
        """An app that serves the MCP addresses itself and leaves all else to `others`.

        Nearly every request is a call, and a router that asks each route in turn costs as much as half of it.
        """
        patterns = [route.path_regex for route in self.routes()]

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            for pattern in patterns if scope["type"] == "http" else ():
                if (found := pattern.match(scope["path"])) is not None:
                    scope["path_params"] = found.groupdict()
                    return await self.serve(scope, receive, send)
            await others(scope, receive, send)

        return app

    def announce_changes(self) -> None:
        """Tell each client whose lists changed."""
        self._legacy.announce_changes()
        self._modern.announce_changes()

    def resource_updated(self, server: str, params: Raw | None, uri: str) -> None:
        """Tell the clients that watch a resource of `server`."""
        self._legacy.resource_updated(server, params, uri)
        self._modern.resource_updated(server, params, uri)

    def close(self) -> None:
        """End every standing stream: the gateway is leaving."""
        self._legacy.close()
        self._modern.close()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, as an ASGI app."""
        incoming = read_incoming(scope)
        try:
            self._dispatcher.shown(incoming.facts)
            await self._serve(incoming, receive, send)
        except NotFound as fault:
            await http.refuse(send, 404, f"{fault} {fault.hint}".strip())
        except ConnectionError:
            return

    async def _serve(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        match incoming.verb, era_of(incoming.version):
            case "POST", _:
                await self._post(incoming, receive, send)
            case _, Era.MODERN:
                await http.answer(send, 405, headers=[(b"allow", b"POST")])
            case "GET", _:
                await self._legacy.stream(incoming, receive, send)
            case "DELETE", _:
                await self._legacy.end(incoming, send)
            case _:
                await http.answer(send, 405, headers=[(b"allow", b"GET, POST, DELETE")])

    async def _post(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        if not incoming.takes_json:
            return await http.refuse(send, 406, "Accept must include application/json.")
        body = await http.read_body(receive, self._limit_bytes())
        if body is None:
            limit_mb = self._limit_bytes() >> 20
            too_large = f"The request is larger than {limit_mb} MB; settings.maxRequestMb can be raised."
            return await http.refuse(send, 413, too_large)
        is_legacy = era_of(incoming.version) is Era.LEGACY
        try:
            if not body.isascii():
                # msgspec lets invalid UTF-8 pass inside of what it does not open.
                body.decode()
            frame = read_frame(body)
        except msgspec.ValidationError:
            if is_legacy and body.lstrip()[:1] == b"[":
                return await self._legacy.batch(incoming, body, receive, send)
            return await http.refuse(send, 400, "The body is not a JSON-RPC message.")
        except (msgspec.DecodeError, UnicodeDecodeError):
            return await http.refuse(send, 400, "The body is not JSON.", PARSE_ERROR)
        if not is_message(frame):
            return await http.refuse(send, 400, "The body is not a JSON-RPC request, notification or response.")
        clients = self._legacy if is_legacy else self._modern
        await clients.message(incoming, frame, receive, send)


class _Verbatim:
    """An ASGI app in a routes table: Starlette calls functions and methods with a request instead."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoint.serve(scope, receive, send)
