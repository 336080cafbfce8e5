"""The time of a call: begun anew by progress and questions, never without an end (docs/servers.md, "Timeouts")."""

import asyncio
from collections.abc import Callable

import pytest
from msgspec import Raw

from switchboard_tray.errors import CallTimeout, ConnectionLost
from switchboard_tray.protocol.calls import Alive, Ask, Call, Expired, Lost, Note, Silent, Tick, Withdrawn
from switchboard_tray.protocol.messages import Frame, RpcError
from switchboard_tray.servers import clock, following
from switchboard_tray.servers.clock import Clock
from switchboard_tray.servers.following import follow
from tests.fixtures.waiting import POLL_S, eventually

QUICK_S = 0.2
DONE = Frame(result=Raw(b'{"done":1}'))


class Client(Silent):
    """A client that keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []
        self.is_over = False

    def end(self) -> None:
        self.is_over = True

    async def note(self, note: Note) -> None:
        self.told.append(note)

    async def ask(self, ask: Ask) -> None:
        self.told.append(ask)

    async def withdraw(self, key: str) -> None:
        self.told.append(key)

    async def tick(self) -> None:
        self.told.append(Tick())


def following_call(call: Call, client: Client, timeout_s: float = QUICK_S) -> "asyncio.Task[Raw]":
    return asyncio.create_task(follow(call, client, "one", timeout_s, lambda fault: f"{fault} (explained)"))


async def test_items_go_to_the_client_in_their_order_and_the_result_comes_back() -> None:
    call, client = Call(1, "tools/call"), Client()
    note, ask = Note("notifications/progress", b"{}"), Ask("roots/list", b"{}", "k", lambda said: None)
    for item in (note, ask, Withdrawn("k"), Alive(), Tick(), DONE):
        call.push(item)

    assert bytes(await following_call(call, client)) == b'{"done":1}'
    assert client.told == [note, ask, "k", Tick()] and client.is_over


async def test_error_of_the_server_is_its_own() -> None:
    call = Call(1, "tools/call")
    call.push(Frame(error=Raw(b'{"code":-7,"message":"no"}')))
    with pytest.raises(RpcError, match="no") as error:
        await following_call(call, Client())

    assert error.value.code == -7


async def test_lost_connection_is_explained_and_the_call_may_have_had_its_effect() -> None:
    call = Call(1, "tools/call")
    call.push(Lost("it exited with status 3"))
    with pytest.raises(ConnectionLost, match=r"it exited with status 3 \(explained\)") as loss:
        await following_call(call, Client())

    assert loss.value.was_sent and "effect" in loss.value.hint


async def test_call_without_a_sign_of_progress_is_given_up() -> None:
    client = Client()
    with pytest.raises(CallTimeout, match=r"did not answer within 0\.2 s"):
        await following_call(Call(1, "tools/call"), client)

    assert client.is_over


@pytest.mark.parametrize("item", [lambda: Note("notifications/progress", b"{}"), Alive], ids=["shown", "unseen"])
async def test_progress_lengthens_a_call_up_to_a_limit(
    monkeypatch: pytest.MonkeyPatch, item: Callable[[], Note | Alive]
) -> None:
    assert following.PROGRESS_STRETCH == 10
    monkeypatch.setattr(following, "PROGRESS_STRETCH", 3)
    call, loop = Call(1, "tools/call"), asyncio.get_running_loop()
    began = loop.time()
    over = following_call(call, Client())
    while not over.done():
        call.push(item())
        await asyncio.sleep(POLL_S)

    with pytest.raises(CallTimeout):
        over.result()
    assert loop.time() - began >= 3 * QUICK_S


async def test_question_gives_a_person_time_and_after_the_answer_the_clock_is_as_before() -> None:
    call, client = Call(1, "tools/call"), Client()
    over = following_call(call, client)
    call.push(Ask("elicitation/create", b"{}", "k", lambda said: None))
    await asyncio.sleep(3 * QUICK_S)
    waited = not over.done()
    call.push(Alive())
    async with asyncio.timeout(5):
        await asyncio.wait([over])

    assert waited and isinstance(over.exception(), CallTimeout)


async def test_signs_of_life_are_due_while_a_call_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "SIGN_OF_LIFE_S", 0.01)
    call, client = Call(1, "tools/call"), Client()
    over = following_call(call, client, timeout_s=60)
    await eventually(lambda: len(client.told) >= 3)
    call.push(DONE)

    assert await over and set(client.told) == {Tick()}


async def test_clock_that_is_stopped_pushes_nothing_any_more() -> None:
    pushed: list[Tick | Expired] = []
    stopped = Clock(pushed.append, 0.01)
    stopped.stop()
    ringing = Clock(pushed.append, 60)
    ringing.ends_in(0.05)
    await eventually(lambda: pushed)

    assert pushed == [Expired()]
