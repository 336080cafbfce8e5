"""One request's way back to its client: JSON at once, an event stream only when something must go out earlier."""

from msgspec import Raw
from starlette.types import Receive, Send

from switchboard_tray.protocol.calls import Note
from switchboard_tray.protocol.eras import passes_level
from switchboard_tray.protocol.messages import RpcError, failure, notification, read_members, read_text, response, sse
from switchboard_tray.wire import http


class Exchange:
    """Sends what a client may see of its request.

    `takes_stream` tells whether the client accepts an event stream; without, what comes before the result is dropped.
    """

    def __init__(self, receive: Receive, send: Send, request_id: bytes, *, takes_stream: bool) -> None:
        self.request_id = request_id
        self.takes_stream = takes_stream
        self._receive, self._send = receive, send
        self._is_streaming = False

    async def tell(self, note: Note, floor: str | None) -> None:
        """Pass on a notification; a log message only from the level `floor` on."""
        if note.method == "notifications/message":
            level = read_text(read_members(note.params).get("level"))
            if not passes_level(level, floor):
                return
        await self.event(notification(note.method, note.params))

    async def open(self) -> None:
        """Begin the event stream."""
        self._is_streaming = True
        await http.open_stream(self._send)

    async def event(self, message: bytes) -> None:
        """Send a message before the result."""
        await self._stream(sse(message))

    async def tick(self) -> None:
        """Send a sign of life."""
        await self._stream(b": still working\n\n")

    async def wait_until_gone(self) -> None:
        """Return when the client closed its connection."""
        await http.wait_for_disconnect(self._receive)

    async def finish(self, result: bytes | Raw) -> None:
        """Answer with a result."""
        if self._is_streaming:
            await http.end_stream(self._send, sse(response(self.request_id, result)))
        elif len(result) < http.LARGE_BYTES:
            await http.answer(self._send, 200, response(self.request_id, result))
        else:
            head = b'{"jsonrpc":"2.0","id":' + self.request_id + b',"result":'
            await http.answer_parts(self._send, (head, bytes(result), b"}"))

    async def fail(self, error: RpcError, status: int = 200) -> None:
        """Answer with an error."""
        body = failure(self.request_id, error)
        if self._is_streaming:
            await http.end_stream(self._send, sse(body))
        else:
            await http.answer(self._send, status, body)

    async def abandon(self) -> None:
        """End without an answer, in a stream that closes without a word."""
        if not self._is_streaming:
            await http.open_stream(self._send)
        await http.end_stream(self._send)

    async def _stream(self, data: bytes) -> None:
        if not self.takes_stream:
            return
        if not self._is_streaming:
            await self.open()
        await http.send_part(self._send, data)
