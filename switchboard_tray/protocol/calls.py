"""A call in flight: what comes back, in order, for exactly one reader; and who listens on the client's side.

One mailbox for each call is the whole concurrency: the reader of a server's pipe pushes notes, asks and at last the
response, synchronously and in the order of the wire; the task that made the call reads them.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from typing import Generic, Protocol, TypeVar

import msgspec
from msgspec import Raw

from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import METHOD_NOT_FOUND, Frame, RpcError

T = TypeVar("T")
FULL_AT_ITEMS = 1000
SIGN_OF_LIFE_S = 15.0
"""Proxies and `fetch` give up on a silent answer after some minutes, so a long call says that it is alive."""


class Note(msgspec.Struct, frozen=True):
    """A notification that belongs to a call."""

    method: str
    params: bytes | Raw | None


class Ask(msgspec.Struct, frozen=True):
    """A request from the server to the client; `answer` may be called once, with a result or an error."""

    method: str
    params: bytes | Raw
    key: str
    answer: Callable[[bytes | Raw | RpcError], None]


class Withdrawn(msgspec.Struct, frozen=True):
    """The server took back what it had asked under `key`."""

    key: str


class Alive(msgspec.Struct, frozen=True):
    """The server made progress that nobody asked to see."""


class Tick(msgspec.Struct, frozen=True):
    """A sign of life is due to the client."""


class Lost(msgspec.Struct, frozen=True):
    """No answer will come: the connection ended, or what came is no answer."""

    reason: str


class Expired(msgspec.Struct, frozen=True):
    """The time for the call is over."""


Item = Note | Ask | Withdrawn | Alive | Tick | Lost | Expired | Frame


class Mailbox(Generic[T]):
    """Ordered items for exactly one reader; to push never blocks and needs no task."""

    __slots__ = ("_items", "_waiter")

    def __init__(self) -> None:
        self._items: deque[T] = deque()
        self._waiter: asyncio.Future[None] | None = None

    def push(self, item: T) -> None:
        """Put `item` behind the others."""
        self._items.append(item)
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def next(self) -> T:
        """The next item, as soon as there is one."""
        while not self._items:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        return self._items.popleft()

    @property
    def is_full(self) -> bool:
        """Whether the reader is so far behind that what can be spared should not be pushed."""
        return len(self._items) >= FULL_AT_ITEMS


class Call(Mailbox[Item]):
    """A request that was sent to a server, and the mailbox its answers arrive in.

    `token` is the progress token the client gave; None where it asked for no progress. `owner` tells whose call it is,
    None where it is a question of our own.
    """

    __slots__ = ("id", "is_done", "method", "owner", "token")

    def __init__(self, call_id: int, method: str, token: Raw | None = None, owner: str | None = None) -> None:
        super().__init__()
        self.id, self.method, self.token, self.owner = call_id, method, token, owner
        self.is_done = False

    def push(self, item: Item) -> None:
        """Put `item` behind the others. A reader that is far behind loses notes, never an ask or the response."""
        if not (self.is_full and isinstance(item, Note | Alive | Tick)):
            super().push(item)


class Caller(msgspec.Struct, frozen=True):
    """Who makes a call, as far as a server may come to ask."""

    key: str
    """Equal for calls that are known to be of one client: what a server asks meanwhile may go there."""
    era: Era = Era.LEGACY
    capabilities: Mapping[str, object] | None = None
    """What it can be asked for; None where that was lost with a restart, and then everything may be tried."""
    info: Mapping[str, object] | None = None
    log_level: str | None = None
    client: str = ""
    """The client's name, for servers that run a process for each client; empty where `key` alone tells."""

    def offers(self, capability: str) -> bool:
        """Whether it declared `capability`."""
        return self.capabilities is None or capability in self.capabilities


class Listener(Protocol):
    """The client's side of a call: told what happens before the result."""

    @property
    def caller(self) -> Caller:
        """Who makes the call."""

    def end(self) -> None:
        """The call is over."""

    async def note(self, note: Note) -> None:
        """Pass on a notification."""

    async def ask(self, ask: Ask) -> None:
        """Pass on a request of the server, or answer it with a refusal."""

    async def withdraw(self, key: str) -> None:
        """The server took back the request it made under `key`."""

    async def tick(self) -> None:
        """Send a sign of life."""


class Silent:
    """A listener with nobody behind it: the command line, the admin API, our own questions to a server."""

    caller = Caller("switchboard", capabilities={})

    def end(self) -> None:
        """Nothing to end."""

    async def note(self, note: Note) -> None:
        """Nobody to tell."""

    async def ask(self, ask: Ask) -> None:
        """Nobody to ask."""
        ask.answer(RpcError(METHOD_NOT_FOUND, f"{ask.method}: this call was not made by a client that can be asked"))

    async def withdraw(self, key: str) -> None:
        """Nothing was passed on."""

    async def tick(self) -> None:
        """Nobody waits for it."""
