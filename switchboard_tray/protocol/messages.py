"""JSON-RPC envelopes. Payloads stay raw bytes: only the members we read or change are opened, one level deep. Pure."""

from collections.abc import Mapping

import msgspec
from msgspec import UNSET, Raw, UnsetType

from switchboard_tray.protocol.spans import items, members, without_lone_surrogates

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_GONE = -32000
SESSION_NOT_FOUND = -32001
RESOURCE_NOT_FOUND_2025 = -32002
REQUEST_CANCELLED = -32800
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

Members = Mapping[str, Raw]
"""A JSON object one level deep: values are the bytes they were."""

dumps = msgspec.json.encode


class Frame(msgspec.Struct):
    """One JSON-RPC message of any kind; unset members were not on the wire."""

    id: Raw | UnsetType = UNSET
    method: str | UnsetType = UNSET
    params: Raw | UnsetType = UNSET
    result: Raw | UnsetType = UNSET
    error: Raw | UnsetType = UNSET
    jsonrpc: str = ""

    @property
    def is_notification(self) -> bool:
        """Whether it names a method and wants no answer."""
        return self.method is not UNSET and self.id is UNSET

    @property
    def is_response(self) -> bool:
        """Whether it answers a request."""
        return self.method is UNSET and (self.result is not UNSET or self.error is not UNSET)


_frame = msgspec.json.Decoder(Frame).decode
_TEXTS = ("method", "jsonrpc")
_ID_STARTS = frozenset({b'"', b"-", *(b"%d" % digit for digit in range(10))})
_RAWS = ("id", "params", "result", "error")
_text = msgspec.json.Decoder(str).decode


class RpcError(Exception):
    """An error a request is answered with. `raw` is a peer's error object, relayed as it is."""

    def __init__(self, code: int, message: str, data: object = None, raw: bytes | None = None) -> None:
        super().__init__(message)
        self.code, self.message, self.data, self.raw = code, message, data, raw

    @classmethod
    def from_raw(cls, raw: bytes | Raw) -> "RpcError":
        """The error a peer sent; one that is not an error object becomes an internal error."""
        try:
            parts = members(raw)
            code = msgspec.json.decode(parts["code"], type=int)
            message = read_text(parts.get("message"))
        except (msgspec.MsgspecError, KeyError):
            return cls(INTERNAL_ERROR, "the server sent an error that is not a JSON-RPC error object")
        if message is None:
            # Strict clients drop an error without one, and would wait for ever.
            parts = {**parts, "message": Raw(b'""')}
            return cls(code, "", raw=dumps(parts))
        return cls(code, message, raw=bytes(raw))

    def body(self) -> bytes:
        """The error object as it goes on the wire."""
        if self.raw is not None:
            return self.raw
        error: dict[str, object] = {"code": self.code, "message": self.message}
        return dumps(error if self.data is None else {**error, "data": self.data})


def read_frame(data: bytes) -> Frame:
    """The message in `data`.

    Raises `msgspec.ValidationError` for JSON that is not an object of this form, `msgspec.DecodeError` for no JSON.
    """
    try:
        return _frame(data)
    except msgspec.ValidationError:
        raise
    except (msgspec.DecodeError, RecursionError):
        parts = members(data)
        method, version = (msgspec.json.decode(parts[key], type=str) if key in parts else None for key in _TEXTS)
        rpc_id, params, result, error = (parts.get(key, UNSET) for key in _RAWS)
        return Frame(rpc_id, UNSET if method is None else method, params, result, error, version or "")


def read_batch(data: bytes | Raw) -> list[Raw]:
    """The items of an array: a JSON-RPC batch, a list of tools.

    Raises `msgspec.MsgspecError` where `data` is not an array.
    """
    return items(data)


def read_members(raw: bytes | Raw | UnsetType | None) -> dict[str, Raw]:
    """The members of an optional object; what is absent or no object counts as empty."""
    if raw is UNSET or raw is None:
        return {}
    try:
        return members(raw)
    except msgspec.MsgspecError:
        return {}


def read_text(raw: bytes | Raw | None) -> str | None:
    """The string in `raw`, or None where there is none. Lone surrogates read as U+FFFD: no message could hold them."""
    if raw is None:
        return None
    try:
        return _text(raw)
    except msgspec.ValidationError:
        return None
    except msgspec.DecodeError:
        pass
    try:
        return _text(without_lone_surrogates(bytes(raw)))
    except msgspec.DecodeError:
        return None


def is_valid_id(raw: Raw | UnsetType) -> bool:
    """Whether `raw` may stand for a request: a string or a number; null, true, objects and arrays may not."""
    return raw is not UNSET and bytes(raw)[:1] in _ID_STARTS


def request(request_id: bytes | Raw, method: str, params: bytes | Raw | None = None) -> bytes:
    """A request as it goes on the wire."""
    tail = b"" if params is None else b',"params":' + bytes(params)
    return b'{"jsonrpc":"2.0","id":' + bytes(request_id) + b',"method":' + dumps(method) + tail + b"}"


def notification(method: str, params: bytes | Raw | None = None) -> bytes:
    """A notification as it goes on the wire."""
    tail = b"" if params is None else b',"params":' + bytes(params)
    return b'{"jsonrpc":"2.0","method":' + dumps(method) + tail + b"}"


def response(request_id: bytes | Raw, result: bytes | Raw) -> bytes:
    """The answer to a request."""
    return b'{"jsonrpc":"2.0","id":' + bytes(request_id) + b',"result":' + bytes(result) + b"}"


def failure(request_id: bytes | Raw, error: RpcError) -> bytes:
    """The error answer to a request."""
    return b'{"jsonrpc":"2.0","id":' + bytes(request_id) + b',"error":' + error.body() + b"}"


def tool_error(text: str) -> bytes:
    """A tool result that tells a model what went wrong."""
    return dumps({"content": [{"type": "text", "text": text}], "isError": True})


def one_line(message: bytes) -> bytes:
    """`message` without line ends: they can only stand between tokens of valid JSON, so a space is the same value."""
    if b"\n" in message or b"\r" in message:
        message = message.replace(b"\r", b" ").replace(b"\n", b" ")
    return message


def sse(data: bytes) -> bytes:
    """One server-sent event."""
    return b"event: message\ndata: " + one_line(data) + b"\n\n"


def is_error_result(result: bytes | Raw) -> bool:
    """Whether a tool result says of itself that it is an error."""
    # Nearly every result lacks the key, and a large one is not worth reading for it.
    return b'"isError"' in bytes(result) and bytes(read_members(result).get("isError", b"")) == b"true"
