"""Answers as ASGI messages: JSON, refusals, event streams; and reading a request's body up to a limit."""

from collections.abc import Iterable

from msgspec import Raw
from starlette.types import Receive, Send

from switchboard_tray.protocol.messages import INVALID_REQUEST, RpcError, dumps, failure, read_members

Headers = Iterable[tuple[bytes, bytes]]

JSON = (b"content-type", b"application/json")
EVENT_STREAM: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"text/event-stream"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
)
LARGE_BYTES = 256 << 10


async def answer(send: Send, status: int, body: bytes = b"", headers: Headers = ()) -> None:
    """A whole answer; JSON where there is a body."""
    kind = (JSON,) if body else ()
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": status, "headers": [*kind, length, *headers]})
    await send({"type": "http.response.body", "body": body})


async def answer_parts(send: Send, parts: tuple[bytes, ...], headers: Headers = ()) -> None:
    """A JSON answer in parts, so that a large one is not copied together."""
    length = (b"content-length", b"%d" % sum(len(part) for part in parts))
    await send({"type": "http.response.start", "status": 200, "headers": [JSON, length, *headers]})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


async def refuse(
    send: Send,
    status: int,
    message: str,
    code: int = INVALID_REQUEST,
    request_id: bytes = b"null",
    headers: Headers = (),
) -> None:
    """An error answer that a JSON-RPC client, a browser and a person can all read."""
    await answer(send, status, failure(request_id, RpcError(code, message)), headers)


async def open_stream(send: Send, headers: Headers = ()) -> None:
    """Begin an event stream."""
    await send({"type": "http.response.start", "status": 200, "headers": [*EVENT_STREAM, *headers]})


async def send_part(send: Send, data: bytes) -> None:
    """More of a stream."""
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def end_stream(send: Send, data: bytes = b"") -> None:
    """The end of a stream, after `data`."""
    await send({"type": "http.response.body", "body": data})


async def read_body(receive: Receive, limit_bytes: int) -> bytes | None:
    """The whole body; None where it is larger than the limit. Raises `ConnectionError` where the client left."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise ConnectionError("the client left before its request was complete")
        part: bytes = message.get("body", b"")
        parts.append(part)
        size += len(part)
        if size > limit_bytes:
            return None
        more = message.get("more_body", False)
    return parts[0] if len(parts) == 1 else b"".join(parts)


async def wait_for_disconnect(receive: Receive) -> None:
    """Return when the client is gone."""
    while (await receive())["type"] != "http.disconnect":
        pass


def with_uri(params: Raw | None, uri: str) -> bytes:
    """The parameters of an update, with the URI that the client knows the resource by."""
    return dumps({**read_members(params), "uri": uri})
