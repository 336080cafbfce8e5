"""Prompts and resources of a profile that passes them on: listed from the snapshot, fetched from their server.

A profile that does not relay them reads like a server that has none.
"""

from collections.abc import Mapping

from msgspec import Raw

from switchboard_tray.profiles.relayed import Relayed
from switchboard_tray.protocol.calls import Listener
from switchboard_tray.protocol.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RESOURCE_NOT_FOUND_2025,
    RpcError,
    dumps,
    read_members,
    read_text,
)
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.snapshot import Offer

_NEEDS: Mapping[str, str] = {
    "prompts/list": "prompts",
    "prompts/get": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resources",
    "resources/read": "resources",
    "resources/subscribe": "resources",
    "resources/unsubscribe": "resources",
}


def capabilities(offer: Offer | None) -> dict[str, object]:
    """What a client of the profile is told that it may use."""
    relay = offer.profile.relay if offer else ()
    told: dict[str, object] = {"tools": {"listChanged": True}, "logging": {}}
    if "prompts" in relay:
        told["prompts"] = {"listChanged": True}
    if "resources" in relay:
        told["resources"] = {"subscribe": True, "listChanged": True}
    if "prompts" in relay or "resources" in relay:
        told["completions"] = {}
    return told


async def relay(
    pool: ServerPool, offer: Offer | None, method: str, params: Mapping[str, Raw], listener: Listener
) -> bytes | Raw:
    """Answer a request for prompts or resources. Raises `RpcError`, and `ServerError` where the server cannot."""
    allowed = offer.profile.relay if offer else ()
    needs = _NEEDS.get(method)
    is_completion = method == "completion/complete" and ("prompts" in allowed or "resources" in allowed)
    if offer is None or not (is_completion or needs in allowed):
        raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")
    match method:
        case "prompts/list":
            return b'{"prompts":' + offer.relayed.prompts + b"}"
        case "resources/list":
            return b'{"resources":' + offer.relayed.resources + b"}"
        case "resources/templates/list":
            return b'{"resourceTemplates":' + offer.relayed.templates + b"}"
        case "completion/complete":
            server, sent = _completion(offer.relayed, params)
        case "prompts/get":
            server, own = find_prompt(offer.relayed, params)
            sent = {**params, "name": Raw(dumps(own))}
        case _:
            server, own = find_resource(offer.relayed, params)
            sent = {**params, "uri": Raw(dumps(own))}
    return await pool.call(server, method, sent, listener, profile=offer.profile.name, is_repeatable=True)


def find_prompt(relayed: Relayed, params: Mapping[str, Raw]) -> tuple[str, str]:
    """The server and its own name of the prompt that is asked for. Raises `RpcError`."""
    name = read_text(params.get("name"))
    origin = relayed.prompt_origins.get(name) if name is not None else None
    if origin is None:
        raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")
    return origin


def find_resource(relayed: Relayed, params: Mapping[str, Raw]) -> tuple[str, str]:
    """The server and its own URI of the resource that is asked for. Raises `RpcError`."""
    uri = read_text(params.get("uri"))
    if uri is None:
        raise RpcError(INVALID_PARAMS, "The parameter uri must be a string")
    origin = relayed.find_resource(uri)
    if origin is None:
        raise RpcError(RESOURCE_NOT_FOUND_2025, f"Resource not found: {uri}", {"uri": uri})
    return origin


def _completion(relayed: Relayed, params: Mapping[str, Raw]) -> tuple[str, dict[str, Raw]]:
    """Whom to ask for completions, and with which parameters. Raises `RpcError`."""
    asked = read_members(params.get("ref"))
    key = "uri" if read_text(asked.get("type")) == "ref/resource" else "name"
    name = read_text(asked.get(key)) or ""
    origin = relayed.find_template(name) if key == "uri" else relayed.prompt_origins.get(name)
    if origin is None:
        raise RpcError(INVALID_PARAMS, f"There is nothing called {name!r} to complete for")
    return origin[0], {**params, "ref": Raw(dumps({**asked, key: Raw(dumps(origin[1]))}))}
