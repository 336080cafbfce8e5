"""What is HTTP about the admin API: answers and errors in JSON, whatever is asked, and the token before all of it."""

import json
from typing import Any

from starlette.responses import Response
from starlette.routing import Route, Router
from starlette.types import Receive, Scope, Send

from switchboard_tray.admin.auth import is_authorized
from switchboard_tray.protocol.messages import dumps


def json_response(value: Any, status: int = 200) -> Response:
    """An answer that no cache keeps."""
    return Response(_encoded(value), status, {"cache-control": "no-store"}, "application/json")


def _encoded(value: Any) -> bytes:
    try:
        return dumps(value)
    except UnicodeEncodeError:
        # Half a surrogate pair, in what the config keeps of keys it does not know: written as its escape.
        return json.dumps(value).encode()


def error_response(status: int, message: str, hint: str = "", problems: list[Any] | None = None) -> Response:
    """An error as every client of the API reads it."""
    return json_response({"error": {"message": message, "hint": hint, "problems": problems or []}}, status)


class JsonRoute(Route):
    """A route that answers a wrong method in JSON, as everything else."""

    async def handle(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self.methods and scope["method"] not in self.methods:
            refusal = error_response(405, f"{scope['path']} takes {' or '.join(sorted(self.methods))}.")
            refusal.headers["allow"] = ", ".join(sorted(self.methods))
            await refusal(scope, receive, send)
        else:
            await super().handle(scope, receive, send)


class Authorized:
    """Lets pass requests that carry the admin token."""

    def __init__(self, app: Router, token: str) -> None:
        self._app, self._token = app, token
        self.routes = app.routes
        """Where a `Mount` looks for the routes below it."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        given = next((value.decode("latin-1") for key, value in scope["headers"] if key == b"authorization"), None)
        if not is_authorized(given, self._token):
            refusal = error_response(401, "The admin API needs the admin token.", "Use the switchboard command.")
            refusal.headers["www-authenticate"] = "Bearer"
            return await refusal(scope, receive, send)
        await self._app(scope, receive, send)


def with_json_404(routes: list[Route]) -> Router:
    """A router of `routes` that answers everything else in JSON."""

    async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
        await error_response(404, f"There is nothing at {scope['path']}.")(scope, receive, send)

    return Router(routes, default=nothing_here, redirect_slashes=False)
