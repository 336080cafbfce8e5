"""Clients of the modern era: each request stands alone, says in ``_meta`` who asks, and repeats itself in headers."""

import secrets
from collections.abc import Mapping
from contextlib import AsyncExitStack
from dataclasses import dataclass

from msgspec import UNSET, Raw
from starlette.types import Receive, Send

from switchboard_tray.gateway.dispatch import SERVER_INFO, Dispatcher
from switchboard_tray.profiles.resolve import ClientFacts
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.calls import Caller
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.headers import Envelope, check_param_headers, open_envelope
from switchboard_tray.protocol.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Frame,
    RpcError,
    dumps,
    failure,
    notification,
    read_members,
    read_text,
)
from switchboard_tray.wire import http
from switchboard_tray.wire.conversation import Conversation, Holds, answers_in, subject
from switchboard_tray.wire.exchange import Exchange
from switchboard_tray.wire.request import Incoming
from switchboard_tray.wire.shared import answer_with
from switchboard_tray.wire.stream import Stream

ACKNOWLEDGED = "notifications/subscriptions/acknowledged"
_SERVER_INFO = Raw(dumps(SERVER_INFO))
_EMPTY = 2
"""The length of arguments without any member."""


@dataclass(slots=True)
class Listening:
    """A client that listens to changes."""

    facts: ClientFacts
    request_id: Raw
    kinds: dict[str, str]
    """For each kind of change it wants to hear of, the fingerprint it last saw."""
    uris: tuple[str, ...]
    stream: Stream

    def tell(self, method: str, params: Mapping[str, object] | None = None) -> None:
        """Send a notification, marked with the request that subscribed to it."""
        meta = {eras.SUBSCRIPTION_KEY: self.request_id}
        self.stream.push(notification(method, dumps({**(params or {}), "_meta": meta})))


