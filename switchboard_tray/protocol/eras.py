"""The two eras of MCP: revisions, methods, what a result or an error of one must change for the other. Pure.

*Legacy*: revisions up to 2025-11-25, a session opened by ``initialize``. *Modern*: 2026-07-28, each request stands
alone and says in ``_meta`` who asks.
"""

from collections.abc import Mapping
from enum import Enum

import msgspec
from msgspec import Raw

from switchboard_tray.protocol.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    RESOURCE_NOT_FOUND_2025,
    UNSUPPORTED_VERSION,
    Members,
    RpcError,
    dumps,
    read_members,
    read_text,
)
from switchboard_tray.protocol.spans import members


class Era(Enum):
    """Which form of the protocol a client or a server speaks."""

    LEGACY = "legacy"
    MODERN = "modern"


LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_LEGACY = LEGACY_VERSIONS[-1]
MODERN_VERSIONS = ("2026-07-28",)
LATEST_MODERN = MODERN_VERSIONS[-1]

_META = "io.modelcontextprotocol/"
VERSION_KEY = _META + "protocolVersion"
CAPABILITIES_KEY = _META + "clientCapabilities"
CLIENT_KEY = _META + "clientInfo"
SERVER_KEY = _META + "serverInfo"
LOG_LEVEL_KEY = _META + "logLevel"
SUBSCRIPTION_KEY = _META + "subscriptionId"
ENVELOPE_KEYS = frozenset({VERSION_KEY, CAPABILITIES_KEY, CLIENT_KEY, LOG_LEVEL_KEY})

TOOLS_CHANGED = "notifications/tools/list_changed"
PROMPTS_CHANGED = "notifications/prompts/list_changed"
RESOURCES_CHANGED = "notifications/resources/list_changed"
RESOURCE_UPDATED = "notifications/resources/updated"
LISTEN_KEYS: Mapping[str, str] = {
    TOOLS_CHANGED: "toolsListChanged",
    PROMPTS_CHANGED: "promptsListChanged",
    RESOURCES_CHANGED: "resourcesListChanged",
}
"""What a modern client asks for in ``subscriptions/listen`` to be told of a change."""

TARGET_KEYS: Mapping[str, str] = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The parameter that names what a request is about."""
ASK_CAPABILITIES: Mapping[str, str] = {
    "elicitation/create": "elicitation",
    "sampling/createMessage": "sampling",
    "roots/list": "roots",
}
"""What a server may ask of a client, and the capability that lets it."""
LOG_LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")

_SHARED_METHODS = frozenset(
    "completion/complete prompts/get prompts/list resources/list resources/read resources/templates/list "
    "tools/call tools/list".split()
)
MODERN_METHODS = _SHARED_METHODS | {"server/discover", "subscriptions/listen"}
LEGACY_METHODS = _SHARED_METHODS | {"ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"}
_CACHEABLE = frozenset(
    "prompts/list resources/list resources/read resources/templates/list server/discover tools/list".split()
)
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}


def era_of(version_header: str | None) -> Era:
    """The era of an HTTP request. Only the header decides; a revision nobody knows gets the modern era's answer."""
    return Era.LEGACY if version_header is None or version_header in LEGACY_VERSIONS else Era.MODERN


def negotiated_version(requested: str) -> str:
    """The revision we answer ``initialize`` with: the one asked for where we speak it, else our newest of that era."""
    return requested if requested in LEGACY_VERSIONS else LATEST_LEGACY


def unsupported_version(requested: str | None) -> RpcError:
    """The refusal of a revision we do not speak."""
    told = {"supported": list(MODERN_VERSIONS), "requested": requested}
    return RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", told)


def http_status(error: RpcError) -> int:
    """The HTTP status of a JSON error answer in the modern era. The legacy era answers 200."""
    return _STATUS.get(error.code, 200)


def envelope(capabilities: object, client_info: object, log_level: str | None = None) -> dict[str, Raw]:
    """What each request to a modern server carries in ``_meta``."""
    said = {VERSION_KEY: LATEST_MODERN, CAPABILITIES_KEY: capabilities, CLIENT_KEY: client_info}
    if log_level is not None:
        said[LOG_LEVEL_KEY] = log_level
    return {key: Raw(dumps(value)) for key, value in said.items()}


def without_envelope(meta: Members) -> dict[str, Raw]:
    """``_meta`` of a modern client's request, as a legacy server may see it."""
    return {key: value for key, value in meta.items() if key not in ENVELOPE_KEYS}


def to_modern(method: str, result: bytes | Raw, server_info: Raw) -> bytes | Raw:
    """A result for a modern client: with ``resultType``, who answered, and cache hints where they are required.

    One that has all of it is passed on as it is.
    """
    parts = members(result)
    added: dict[str, Raw] = {}
    if "resultType" not in parts:
        added["resultType"] = Raw(b'"complete"')
    if method in _CACHEABLE:
        added.update({key: value for key, value in _NO_CACHE.items() if key not in parts})
    meta = read_members(parts.get("_meta"))
    if not added and SERVER_KEY in meta:
        return result
    return dumps({**added, **parts, "_meta": {SERVER_KEY: server_info, **meta}})


_NO_CACHE = {"ttlMs": Raw(b"0"), "cacheScope": Raw(b'"private"')}


def to_legacy(method: str, result: bytes | Raw) -> bytes:
    """A modern server's result for a legacy client.

    ``structuredContent`` had to be an object then; what is none is left out, since the text content says it too.
    """
    parts = {key: value for key, value in members(result).items() if key not in ("resultType", "ttlMs", "cacheScope")}
    if method == "tools/call" and not bytes(parts.get("structuredContent", b"{")).lstrip().startswith(b"{"):
        del parts["structuredContent"]
    return dumps(parts)


def wants_input(result: bytes | Raw) -> bool:
    """Whether a modern server's result is no result yet, but questions to the client."""
    # Nearly every result lacks the word, and a large one is not worth opening for it.
    if b'"input_required"' not in bytes(result):
        return False
    return read_text(read_members(result).get("resultType")) == "input_required"


def error_to_modern(error: RpcError, params: Members) -> RpcError:
    """An error for a modern client: for a resource that is not there, the code changed between the eras."""
    if error.code != RESOURCE_NOT_FOUND_2025:
        return error
    uri = read_text(params.get("uri"))
    return RpcError(INVALID_PARAMS, error.message, None if uri is None else {"uri": uri})


def passes_level(level: str | None, floor: str | None) -> bool:
    """Whether a log message of `level` is wanted by one who asked for `floor` and above; unknown words pass."""
    if level not in LOG_LEVELS or floor not in LOG_LEVELS:
        return True
    return LOG_LEVELS.index(level) >= LOG_LEVELS.index(floor)


def read_object(raw: Raw | None) -> dict[str, object]:
    """A small object as plain values; empty where `raw` is none."""
    try:
        return {} if raw is None else msgspec.json.decode(raw, type=dict[str, object])
    except (msgspec.MsgspecError, RecursionError):
        return {}
