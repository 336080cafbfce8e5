"""The mailbox of a call: order, one reader, and what is dropped when the reader is far behind."""

import asyncio

import pytest
from msgspec import Raw

from switchboard_tray.protocol.calls import (
    FULL_AT_ITEMS,
    Alive,
    Ask,
    Call,
    Caller,
    Item,
    Lost,
    Mailbox,
    Note,
    Silent,
    Tick,
    Withdrawn,
)
from switchboard_tray.protocol.messages import METHOD_NOT_FOUND, Frame, RpcError

ASK = Ask("roots/list", b"{}", "ask-1", lambda answer: None)


async def test_items_come_in_the_order_they_were_pushed() -> None:
    mailbox: Mailbox[int] = Mailbox()
    for number in range(5):
        mailbox.push(number)

    assert [await mailbox.next() for _ in range(5)] == [0, 1, 2, 3, 4]


async def test_a_reader_that_waits_gets_the_next_item() -> None:
    mailbox: Mailbox[str] = Mailbox()
    reader = asyncio.create_task(mailbox.next())
    await asyncio.sleep(0)

    mailbox.push("first")
    mailbox.push("second")

    assert [await reader, await mailbox.next()] == ["first", "second"]


async def test_a_reader_that_gives_up_loses_nothing() -> None:
    mailbox: Mailbox[str] = Mailbox()
    reader = asyncio.create_task(mailbox.next())
    await asyncio.sleep(0)
    mailbox.push("kept")
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader

    mailbox.push("next")

    assert [await mailbox.next(), await mailbox.next()] == ["kept", "next"]


def full_call() -> Call:
    call = Call(1, "tools/call")
    for _ in range(FULL_AT_ITEMS):
        call.push(Alive())
    return call


@pytest.mark.parametrize("spare", [Note("notifications/progress", None), Alive(), Tick()])
async def test_a_reader_that_is_far_behind_loses_notes(spare: Item) -> None:
    call = full_call()

    call.push(spare)
    call.push(Lost("the end"))

    read = [await call.next() for _ in range(FULL_AT_ITEMS + 1)]
    assert read == [Alive()] * FULL_AT_ITEMS + [Lost("the end")]


@pytest.mark.parametrize("needed", [ASK, Withdrawn("ask-1"), Lost("gone"), Frame(id=Raw(b"1"), result=Raw(b"{}"))])
async def test_a_reader_that_is_far_behind_loses_no_answer(needed: Item) -> None:
    call = full_call()

    call.push(needed)

    read = [await call.next() for _ in range(FULL_AT_ITEMS + 1)]
    assert read[-1] is needed


def test_a_call_below_its_limit_keeps_every_note() -> None:
    call = Call(1, "tools/call")
    for _ in range(FULL_AT_ITEMS - 1):
        call.push(Tick())

    assert not call.is_full
    call.push(Tick())
    assert call.is_full


async def test_a_listener_with_nobody_behind_it_refuses_what_it_is_asked() -> None:
    answers: list[object] = []
    silent = Silent()
    await silent.note(Note("notifications/progress", None))
    await silent.tick()
    await silent.ask(Ask("sampling/createMessage", b"{}", "ask-1", answers.append))
    await silent.withdraw("ask-1")
    silent.end()

    [refusal] = answers
    assert isinstance(refusal, RpcError) and refusal.code == METHOD_NOT_FOUND
    assert "sampling/createMessage" in refusal.message


def test_a_caller_offers_what_it_declared() -> None:
    assert Caller("a", capabilities={"roots": {}}).offers("roots")
    assert not Caller("a", capabilities={"roots": {}}).offers("sampling")
    assert not Silent().caller.offers("roots")


def test_a_caller_whose_word_was_lost_may_be_asked_for_anything() -> None:
    assert Caller("a").offers("sampling")