class ModernClients:
    """Serves requests that stand alone."""

    def __init__(self, dispatcher: Dispatcher) -> None:
        self._dispatcher = dispatcher
        self._holds = Holds()
        self._listening: dict[int, Listening] = {}

    def announce_changes(self) -> None:
        """Tell each client that listens and whose lists changed."""
        for one in list(self._listening.values()):
            fingerprints = self._dispatcher.fingerprints(one.facts)
            for kind, seen in list(one.kinds.items()):
                if seen != (now := fingerprints.get(kind, "")):
                    one.kinds[kind] = now
                    one.tell(kind)

    def resource_updated(self, server: str, params: Raw | None, own: str) -> None:
        """Tell the clients that watch a server's resource."""
        for one in list(self._listening.values()):
            if one.uris:
                for uri in self._dispatcher.shown_uris(one.facts, server, own):
                    if uri in one.uris:
                        one.tell(eras.RESOURCE_UPDATED, {**read_members(params), "uri": uri})

    def close(self) -> None:
        """End every standing stream and every held call: the gateway is leaving."""
        self._holds.close()
        for one in self._listening.values():
            one.stream.push(None)

    # -- requests --------------------------------------------------------------------------------------------------

    async def message(self, incoming: Incoming, frame: Frame, receive: Receive, send: Send) -> None:
        """Serve one message."""
        if frame.is_response:
            return await http.refuse(send, 400, "Clients of this revision are asked nothing, so they answer nothing.")
        if frame.id is UNSET:
            # No notification of this revision wants an answer or has an effect: a client cancels by closing its stream.
            if incoming.version in eras.MODERN_VERSIONS:
                return await http.answer(send, 202)
            return await http.answer(send, 400, failure(b"null", eras.unsupported_version(incoming.version)))
        exchange = Exchange(receive, send, bytes(frame.id), takes_stream=incoming.takes_stream)
        await answer_with(exchange, self._result(incoming, frame, exchange, receive, send), eras.http_status)

    async def _result(
        self, incoming: Incoming, frame: Frame, exchange: Exchange, receive: Receive, send: Send
    ) -> bytes | Raw:
        if incoming.repeated is not None:
            raise RpcError(HEADER_MISMATCH, f"The header {incoming.repeated} came more than once")
        envelope = open_envelope(frame, incoming.headers)
        assert frame.method is not UNSET
        if frame.method not in eras.MODERN_METHODS:
            raise RpcError(METHOD_NOT_FOUND, f"Method not found: {frame.method}")
        info = eras.read_object(envelope.meta.get(eras.CLIENT_KEY))
        facts = incoming.facts_for(info.get("name"))
        if frame.method == "subscriptions/listen":
            return await self._listen(facts, envelope, exchange, receive, send)
        if frame.method == "tools/call":
            self._check_param_headers(facts, envelope, incoming.headers)
        try:
            result = await self._converse(frame.method, envelope, facts, exchange, info)
        except RpcError as error:
            raise eras.error_to_modern(error, envelope.params) from None
        return eras.to_modern(frame.method, result, _SERVER_INFO)

    async def _converse(
        self, method: str, envelope: Envelope, facts: ClientFacts, exchange: Exchange, info: Mapping[str, object]
    ) -> bytes | Raw:
        about = subject(method, envelope.params)
        # Where we gave no state, the server itself asked, and it gets what it asked for.
        if self._holds.gave(envelope.params):
            conversation = self._holds.take(envelope.params, about)
            result = await conversation.go_on(answers_in(envelope.params), exchange)
        else:
            conversation = Conversation(_caller(envelope, facts, info), about, method in eras.TARGET_KEYS)
            work = self._dispatcher.answer(method, envelope.params, facts, conversation)
            result = await conversation.start(work, exchange)
        return self._holds.hold(conversation) if result is None else result

    def _check_param_headers(self, facts: ClientFacts, envelope: Envelope, headers: Mapping[str, str]) -> None:
        arguments = envelope.params.get("arguments", Raw(b"{}"))
        is_mirrored = any(name.startswith("mcp-param-") for name in headers)
        if envelope.target is None or not (is_mirrored or len(arguments) > _EMPTY):
            return
        wanted = self._dispatcher.param_headers(facts, envelope.target)
        if wanted:
            check_param_headers(wanted, eras.read_object(arguments), headers)

    # -- subscriptions ---------------------------------------------------------------------------------------------

    async def _listen(
        self, facts: ClientFacts, envelope: Envelope, exchange: Exchange, receive: Receive, send: Send
    ) -> bytes:
        """Tell a client of changes until it leaves: the acknowledgement first, the result last."""
        if not exchange.takes_stream:
            raise RpcError(INVALID_REQUEST, "subscriptions/listen needs Accept: text/event-stream")
        asked = eras.read_object(envelope.params.get("notifications"))
        if "notifications" not in envelope.params:
            raise RpcError(INVALID_PARAMS, "params.notifications must be an object")
        now = self._dispatcher.fingerprints(facts)
        kinds = {kind: now.get(kind, "") for kind, key in eras.LISTEN_KEYS.items() if asked.get(key) is True}
        wanted = asked.get("resourceSubscriptions")
        uris = tuple(uri for uri in wanted if isinstance(uri, str)) if isinstance(wanted, list) else ()
        one = Listening(facts, Raw(exchange.request_id), kinds, uris, Stream())
        honoured: dict[str, object] = {eras.LISTEN_KEYS[kind]: True for kind in kinds}
        if uris:
            honoured["resourceSubscriptions"] = uris
        async with AsyncExitStack() as watches:
            for uri in uris:
                await watches.enter_async_context(self._dispatcher.watching(facts, uri))
            one.tell(ACKNOWLEDGED, {"notifications": honoured})
            self._listening[id(one)] = one
            try:
                await exchange.open()
                await one.stream.pump(receive, send)
            finally:
                del self._listening[id(one)]
        return dumps({"resultType": "complete", "_meta": {eras.SUBSCRIPTION_KEY: one.request_id}})


def _caller(envelope: Envelope, facts: ClientFacts, info: Mapping[str, object]) -> Caller:
    """Who asks. Without a session, the calls of one client are not known to be of one: each has its own key."""
    capabilities = eras.read_object(envelope.meta.get(eras.CAPABILITIES_KEY))
    level = read_text(envelope.meta.get(eras.LOG_LEVEL_KEY))
    name = facts.client_id or facts.client_name or "unnamed"
    return Caller(secrets.token_hex(8), Era.MODERN, capabilities, info, level, client=name)
