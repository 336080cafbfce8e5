"""A modern request whose server may ask the client something meanwhile: the call is held, and the client asked.

A modern client is never sent a request. It gets a result that says which input is missing, and repeats its request with
the answers; the call to a legacy server goes on from where it waited.
"""

import asyncio
import secrets
from collections.abc import Coroutine
from typing import Any

from msgspec import Raw

from switchboard_tray.protocol.calls import Ask, Caller, Note
from switchboard_tray.protocol.eras import ASK_CAPABILITIES, TARGET_KEYS
from switchboard_tray.protocol.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    Members,
    RpcError,
    dumps,
    read_members,
    read_text,
)
from switchboard_tray.wire.exchange import Exchange

HOLD_S = 600.0
"""A client may take so long to come back with its input."""
WATCH_AFTER_S = 0.05
"""Nearly every call is over before; only the others are watched for a client that leaves."""
_OURS = "switchboard."
"""What tells our states from those that modern servers give their own questions."""


class Conversation:
    """Listens to one call for a client of the modern era, over the requests that it takes."""

    def __init__(self, caller: Caller, about: str, is_askable: bool) -> None:
        self._caller, self.about, self._is_askable = caller, about, is_askable
        self._exchange: Exchange | None = None
        self._asks: dict[str, Ask] = {}
        self._turn: asyncio.Future[None] | None = None
        self._task: asyncio.Task[bytes | Raw] | None = None

    @property
    def caller(self) -> Caller:
        """The client, as its request describes it."""
        return self._caller

    # -- what the call tells ---------------------------------------------------------------------------------------

    def end(self) -> None:
        """The call is over."""
        self._asks.clear()

    async def note(self, note: Note) -> None:
        """Pass on a notification; log messages only to a client that asks for them."""
        if self._exchange is not None and (note.method != "notifications/message" or self._caller.log_level):
            await self._exchange.tell(note, self._caller.log_level)

    async def tick(self) -> None:
        """Send a sign of life."""
        if self._exchange is not None:
            await self._exchange.tick()

    async def ask(self, ask: Ask) -> None:
        """Keep the server's question for the client, if it can be asked."""
        capability = ASK_CAPABILITIES.get(ask.method)
        if capability is None or not self._is_askable or not self._caller.offers(capability):
            return ask.answer(RpcError(METHOD_NOT_FOUND, f"{ask.method}: the client declared no such capability"))
        self._asks[ask.key] = ask
        self._take_turn()

    async def withdraw(self, key: str) -> None:
        """The server took its question back."""
        self._asks.pop(key, None)

    # -- the client's turns ----------------------------------------------------------------------------------------

    async def start(self, work: Coroutine[Any, Any, bytes | Raw], exchange: Exchange) -> bytes | Raw | None:
        """Begin the call; its result, or None where the client is asked first. Raises what `work` raises."""
        self._task = asyncio.get_running_loop().create_task(work)
        self._task.add_done_callback(lambda _: self._take_turn())
        return await self._wait(exchange)

    async def go_on(self, answers: Members, exchange: Exchange) -> bytes | Raw | None:
        """Hand the client's answers over and wait on; as `start`. Questions without an answer are asked again."""
        for key in [key for key in self._asks if key in answers]:
            self._asks.pop(key).answer(answers[key])
        return None if self._asks else await self._wait(exchange)

    def questions(self) -> dict[str, object]:
        """What the client is to answer, by key."""
        return {
            key: {"method": ask.method, "params": Raw(bytes(ask.params))} for key, ask in self._asks.items()
        }

    def give_up(self) -> None:
        """Nobody waits for the call any more."""
        if self._task is not None:
            self._task.cancel()

    async def _wait(self, exchange: Exchange) -> bytes | Raw | None:
        assert self._task is not None
        loop = asyncio.get_running_loop()
        self._exchange, self._turn = exchange, loop.create_future()
        watcher: asyncio.Task[None] | None = None

        def watch() -> None:
            nonlocal watcher
            watcher = loop.create_task(self._give_up_when_gone(exchange))

        timer = loop.call_later(WATCH_AFTER_S, watch)
        try:
            if not self._task.done() and not self._asks:
                await self._turn
        except asyncio.CancelledError:
            self.give_up()
            raise
        finally:
            timer.cancel()
            if watcher is not None:
                watcher.cancel()
            self._exchange = self._turn = None
        if not self._task.done():
            return None
        if self._task.cancelled():
            raise ConnectionError("the client closed its stream, which cancels its request")
        return self._task.result()

    async def _give_up_when_gone(self, exchange: Exchange) -> None:
        await exchange.wait_until_gone()
        self.give_up()

    def _take_turn(self) -> None:
        if self._turn is not None and not self._turn.done():
            self._turn.set_result(None)


class Holds:
    """Conversations that wait for their client, by the state it was given."""

    def __init__(self) -> None:
        self._held: dict[str, tuple[Conversation, asyncio.TimerHandle]] = {}

    def hold(self, conversation: Conversation) -> bytes:
        """The result that asks the client for input; the call waits ten minutes for it."""
        state = _OURS + secrets.token_urlsafe(24)
        timer = asyncio.get_running_loop().call_later(HOLD_S, self._expire, state)
        self._held[state] = conversation, timer
        questions = conversation.questions()
        return dumps({"resultType": "input_required", "inputRequests": questions, "requestState": state})

    def gave(self, params: Members) -> bool:
        """Whether a request carries a state of ours, be it expired: it goes on with a call that waits."""
        state = read_text(params.get("requestState"))
        return state is not None and state.startswith(_OURS)

    def take(self, params: Members, about: str) -> Conversation:
        """The conversation that a repeated request goes on with. Raises `RpcError` where there is none."""
        state = read_text(params.get("requestState"))
        held = self._held.get(state) if state is not None else None
        if state is None or held is None or held[0].about != about:
            raise RpcError(INVALID_PARAMS, "requestState is unknown or expired: send the request again without it")
        del self._held[state]
        held[1].cancel()
        return held[0]

    def close(self) -> None:
        """End all that wait."""
        for state in list(self._held):
            self._expire(state)

    def _expire(self, state: str) -> None:
        conversation, timer = self._held.pop(state)
        timer.cancel()
        conversation.give_up()


def subject(method: str, params: Members) -> str:
    """What a request is about: a repeated request must be about the same."""
    key = TARGET_KEYS.get(method)
    return f"{method} {bytes(params.get(key, b'')).decode(errors='replace') if key else ''}"


def answers_in(params: Members) -> Members:
    """The answers a repeated request brings."""
    return read_members(params.get("inputResponses"))
