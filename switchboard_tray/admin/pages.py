"""The web UI's files, and what a browser finds where there is nothing."""

from importlib.resources import files
from importlib.resources.abc import Traversable
from mimetypes import guess_type
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from switchboard_tray.admin.http import error_response, json_response
from switchboard_tray.config.schema import config_schema

HEADERS = {
    "content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cache-control": "no-cache",
}


def page_routes() -> list[Route]:
    """The start page and its files, and the schema of the config for editors."""
    return [
        Route("/", _page, methods=["GET"]),
        Route("/schema/config.json", _schema, methods=["GET"]),
        Route("/{name}", _page, methods=["GET"]),
    ]


async def nothing_here(scope: Scope, receive: Receive, send: Send) -> None:
    """A 404 that programs can read: some clients look for well-known addresses and must be told no clearly."""
    await error_response(404, f"There is nothing at {scope['path']}.")(scope, receive, send)


async def _schema(request: Request) -> Response:
    return json_response(config_schema())


async def _page(request: Request) -> Response:
    name = request.path_params.get("name", "index.html")
    # Looked up, never joined: on Windows a name such as C:\x would lead out of the folder.
    page = next((one for one in ui_folder().iterdir() if one.name == name and one.is_file()), None)
    if page is None or name.startswith("."):
        return error_response(404, f"There is nothing at {request.url.path}.")
    return Response(page.read_bytes(), 200, HEADERS, guess_type(name)[0] or "application/octet-stream")


def ui_folder() -> Traversable:
    """The UI's files: in the package where it was built, beside it in a checkout."""
    packaged = files("switchboard_tray") / "ui"
    return packaged if packaged.is_dir() else Path(__file__).parents[2] / "ui"
