"""Clients of the legacy era: ``initialize`` opens a session, requests name it, a GET stream hears of changes."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import AsyncExitStack
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType
from starlette.types import Message, Receive, Send

from switchboard_tray.gateway.dispatch import Dispatcher
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.messages import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    SESSION_NOT_FOUND,
    Frame,
    RpcError,
    failure,
    is_valid_id,
    notification,
    read_batch,
    read_frame,
    read_members,
    read_text,
    response,
)
from switchboard_tray.wire import http
from switchboard_tray.wire.asking import CANCELLED, SessionRequest
from switchboard_tray.wire.exchange import Exchange
from switchboard_tray.wire.request import Incoming
from switchboard_tray.wire.sessions import Session, Sessions
from switchboard_tray.wire.shared import answer_with, is_message
from switchboard_tray.wire.stream import Stream

BATCH_MESSAGES = 1000
BATCH_ANSWER_BYTES = 64 << 20
"""A thousand short requests may ask for a long list each; the answers beyond this are errors."""
INITIALIZE_BYTES = 64 << 10
"""What a client says of itself is kept, in memory and on disk, as long as its session."""
_KINDS: Mapping[str, str] = {
    "tools/list": eras.TOOLS_CHANGED,
    "prompts/list": eras.PROMPTS_CHANGED,
    "resources/list": eras.RESOURCES_CHANGED,
}
"""What a client has seen after which request."""


class LegacyClients:
    """Serves the sessions."""

    def __init__(self, dispatcher: Dispatcher, sessions: Sessions) -> None:
        self._dispatcher, self._sessions = dispatcher, sessions

    def announce_changes(self) -> None:
        """Tell each client whose lists are no longer what it last saw."""
        for session in self._sessions:
            self._announce_changes(session)

    def resource_updated(self, server: str, params: Raw | None, own: str) -> None:
        """Tell the clients that watch a server's resource."""
        for session in self._sessions:
            if session.watches and session.facts is not None:
                for uri in self._dispatcher.shown_uris(session.facts, server, own):
                    if uri in session.watches:
                        session.send(notification(eras.RESOURCE_UPDATED, http.with_uri(params, uri)))

    def close(self) -> None:
        """End every standing stream: the gateway is leaving."""
        self._sessions.close_streams(self._sessions)

    def _announce_changes(self, session: Session) -> None:
        if session.facts is None or not session.streams:
            # Without a stream there is nobody to tell: the next stream, or list, settles it.
            return
        fingerprints = self._dispatcher.fingerprints(session.facts)
        for kind, seen in list(session.listed.items()):
            if seen != (now := fingerprints.get(kind, "")):
                session.send(notification(kind))
                self._sessions.saw(session, kind, now)

    # -- POST ------------------------------------------------------------------------------------------------------

    async def message(self, incoming: Incoming, frame: Frame, receive: Receive, send: Send) -> None:
        """Serve one message."""
        if frame.method == "initialize" and frame.id is not UNSET:
            return await self._initialize(incoming, frame.id, frame.params, send)
        session = await self._session(incoming, send)
        if session is None:
            return
        if frame.is_response:
            self._answered(session, frame)
            await http.answer(send, 202)
        elif frame.id is UNSET:
            self._notified(incoming, session, frame)
            await http.answer(send, 202)
        else:
            exchange = Exchange(receive, send, bytes(frame.id), takes_stream=incoming.takes_stream)
            await self._request(incoming, session, frame, exchange)

    async def batch(self, incoming: Incoming, body: bytes, receive: Receive, send: Send) -> None:
        """Several messages in one array, as revision 2025-03-26 allowed: answered by one array."""
        try:
            parts = read_batch(body)
        except msgspec.MsgspecError:
            return await http.refuse(send, 400, "The body is not JSON.", PARSE_ERROR)
        if not 0 < len(parts) <= BATCH_MESSAGES:
            return await http.refuse(send, 400, f"A batch holds 1 to {BATCH_MESSAGES} messages.")
        answers: list[bytes] = []
        size_bytes = 0
        alone = incoming.without_stream()

        async def one(part: Raw) -> None:
            pieces: list[bytes] = []

            async def collect(message: Message) -> None:
                if message["type"] == "http.response.body":
                    pieces.append(message.get("body", b""))

            frame = _batch_frame(part)
            if not is_message(frame) or frame.method == "initialize":
                error = RpcError(INVALID_REQUEST, "Not a JSON-RPC message that may stand in a batch")
                answers.append(failure(frame.id if frame.id is not UNSET and is_valid_id(frame.id) else b"null", error))
                return
            nonlocal size_bytes
            await self.message(alone, frame, receive, collect)
            whole = b"".join(pieces)
            if whole and size_bytes + len(whole) > BATCH_ANSWER_BYTES and frame.id is not UNSET:
                too_large = f"The answers to a batch may have {BATCH_ANSWER_BYTES >> 20} MB in all"
                whole = failure(frame.id, RpcError(INTERNAL_ERROR, too_large))
            if whole:
                size_bytes += len(whole)
                answers.append(whole)

        if await self._session(incoming, send) is None:
            return
        async with asyncio.TaskGroup() as tasks:
            for part in parts:
                tasks.create_task(one(part))
        if answers:
            await http.answer(send, 200, b"[" + b",".join(answers) + b"]")
        else:
            await http.answer(send, 202)

    async def _request(self, incoming: Incoming, session: Session, frame: Frame, exchange: Exchange) -> None:
        assert frame.method is not UNSET
        if exchange.request_id in session.in_flight:
            error = RpcError(INVALID_REQUEST, "This request id is in use by a request that is not answered yet")
            return await exchange.fail(error, 400)
        request = SessionRequest(session, exchange)
        session.in_flight[exchange.request_id] = request
        try:
            await answer_with(exchange, self._result(incoming, session, frame.method, frame.params, request))
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if not request.is_cancelled or task is None:
                raise
            task.uncancel()
            await request.abandon()
        finally:
            session.in_flight.pop(exchange.request_id, None)

    async def _result(
        self, incoming: Incoming, session: Session, method: str, params: Raw | UnsetType, request: SessionRequest
    ) -> bytes | Raw:
        if method not in eras.LEGACY_METHODS:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")
        facts, members = incoming.facts_for(session.client_name), read_members(params)
        match method:
            case "logging/setLevel":
                return self._set_level(session, read_text(members.get("level")))
            case "resources/subscribe" | "resources/unsubscribe":
                return await self._watch(incoming, session, method, read_text(members.get("uri")))
        result = await self._dispatcher.answer(method, members, facts, request)
        if (kind := _KINDS.get(method)) is not None:
            # No wait since the list was taken, so this is what the client gets to see.
            self._sessions.saw(session, kind, self._dispatcher.fingerprints(facts).get(kind, ""))
        return result

    async def _initialize(self, incoming: Incoming, request_id: Raw, params: Raw | UnsetType, send: Send) -> None:
        try:
            asked = msgspec.json.decode(b"null" if params is UNSET else params, type=_InitializeParams)
        except (msgspec.MsgspecError, RecursionError):
            error = RpcError(INVALID_PARAMS, "initialize needs protocolVersion, capabilities and clientInfo")
            return await http.answer(send, 200, failure(request_id, error))
        if params is not UNSET and len(params) > INITIALIZE_BYTES:
            error = RpcError(INVALID_PARAMS, f"initialize has more than {INITIALIZE_BYTES >> 10} KB of parameters")
            return await http.answer(send, 200, failure(request_id, error))
        version = eras.negotiated_version(asked.protocolVersion)
        session = self._sessions.start(version, asked.clientInfo, asked.capabilities)
        session.facts = incoming.facts_for(session.client_name)
        result = self._dispatcher.initialize(session.facts, version)
        await http.answer(send, 200, response(request_id, result), [(b"mcp-session-id", session.id.encode())])

    def _notified(self, incoming: Incoming, session: Session, frame: Frame) -> None:
        assert frame.method is not UNSET
        if frame.method == CANCELLED:
            request_id = read_members(frame.params).get("requestId")
            request = session.in_flight.get(bytes(request_id)) if request_id is not None else None
            if request is not None:
                request.cancel()
        else:
            params = None if frame.params is UNSET else frame.params
            self._dispatcher.told(incoming.facts_for(session.client_name), frame.method, params)

    def _answered(self, session: Session, frame: Frame) -> None:
        """The client's answer to a question of a server."""
        if frame.id is not UNSET:
            said = RpcError.from_raw(frame.error) if frame.error is not UNSET else frame.result
            session.answer_ask(bytes(frame.id), b"{}" if said is UNSET else said)

    def _set_level(self, session: Session, level: str | None) -> bytes:
        if level not in eras.LOG_LEVELS:
            raise RpcError(INVALID_PARAMS, f"level must be one of {', '.join(eras.LOG_LEVELS)}")
        session.log_level = level
        levels = [one.log_level for one in self._sessions if one.log_level is not None]
        self._dispatcher.set_level(min(levels, key=eras.LOG_LEVELS.index))
        return b"{}"

    async def _watch(self, incoming: Incoming, session: Session, method: str, uri: str | None) -> bytes:
        if uri is None:
            raise RpcError(INVALID_PARAMS, "The parameter uri must be a string")
        watch = session.watches.pop(uri, None) if method.endswith("unsubscribe") else session.watches.get(uri)
        if method.endswith("unsubscribe"):
            if watch is not None:
                await watch.aclose()
        elif watch is None:
            stack = AsyncExitStack()
            await stack.enter_async_context(self._dispatcher.watching(incoming.facts_for(session.client_name), uri))
            session.watches[uri] = stack
        return b"{}"

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

    # -- GET and DELETE --------------------------------------------------------------------------------------------

    async def stream(self, incoming: Incoming, receive: Receive, send: Send) -> None:
        """Serve the standing stream on which a client is told of changes."""
        if not incoming.takes_stream:
            return await http.refuse(send, 406, "Accept must include text/event-stream.")
        session = await self._session(incoming, send)
        if session is None:
            return
        stream = Stream()
        session.streams.append(stream)
        try:
            await http.open_stream(send, [(b"mcp-session-id", session.id.encode())])
            # Some clients and proxies wait for a first byte.
            await http.send_part(send, b": open\n\n")
            self._announce_changes(session)
            await stream.pump(receive, send)
            await http.end_stream(send)
        finally:
            session.streams.remove(stream)

    async def end(self, incoming: Incoming, send: Send) -> None:
        """End a session for good."""
        session = await self._session(incoming, send)
        if session is not None:
            self._sessions.end(session, time.time())
            for watch in session.watches.values():
                await watch.aclose()
            await http.answer(send, 200)


class _InitializeParams(msgspec.Struct):
    protocolVersion: str
    capabilities: dict[str, Any]
    clientInfo: dict[str, Any]


def _batch_frame(part: Raw) -> Frame:
    try:
        return read_frame(bytes(part))
    except msgspec.MsgspecError:
        return Frame()
