"""The admin API: one routes table, thin handlers. One of the two translators of our errors (here: to HTTP).

Any path below ``/api/v1`` is 401 without the token, whether it exists or not.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import Raw
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Mount, Route

from switchboard_tray import __version__
from switchboard_tray.admin import views
from switchboard_tray.admin.auth import NONCE_CHARS, prove
from switchboard_tray.admin.http import Authorized, JsonRoute, error_response, json_response, with_json_404
from switchboard_tray.config.edit import merge_patch
from switchboard_tray.config.problems import BrokenFile, InvalidConfig
from switchboard_tray.errors import ConfigConflict, ConfigError, NotFound, Refused, ServerError, SwitchboardError
from switchboard_tray.gateway.door import Door, Origin
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.gateway.scripts import Scripts
from switchboard_tray.gateway.searching import Searcher
from switchboard_tray.names import did_you_mean
from switchboard_tray.protocol.calls import Silent
from switchboard_tray.protocol.messages import RpcError, dumps
from switchboard_tray.redact import REDACTED
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.servers.process import memory_of_trees
from switchboard_tray.snapshot import Offer
from switchboard_tray.stores.config import ConfigStore, Loaded
from switchboard_tray.surfaces.calling import MOST_HITS
from switchboard_tray.wire.http import read_body

log = logging.getLogger(__name__)

PREFIX = "/api/v1"
BODY_BYTES = 4 << 20
LIST_PATIENCE_S = 30.0

_STATUS: tuple[tuple[type[SwitchboardError], int], ...] = (
    (NotFound, 404),
    (ConfigConflict, 412),
    (BrokenFile, 409),
    (ConfigError, 422),
    (Refused, 409),
    (ServerError, 503),
    (SwitchboardError, 400),
)


@dataclass(frozen=True, slots=True)
class Gateway:
    """What the API shows and changes."""

    store: ConfigStore
    hub: Hub
    pool: ServerPool
    door: Door
    searcher: Searcher
    scripts: Scripts
    token: str
    url: str
    config_path: str
    facts: Callable[[], Mapping[str, Any]]
    """What only the running process knows: pid, uptimeSec, sessions."""
    apply: Callable[[Loaded], None]
    """Put a config that was just written in force."""
    stop: Callable[[], None]
    """Ask the gateway to end."""
    server_log: Callable[[str], str]
    """The end of a server's stderr log."""


Handler = Callable[[Gateway, Request], Awaitable[Any]]


# -- the map -----------------------------------------------------------------------------------------------------------


def admin_routes(gateway: Gateway) -> list[Route | Mount]:
    """All routes of the admin API, and ``/hello``."""

    def route(method: str, path: str, handler: Handler) -> Route:
        return JsonRoute(path, _endpoint(gateway, handler), methods=[method])

    api = [
        route("GET", "/status", _status),
        route("POST", "/stop", _stop),
        route("GET", "/config", _config),
        route("PATCH", "/config", _patch_config),
        route("GET", "/servers", _servers),
        route("GET", "/servers/{name}", _server),
        route("GET", "/servers/{name}/logs", _server_logs),
        route("POST", "/servers/{name}/restart", _restart_server),
        route("POST", "/servers/{name}/refresh", _refresh_server),
        route("GET", "/profiles", _profiles),
        route("GET", "/profiles/{name}", _profile),
        route("GET", "/tools", _tools),
        route("GET", "/search", _search),
        route("GET", "/why", _why),
        route("POST", "/call", _call),
        route("POST", "/runs", _run),
    ]
    hello = Route("/hello", _endpoint(gateway, _hello), methods=["GET"])
    return [hello, Mount(PREFIX, app=Authorized(with_json_404(api), gateway.token))]


# -- handlers ----------------------------------------------------------------------------------------------------------


async def _hello(gateway: Gateway, request: Request) -> Any:
    nonce = request.query_params.get("nonce", "")
    if not 0 < len(nonce) <= NONCE_CHARS:
        raise SwitchboardError(f"The parameter nonce must have 1 to {NONCE_CHARS} characters.")
    return {"hmac": prove(gateway.token, nonce), "version": __version__}


async def _status(gateway: Gateway, request: Request) -> Any:
    loaded, snapshot = gateway.store.current, gateway.hub.current
    states = [status.state for status in gateway.pool.status()]
    return {
        **gateway.facts(),
        "version": __version__,
        "url": gateway.url,
        "config": {
            "path": gateway.config_path,
            "state": "error" if loaded.problems else "ok",
            "problems": [views.problem_view(problem) for problem in loaded.problems],
            "warnings": [views.problem_view(problem) for problem in loaded.warnings],
        },
        "warnings": list(snapshot.warnings),
        "servers": {"total": len(states), "ready": states.count("ready"), "failing": states.count("failing")},
        "profiles": list(snapshot.config.profiles),
        "defaultProfile": snapshot.config.default_profile,
    }


