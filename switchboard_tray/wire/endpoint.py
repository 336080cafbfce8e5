"""The MCP addresses over Streamable HTTP, for clients of the 2025 era: POST, GET and DELETE.

Says nothing about tools: what a request comes to is `gateway.dispatch`'s part.
"""

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from switchboard_tray.errors import NotFound
from switchboard_tray.gateway.dispatch import Dispatcher
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.calls import Mailbox
from switchboard_tray.protocol.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    SESSION_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Frame,
    RpcError,
    failure,
    is_valid_id,
    read_batch,
    read_frame,
    read_members,
    response,
    sse,
)
from switchboard_tray.wire import http
from switchboard_tray.wire.exchange import SIGN_OF_LIFE_S, Exchange
from switchboard_tray.wire.request import Incoming, read_incoming
from switchboard_tray.wire.sessions import Session, Sessions

log = logging.getLogger(__name__)

LIST_CHANGED = "notifications/tools/list_changed"
BATCH_MESSAGES = 1000


class Endpoint:
    """Serves ``/mcp``, ``/mcp/{profile}`` and ``/w/{profile}/mcp``."""

    def __init__(self, dispatcher: Dispatcher, sessions: Sessions, limit_bytes: Callable[[], int]) -> None:
        self._dispatcher, self._sessions, self._limit_bytes = dispatcher, sessions, limit_bytes

    def announce_changes(self) -> None:
        """Tell each client whose list is no longer what it last saw."""
        for session in self._sessions:
            self._announce_change(session)

    def _announce_change(self, session: Session) -> None:
        if session.facts is None or session.listed is None:
            return
        fingerprint = self._dispatcher.fingerprint(session.facts)
        if session.listed != fingerprint:
            self._sessions.saw(session, fingerprint)
            session.announce(LIST_CHANGED)

    def routes(self) -> list[Route]:
        """The MCP addresses."""
        return [Route(path, _Verbatim(self)) for path in ("/mcp", "/mcp/{profile}", "/w/{profile}/mcp")]

    def close(self) -> None:
        """End every standing stream: the gateway is leaving."""
        self._sessions.close_streams(self._sessions)

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, as an ASGI app."""
        incoming = read_incoming(scope)
        try:
            self._dispatcher.resolve(incoming.facts)
            await self._serve(incoming, receive, send)
        except NotFound as fault:
            await http.refuse(send, 404, f"{fault} {fault.hint}".strip())
        except ConnectionError:
            return

    async def _serve(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        match incoming.verb:
            case "POST":
                await self._post(incoming, receive, send)
            case "GET":
                await self._stream(incoming, receive, send)
            case "DELETE":
                await self._end(incoming, send)
            case _:
                await http.answer(send, 405, headers=[(b"allow", b"GET, POST, DELETE")])

    # -- POST ------------------------------------------------------------------------------------------------------

    async def _post(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        if not incoming.takes_json:
            return await http.refuse(send, 406, "Accept must include application/json.")
        body = await http.read_body(receive, self._limit_bytes())
        if body is None:
            limit_mb = self._limit_bytes() >> 20
            return await http.refuse(
                send, 413, f"The request is larger than {limit_mb} MB; settings.maxRequestMb can be raised."
            )
        try:
            frame = read_frame(body)
        except msgspec.ValidationError:
            if body.lstrip()[:1] == b"[":
                return await self._batch(incoming, body, send)
            return await http.refuse(send, 400, "The body is not a JSON-RPC message.")
        except msgspec.DecodeError:
            return await http.refuse(send, 400, "The body is not JSON.", PARSE_ERROR)
        await self._message(incoming, frame, send)

    async def _message(self, incoming: Incoming, frame: Frame, send: Send) -> None:
        if not _is_message(frame):
            return await http.refuse(send, 400, "The body is not a JSON-RPC request, notification or response.")
        if not eras.is_session_era(incoming.version):
            return await self._refuse_version(incoming, frame, send)
        if frame.method == "initialize" and frame.id is not UNSET:
            return await self._initialize(incoming, frame, send)
        session = await self._session(incoming, send)
        if session is None:
            return
        if frame.is_response:
            await http.answer(send, 202)
        elif frame.id is UNSET:
            self._notified(session, frame)
            await http.answer(send, 202)
        else:
            await self._request(incoming, session, frame, send)

    async def _request(self, incoming: Incoming, session: Session, frame: Frame, send: Send) -> None:
        assert frame.id is not UNSET and frame.method is not UNSET
        exchange = Exchange(send, bytes(frame.id), takes_stream=incoming.takes_stream)
        if exchange.request_id in session.in_flight:
            error = RpcError(INVALID_REQUEST, "This request id is in use by a request that is not answered yet")
            return await exchange.fail(error, 400)
        session.in_flight[exchange.request_id] = exchange
        try:
            await _answer(exchange, self._result(incoming, session, frame.method, frame.params, exchange))
        finally:
            session.in_flight.pop(exchange.request_id, None)

    async def _result(
        self, incoming: Incoming, session: Session, method: str, params: Raw | UnsetType, exchange: Exchange
    ) -> bytes | Raw:
        facts = incoming.facts_for(session.client_name)
        result = await self._dispatcher.answer(method, read_members(params), facts, exchange)
        if method == "tools/list":
            self._sessions.saw(session, self._dispatcher.fingerprint(facts))
        return result

    async def _initialize(self, incoming: Incoming, frame: Frame, send: Send) -> None:
        assert frame.id is not UNSET
        try:
            asked = msgspec.convert(_plain(frame.params), _InitializeParams)
        except msgspec.MsgspecError:
            error = RpcError(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo")
            return await http.answer(send, 200, failure(frame.id, error))
        version = eras.negotiated_version(asked.protocolVersion)
        name = asked.clientInfo.get("name")
        session = self._sessions.start(version, name if isinstance(name, str) else None, asked.capabilities)
        session.facts = incoming.facts_for(session.client_name)
        result = self._dispatcher.initialize(incoming.facts_for(session.client_name), version)
        await http.answer(send, 200, response(frame.id, result), [(b"mcp-session-id", session.id.encode())])

    async def _batch(self, incoming: Incoming, body: bytes, send: Send) -> None:
        """Several messages in one array, as revision 2025-03-26 allowed: answered by one array."""
        try:
            parts = read_batch(body)
        except msgspec.MsgspecError:
            return await http.refuse(send, 400, "The body is not JSON.", PARSE_ERROR)
        if not 0 < len(parts) <= BATCH_MESSAGES:
            return await http.refuse(send, 400, f"A batch holds 1 to {BATCH_MESSAGES} messages.")
        answers: list[bytes] = []

        async def collect(message: Message) -> None:
            if message["type"] == "http.response.body" and message.get("body"):
                answers.append(message["body"])

        async with asyncio.TaskGroup() as tasks:
            for part in parts:
                tasks.create_task(self._message(incoming.without_stream(), _batch_frame(part), collect))
        if answers:
            await http.answer(send, 200, b"[" + b",".join(answers) + b"]")
        else:
            await http.answer(send, 202)

    def _notified(self, session: Session, frame: Frame) -> None:
        if frame.method == "notifications/cancelled":
            request_id = read_members(frame.params).get("requestId")
            exchange = session.in_flight.get(bytes(request_id)) if request_id is not None else None
            if exchange is not None:
                exchange.cancel()

    async def _session(self, incoming: Incoming, send: Send) -> Session | None:
        """The session of a request; None where it has none, and then the client has its answer."""
        if incoming.session_id is None:
            await http.refuse(send, 400, "The header Mcp-Session-Id is missing: send initialize first.")
            return None
        session = self._sessions.find(incoming.session_id, incoming.version)
        if session is None:
            await http.refuse(send, 404, "This session was ended: send initialize again.", SESSION_NOT_FOUND)
            return None
        session.facts = incoming.facts_for(session.client_name)
        return session

    async def _refuse_version(self, incoming: Incoming, frame: Frame, send: Send) -> None:
        request_id = b"null" if frame.id is UNSET else bytes(frame.id)
        told = {"supported": list(eras.HANDSHAKE_VERSIONS), "requested": incoming.version}
        error = RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", told)
        await http.answer(send, 400, failure(request_id, error))

    # -- GET and DELETE --------------------------------------------------------------------------------------------

    async def _stream(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        """The standing stream on which a client is told of changes."""
        if not incoming.takes_stream:
            return await http.refuse(send, 406, "Accept must include text/event-stream.")
        session = await self._session(incoming, send)
        if session is None:
            return
        stream: Mailbox[bytes | None] = Mailbox()
        session.streams.append(stream)
        for method in session.missed:
            session.announce(method)
        session.missed.clear()
        try:
            await http.open_stream(send, [(b"mcp-session-id", session.id.encode())])
            # Some clients and proxies wait for a first byte.
            await http.send_part(send, b": open\n\n")
            self._announce_change(session)
            await _pump(stream, receive, send)
            await http.end_stream(send)
        finally:
            session.streams.remove(stream)

    async def _end(self, incoming: Incoming, send: Send) -> None:
        session = await self._session(incoming, send)
        if session is not None:
            self._sessions.end(session, time.time())
            await http.answer(send, 200)


class _Verbatim:
    """An ASGI app in a routes table: Starlette calls functions and methods with a request instead."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._endpoint.serve(scope, receive, send)


