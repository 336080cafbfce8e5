"""In front of every route: only this machine's programs, and no web page of somebody else's.

A page that has a name of its own resolve to 127.0.0.1 sends its own name as Host; a page on another origin sends that
origin. Both are refused before any route sees the request.

Source: docs/security.md.
"""

from collections.abc import Iterable

from starlette.types import ASGIApp, Receive, Scope, Send

from switchboard_tray.wire.http import refuse

LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_BODY_METHODS = frozenset({"POST", "PUT", "PATCH"})
_JSON_TYPES = frozenset({"application/json", "application/merge-patch+json"})


class Guard:
    """An ASGI app that lets pass what `fault` finds nothing against."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse or pass on. Websockets are not served."""
        if scope["type"] == "websocket":
            return await send({"type": "websocket.close", "code": 1008})
        if scope["type"] == "http" and (fault := find_fault(scope["method"], scope["headers"], scope.get("client"))):
            return await refuse(send, *fault)
        await self._app(scope, receive, send)


def find_fault(
    method: str, headers: Iterable[tuple[bytes, bytes]], peer: tuple[str, int] | None
) -> tuple[int, str] | None:
    """What stands against a request, as HTTP status and sentence; None where it may pass."""
    hosts, origins, types = [], [], []
    has_body = False
    for name, value in headers:
        if name == b"host":
            hosts.append(value.decode("latin-1").strip())
        elif name == b"origin":
            origins.append(value.decode("latin-1").strip())
        elif name == b"content-type":
            types.append(value.decode("latin-1").partition(";")[0].strip().lower())
        elif name == b"content-length":
            has_body = has_body or value.strip() != b"0"
        elif name == b"transfer-encoding":
            has_body = True
    if peer is not None and not (peer[0].startswith("127.") or peer[0] == "::1"):
        return 403, "Switchboard answers programs on this machine only."
    if len(hosts) != 1 or _name(hosts[0]) not in LOOPBACK_NAMES:
        return 421, "The Host header must name this machine: 127.0.0.1, localhost or [::1]."
    if origins and origins != [f"http://{hosts[0]}"]:
        return 403, "Requests from web pages of another origin are refused."
    if method in _BODY_METHODS and (has_body or types) and (len(types) != 1 or types[0] not in _JSON_TYPES):
        return 415, "The Content-Type must be application/json."
    return None


def _name(host: str) -> str:
    """The host without its port, lower case."""
    name, colon, port = host.rpartition(":")
    if colon and not host.endswith("]"):
        return name.lower() if port.isascii() and port.isdigit() else ""
    return host.lower()