async def _stop(gateway: Gateway, request: Request) -> Any:
    gateway.stop()
    return Response(b"{}", 202, media_type="application/json")


async def _config(gateway: Gateway, request: Request) -> Any:
    return _config_answer(gateway, gateway.store.current)


async def _patch_config(gateway: Gateway, request: Request) -> Any:
    patch = await _json_object(request)
    if REDACTED in dumps(patch).decode():
        # It stands for a value that the sender never saw, and would take its place.
        raise SwitchboardError(f"The patch holds {REDACTED}, which only stands for a hidden value.")

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        edited: dict[str, Any] = merge_patch(document, patch)
        return edited

    loaded = await asyncio.to_thread(gateway.store.modify, edit, if_match=_if_match(request))
    gateway.apply(loaded)
    return _config_answer(gateway, loaded)


async def _servers(gateway: Gateway, request: Request) -> Any:
    return await _server_answers(gateway, list(gateway.hub.current.config.servers))


async def _server(gateway: Gateway, request: Request) -> Any:
    return await _server_answer(gateway, _server_name(gateway, request))


async def _server_logs(gateway: Gateway, request: Request) -> Any:
    lines = _number(request, "lines", default=100, most=100_000)
    text = await asyncio.to_thread(gateway.server_log, _server_name(gateway, request))
    return {"text": "".join(text.splitlines(keepends=True)[-lines:])}


async def _restart_server(gateway: Gateway, request: Request) -> Any:
    name = _server_name(gateway, request)
    await gateway.pool.restart(name)
    return await _server_answer(gateway, name)


async def _refresh_server(gateway: Gateway, request: Request) -> Any:
    name = _server_name(gateway, request)
    await gateway.pool.refresh(name)
    return await _server_answer(gateway, name)


async def _profiles(gateway: Gateway, request: Request) -> Any:
    snapshot = gateway.hub.current
    return [views.profile_view(profile, snapshot) for profile in snapshot.config.profiles.values()]


async def _profile(gateway: Gateway, request: Request) -> Any:
    snapshot = gateway.hub.current
    name = _profile_name(gateway, request.path_params["name"])
    return views.profile_view(snapshot.config.profiles[name], snapshot)


async def _tools(gateway: Gateway, request: Request) -> Any:
    offer = await _listed_offer(gateway, _profile_name(gateway, request.query_params.get("profile")))
    if request.query_params.get("asClient") == "true":
        return Response(offer.display.tools, media_type="application/json")
    return views.tool_views(offer, {status.name: status.state for status in gateway.pool.status()})


async def _search(gateway: Gateway, request: Request) -> Any:
    query = request.query_params.get("query", "")
    if not query.strip():
        raise SwitchboardError("A search needs the parameter query.")
    limit = _number(request, "limit", default=0, most=MOST_HITS) or None
    offer = await _listed_offer(gateway, _profile_name(gateway, request.query_params.get("profile")))
    return await gateway.searcher.answer(lambda around: views.search_view(offer, query, limit, around), offer)


async def _why(gateway: Gateway, request: Request) -> Any:
    profile = _profile_name(gateway, request.query_params.get("profile"))
    return views.why_view(gateway.hub.current, request.query_params.get("ref", ""), profile)


async def _call(gateway: Gateway, request: Request) -> Any:
    body = await _json_object(request)
    text, arguments, profile = body.get("ref"), body.get("arguments") or {}, body.get("profile")
    if not isinstance(text, str) or not isinstance(arguments, dict) or not isinstance(profile, str | None):
        raise SwitchboardError("A call needs `ref` as a string and `arguments` as an object.")
    name = _profile_name(gateway, profile)
    offer = await _listed_offer(gateway, name)
    entry = offer.view.find(text)
    params, origin = {"arguments": Raw(dumps(arguments))}, Origin("api", "switchboard")
    if entry is None:
        gateway.door.refuse(name, text, params, origin)
        known = [str(one.ref) for one in offer.view.entries]
        hint = did_you_mean(text, known) or f"Run `switchboard tools --profile {name}` to see its tools."
        raise NotFound(f"There is no tool {text!r} in profile {name}.", hint=hint)
    result = await gateway.door.call(name, entry.ref, params, origin, Silent())
    return Response(b'{"result":' + bytes(result) + b"}", media_type="application/json")


