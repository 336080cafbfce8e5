"""One request's way back to its client: JSON at once, an event stream only when something must go out earlier."""

import asyncio
from collections.abc import Callable

from msgspec import Raw
from starlette.types import Send

from switchboard_tray.protocol.calls import Ask, Note, Tick
from switchboard_tray.protocol.messages import (
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    RpcError,
    failure,
    notification,
    response,
    sse,
)
from switchboard_tray.wire import http

SIGN_OF_LIFE_S = 15.0
"""Proxies and `fetch` give up on a silent answer after some minutes, so a long call says that it is alive."""


class Exchange:
    """Listens to a call for the client that made the request, and sends what the client may see.

    `takes_stream` tells whether the client accepts an event stream; without, what comes before the result is dropped.
    """

    def __init__(self, send: Send, request_id: bytes, *, takes_stream: bool, headers: http.Headers = ()) -> None:
        self.request_id = request_id
        self._send, self._takes_stream, self._headers = send, takes_stream, headers
        self._is_streaming = False
        self._is_cancelled = False
        self._task = asyncio.current_task()
        self._timer: asyncio.TimerHandle | None = None

    # -- what the call tells ---------------------------------------------------------------------------------------

    def begin(self, push: Callable[[Tick], None]) -> None:
        """The call is under way: a tick is pushed whenever a sign of life is due."""
        loop = asyncio.get_running_loop()

        def tick() -> None:
            push(Tick())
            self._timer = loop.call_later(SIGN_OF_LIFE_S, tick)

        self._timer = loop.call_later(SIGN_OF_LIFE_S, tick)

    def end(self) -> None:
        """The call is over."""
        if self._timer is not None:
            self._timer.cancel()

    async def note(self, note: Note) -> None:
        """Pass on a notification."""
        await self._event(sse(notification(note.method, note.params)))

    async def ask(self, ask: Ask) -> None:
        """Requests of servers are not passed on."""
        ask.answer(RpcError(METHOD_NOT_FOUND, f"{ask.method} is not passed on to clients"))

    async def withdraw(self, key: str) -> None:
        """Nothing was passed on."""

    async def tick(self) -> None:
        """Send a sign of life."""
        await self._event(b": still working\n\n")

    async def _event(self, data: bytes) -> None:
        if not self._takes_stream:
            return
        if not self._is_streaming:
            self._is_streaming = True
            await http.open_stream(self._send, self._headers)
        await http.send_part(self._send, data)

    # -- how it ends -----------------------------------------------------------------------------------------------

    def cancel(self) -> None:
        """The client no longer waits: end the task that works on the request."""
        if self._task is not None:
            self._is_cancelled = True
            self._task.cancel()

    @property
    def is_cancelled(self) -> bool:
        """Whether the client took its request back."""
        return self._is_cancelled

    async def finish(self, result: bytes | Raw) -> None:
        """Answer with a result."""
        if self._is_streaming:
            await http.end_stream(self._send, sse(response(self.request_id, result)))
        elif len(result) < http.LARGE_BYTES:
            await http.answer(self._send, 200, response(self.request_id, result), self._headers)
        else:
            head = b'{"jsonrpc":"2.0","id":' + self.request_id + b',"result":'
            await http.answer_parts(self._send, (head, bytes(result), b"}"), self._headers)

    async def fail(self, error: RpcError, status: int = 200) -> None:
        """Answer with an error."""
        body = failure(self.request_id, error)
        if self._is_streaming:
            await http.end_stream(self._send, sse(body))
        else:
            await http.answer(self._send, status, body, self._headers)

    async def abandon(self) -> None:
        """End a cancelled request. It gets no response, since clients complain of one that they no longer expect."""
        if not self._takes_stream:
            return await self.fail(RpcError(REQUEST_CANCELLED, "Request cancelled"))
        if not self._is_streaming:
            await http.open_stream(self._send, self._headers)
        await http.end_stream(self._send)
