"""A legacy request whose server may ask the client something meanwhile, over the request's own stream.

The question goes out as an event; the client posts its answer as a message of its own, which the session hands over.
"""

import asyncio

from msgspec import Raw

from switchboard_tray.protocol.calls import Ask, Caller, Note
from switchboard_tray.protocol.eras import ASK_CAPABILITIES, Era
from switchboard_tray.protocol.messages import (
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    RpcError,
    dumps,
    notification,
    request,
)
from switchboard_tray.wire.exchange import Exchange
from switchboard_tray.wire.sessions import Session

CANCELLED = "notifications/cancelled"


class SessionRequest:
    """Listens to a call for a client of the legacy era."""

    def __init__(self, session: Session, exchange: Exchange) -> None:
        self._session, self._exchange = session, exchange
        self._asked: dict[bytes, str] = {}
        self._watcher: asyncio.Task[None] | None = None
        self._task = asyncio.current_task()
        self.is_cancelled = False
        """Whether the client took its request back."""
        facts = session.facts
        name = (facts.client_id or facts.client_name or "") if facts else ""
        self.caller = Caller(session.id, Era.LEGACY, session.capabilities, session.info, session.log_level, name)

    def end(self) -> None:
        """The call is over: nobody waits for answers any more, and the client may close its dialogs."""
        if self._watcher is not None:
            self._watcher.cancel()
        for request_id in self._asked:
            if self._session.forget_ask(request_id):
                self._session.send(_withdrawal(request_id))
        self._asked.clear()

    async def note(self, note: Note) -> None:
        """Pass on a notification."""
        await self._exchange.tell(note, self._session.log_level)

    async def tick(self) -> None:
        """Send a sign of life."""
        await self._exchange.tick()

    async def ask(self, ask: Ask) -> None:
        """Put the server's question to the client, if it can be asked."""
        capability = ASK_CAPABILITIES.get(ask.method)
        if capability is None or not self._exchange.takes_stream or not self.caller.offers(capability):
            return ask.answer(RpcError(METHOD_NOT_FOUND, f"{ask.method}: the client declared no such capability"))
        request_id = self._session.new_ask(ask.answer)
        self._asked[request_id] = ask.key
        if self._watcher is None:
            self._watcher = asyncio.get_running_loop().create_task(self._watch())
        await self._exchange.event(request(request_id, ask.method, ask.params))

    async def withdraw(self, key: str) -> None:
        """The server took its question back: the client may close its dialog."""
        for request_id in [one for one, asked in self._asked.items() if asked == key]:
            del self._asked[request_id]
            if self._session.forget_ask(request_id):
                await self._exchange.event(_withdrawal(request_id))

    def cancel(self) -> None:
        """The client no longer waits: end the task that works on the request."""
        if self._task is not None and not self.is_cancelled:
            self.is_cancelled = True
            self._task.cancel()

    async def abandon(self) -> None:
        """End a cancelled request. It gets no response, since clients complain of one that they no longer expect."""
        if self._exchange.takes_stream:
            await self._exchange.abandon()
        else:
            await self._exchange.fail(RpcError(REQUEST_CANCELLED, "Request cancelled"))

    async def _watch(self) -> None:
        """A client that left without its stream gets no question any more; its call goes on all the same."""
        await self._exchange.wait_until_gone()
        for request_id in list(self._asked):
            self._session.answer_ask(request_id, RpcError(REQUEST_CANCELLED, "the client left"))


def _withdrawal(request_id: bytes) -> bytes:
    return notification(CANCELLED, dumps({"requestId": Raw(request_id)}))