class _InitializeParams(msgspec.Struct):
    protocolVersion: str
    capabilities: dict[str, Any]
    clientInfo: dict[str, Any]


async def _answer(exchange: Exchange, work: Coroutine[Any, Any, bytes | Raw]) -> None:
    """The one place where a request gets its answer."""
    try:
        result = await work
    except RpcError as error:
        return await exchange.fail(error)
    except asyncio.CancelledError:
        task = asyncio.current_task()
        if not exchange.is_cancelled or task is None:
            raise
        task.uncancel()
        return await exchange.abandon()
    except Exception:
        log.exception("bug while answering a request")
        return await exchange.fail(RpcError(INTERNAL_ERROR, "Internal error"))
    await exchange.finish(result)


async def _pump(stream: Mailbox[bytes | None], receive: Receive, send: Send) -> None:
    """Send what is pushed, and a comment in silence, until the client leaves or the stream is ended."""

    async def watch() -> None:
        await http.wait_for_disconnect(receive)
        stream.push(None)

    async with asyncio.TaskGroup() as tasks:
        watcher = tasks.create_task(watch())
        while True:
            try:
                async with asyncio.timeout(SIGN_OF_LIFE_S):
                    data = await stream.next()
            except TimeoutError:
                await http.send_part(send, b": open\n\n")
                continue
            if data is None:
                break
            await http.send_part(send, sse(data))
        watcher.cancel()


def _is_message(frame: Frame) -> bool:
    has_valid_id = frame.id is UNSET or is_valid_id(frame.id)
    return frame.jsonrpc == "2.0" and has_valid_id and (frame.method is not UNSET or frame.is_response)


def _batch_frame(part: Raw) -> Frame:
    try:
        return read_frame(bytes(part))
    except msgspec.MsgspecError:
        return Frame()


def _plain(params: Raw | UnsetType) -> Any:
    return None if params is UNSET else msgspec.json.decode(params)