async def _run(gateway: Gateway, request: Request) -> Any:
    body = await _json_object(request)
    code, profile = body.get("code"), body.get("profile")
    if not isinstance(code, str) or not isinstance(profile, str | None):
        raise SwitchboardError("A run needs `code` as a string.")
    offer = await _listed_offer(gateway, _profile_name(gateway, profile))
    outcome = await gateway.scripts.run(code, offer, Origin("api", "switchboard"))
    said = views.run_view(outcome)
    return Response(b'{"result":' + outcome.result + b"," + dumps(said)[1:], media_type="application/json")


# -- shared by handlers ------------------------------------------------------------------------------------------------


def _config_answer(gateway: Gateway, loaded: Loaded) -> Any:
    return {
        "document": views.redacted(loaded.document),
        "etag": loaded.etag,
        "path": gateway.config_path,
        "problems": [views.problem_view(problem) for problem in loaded.problems],
        "warnings": [views.problem_view(problem) for problem in loaded.warnings],
    }


async def _server_answers(gateway: Gateway, names: Iterable[str]) -> list[Any]:
    statuses = {status.name: status for status in gateway.pool.status()}
    pids = [one.pid for status in statuses.values() for one in (status, *status.others) if one.pid is not None]
    memory = await asyncio.to_thread(memory_of_trees, pids) if pids else {}
    # The hub's own catalog: a list that was just asked for may not be in the snapshot yet.
    config, catalog, document = gateway.hub.current.config, gateway.hub.catalog, gateway.store.current.document
    return [
        views.server_view(config.servers[name], document, catalog.of(config.servers[name]), statuses.get(name), memory)
        for name in names
        if name in config.servers
    ]


async def _server_answer(gateway: Gateway, name: str) -> Any:
    answers = await _server_answers(gateway, [name])
    if not answers:
        raise NotFound(f"Server {name!r} was removed meanwhile.")
    return answers[0]


def _server_name(gateway: Gateway, request: Request) -> str:
    name, config = request.path_params["name"], gateway.hub.current.config
    server = config.server(name)
    if server is None:
        hint = did_you_mean(name, config.servers) or "Run `switchboard server list` to see the servers."
        raise NotFound(f"There is no server {name!r}.", hint=hint)
    return server.name


def _profile_name(gateway: Gateway, name: str | None) -> str:
    """The profile as the config spells it; the default one where no name is given."""
    config = gateway.hub.current.config
    if name is None:
        if config.default_profile is None:
            raise NotFound("There is no default profile.", hint="Name one with --profile.")
        return config.default_profile
    profile = config.profile(name)
    if profile is None:
        hint = did_you_mean(name, config.profiles) or "Run `switchboard profile list` to see the profiles."
        raise NotFound(f"There is no profile {name!r}.", hint=hint)
    return profile.name


async def _listed_offer(gateway: Gateway, profile: str) -> Offer:
    """What the profile offers, once its servers were listed: a person at a command line can wait a little."""
    unlisted = gateway.hub.current.offers[profile].unlisted
    await gateway.pool.wait_for_lists(unlisted, LIST_PATIENCE_S)
    return gateway.hub.current.offers[profile]


def _if_match(request: Request) -> str | None:
    return (request.headers.get("if-match") or "").strip('"') or None


def _number(request: Request, name: str, *, default: int, most: int) -> int:
    text = request.query_params.get(name)
    if text is None:
        return default
    if not text.isdecimal() or len(text) > 9 or not 0 < int(text) <= most:
        raise SwitchboardError(f"The parameter {name} must be a number from 1 to {most}.")
    return int(text)


async def _json_object(request: Request) -> dict[str, Any]:
    body = await read_body(request.receive, BODY_BYTES)
    if body is None:
        raise SwitchboardError(f"The request is larger than {BODY_BYTES >> 20} MB.")
    try:
        return msgspec.json.decode(body, type=dict[str, Any])
    except (msgspec.MsgspecError, RecursionError) as exc:
        raise SwitchboardError(f"The body must be a JSON object: {exc}.") from None


def _endpoint(gateway: Gateway, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            result = await handler(gateway, request)
        except OSError as exc:
            return error_response(503, f"{exc.filename or 'A file'} could not be read: {exc.strerror}.")
        except SwitchboardError as fault:
            status = next(status for kind, status in _STATUS if isinstance(fault, kind))
            problems = [views.problem_view(one) for one in fault.faults] if isinstance(fault, InvalidConfig) else []
            return error_response(status, fault.message, fault.hint, problems)
        except RpcError as error:
            return error_response(502, f"The server answered with error {error.code}: {error.message}")
        except Exception:
            log.exception("bug in the admin API: %s", request.url.path)
            return error_response(500, "Switchboard failed to answer, through a fault of its own.", "See the log.")
        return result if isinstance(result, Response) else json_response(result)

    return answer
