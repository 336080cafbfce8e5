"""The modern era's headers, which say again what the body says and must agree with it. Pure."""

import base64
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET, Raw

from switchboard_tray.protocol.eras import (
    CAPABILITIES_KEY,
    MODERN_VERSIONS,
    TARGET_KEYS,
    VERSION_KEY,
    unsupported_version,
)
from switchboard_tray.protocol.messages import HEADER_MISMATCH, INVALID_PARAMS, Frame, RpcError, read_members, read_text
from switchboard_tray.protocol.spans import members

_ENCODED = re.compile(r"=\?base64\?(.*)\?=")
# No longer than what Python reads as a number.
_WHOLE = re.compile(r"-?[0-9]{1,4000}(\.0+)?")
_TOKEN = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")


@dataclass(frozen=True, slots=True)
class Envelope:
    """The parameters of a modern request, whose headers were found to agree."""

    params: Mapping[str, Raw]
    meta: Mapping[str, Raw]
    target: str | None
    """The name or URI the request is about."""


@dataclass(frozen=True, slots=True)
class ParamHeader:
    """An argument that a tool wants repeated in a header (``x-mcp-header``)."""

    path: tuple[str, ...]
    header: str
    kind: str


def open_envelope(frame: Frame, headers: Mapping[str, str]) -> Envelope:
    """Check a modern request in the order the specification gives. Raises `RpcError` for the first fault."""
    params = read_members(None if frame.params is UNSET else frame.params)
    try:
        meta = members(params["_meta"])
    except (KeyError, msgspec.MsgspecError):
        raise RpcError(INVALID_PARAMS, "params._meta must be an object that says who asks") from None
    if missing := [key for key in (VERSION_KEY, CAPABILITIES_KEY) if key not in meta]:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")
    if not bytes(meta[CAPABILITIES_KEY]).startswith(b"{"):
        raise RpcError(INVALID_PARAMS, f"{CAPABILITIES_KEY} must be an object")
    version = read_text(meta[VERSION_KEY])
    if headers.get("mcp-protocol-version") != version:
        raise RpcError(HEADER_MISMATCH, "The MCP-Protocol-Version header does not agree with params._meta")
    if headers.get("mcp-method") != frame.method:
        raise RpcError(HEADER_MISMATCH, "The Mcp-Method header does not agree with the method")
    target = _target(frame, params, headers)
    if version not in MODERN_VERSIONS:
        raise unsupported_version(version)
    return Envelope(params, meta, target)


def _target(frame: Frame, params: Mapping[str, Raw], headers: Mapping[str, str]) -> str | None:
    key = TARGET_KEYS.get("" if frame.method is UNSET else frame.method)
    target = read_text(params.get(key)) if key else None
    if target is not None and decode_header(headers.get("mcp-name")) != target:
        raise RpcError(HEADER_MISMATCH, f"The Mcp-Name header does not agree with params.{key}")
    return target


def decode_header(value: str | None) -> str | None:
    """A header's text: printable ASCII as it is, anything else as ``=?base64?...?=``; None where that is malformed."""
    if value is None:
        return None
    value = value.strip(" \t")
    encoded = _ENCODED.fullmatch(value)
    if encoded is None:
        return value
    try:
        raw = base64.b64decode(encoded[1], validate=True)
        # Only the one canonical spelling of some bytes is accepted.
        return raw.decode() if base64.b64encode(raw).decode() == encoded[1] else None
    except ValueError:
        return None


def param_headers(schema: Any) -> Iterator[ParamHeader]:
    """The headers that a tool's input schema wants, as far as they are valid; below plain ``properties`` alone."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((), schema)]
    while waiting:
        path, node = waiting.pop()
        if not isinstance(node, dict):
            continue
        name, kind = node.get("x-mcp-header"), node.get("type")
        if path and isinstance(name, str) and _TOKEN.fullmatch(name) and kind in ("string", "integer", "boolean"):
            yield ParamHeader(path, f"mcp-param-{name.lower()}", kind)
        properties = node.get("properties")
        if isinstance(properties, dict):
            waiting += [((*path, key), value) for key, value in properties.items()]


def check_param_headers(wanted: list[ParamHeader], arguments: Any, headers: Mapping[str, str]) -> None:
    """Raise `RpcError` where a wanted header and its argument disagree, or only one of them is there."""
    for one in wanted:
        value = arguments
        for key in one.path:
            value = value.get(key) if isinstance(value, dict) else None
        given, where = headers.get(one.header), ".".join(one.path)
        if value is None or isinstance(value, dict | list):
            if given is not None:
                raise RpcError(HEADER_MISMATCH, f"{one.header} is present but argument {where!r} is not")
        elif given is None:
            raise RpcError(HEADER_MISMATCH, f"{one.header} is missing but argument {where!r} is present")
        elif not _agrees(one.kind, decode_header(given), value):
            raise RpcError(HEADER_MISMATCH, f"{one.header} does not agree with argument {where!r}")


def _agrees(kind: str, given: str | None, value: Any) -> bool:
    if given is None:
        return False
    if kind == "integer" and _WHOLE.fullmatch(given) and not isinstance(value, bool | str):
        return bool(int(given.partition(".")[0]) == value)
    return given == (str(value).lower() if isinstance(value, bool) else str(value))
