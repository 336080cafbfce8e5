"""A standing event stream: what is pushed goes out, and a comment in silence, until one side ends it."""

import asyncio

from starlette.types import Receive, Send

from switchboard_tray.protocol.calls import SIGN_OF_LIFE_S, Mailbox
from switchboard_tray.protocol.messages import sse
from switchboard_tray.wire import http


class Stream(Mailbox[bytes | None]):
    """Messages for a client that listens; None ends the stream. One whose reader is far behind is ended."""

    def push(self, item: bytes | None) -> None:
        """Send a message, or end the stream."""
        super().push(None if self.is_full else item)

    async def pump(self, receive: Receive, send: Send) -> None:
        """Send what is pushed until the client leaves or the stream is ended."""

        async def watch() -> None:
            await http.wait_for_disconnect(receive)
            self.push(None)

        async with asyncio.TaskGroup() as tasks:
            watcher = tasks.create_task(watch())
            while True:
                try:
                    async with asyncio.timeout(SIGN_OF_LIFE_S):
                        message = await self.next()
                except TimeoutError:
                    await http.send_part(send, b": open\n\n")
                    continue
                if message is None:
                    break
                await http.send_part(send, sse(message))
            watcher.cancel()
