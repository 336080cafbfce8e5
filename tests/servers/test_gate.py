"""The queue before a fragile server: its order, its length, edits of the limit while calls wait (docs/servers.md)."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from switchboard_tray.errors import ServerError
from switchboard_tray.servers.gate import MAY_WAIT, Gate


class Crowd:
    """Calls that come to a gate, by number, and leave it when they are told to."""

    def __init__(self, limit: int | None) -> None:
        self.limit = limit
        self.gate = Gate("one", lambda: self.limit)
        self.inside: list[int] = []
        self.calls: list[asyncio.Task[None]] = []
        self.ends: list[asyncio.Event] = []

    async def come(self, count: int = 1) -> None:
        for _ in range(count):
            self.ends.append(asyncio.Event())
            self.calls.append(asyncio.create_task(self._call(len(self.calls))))
        await turns()

    async def leave(self, *numbers: int) -> None:
        for number in numbers:
            self.ends[number].set()
        await turns()

    async def edit(self, limit: int | None) -> None:
        self.limit = limit
        self.gate.admit()
        await turns()

    async def _call(self, number: int) -> None:
        await self.gate.enter()
        self.inside.append(number)
        try:
            await self.ends[number].wait()
        finally:
            self.inside.remove(number)
            self.gate.leave()


async def turns() -> None:
    """Let every task do what it can."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_calls_enter_in_the_order_in_which_they_came() -> None:
    crowd = Crowd(2)
    await crowd.come(5)
    assert crowd.inside == [0, 1]

    await crowd.leave(1)
    assert crowd.inside == [0, 2]
    await crowd.leave(0, 2)
    assert crowd.inside == [3, 4]
    await crowd.leave(3, 4)


async def test_no_limit_lets_everyone_in() -> None:
    crowd = Crowd(None)
    await crowd.come(500)

    assert len(crowd.inside) == 500
    await crowd.leave(*range(500))


async def test_call_above_the_bounded_number_that_may_wait_is_told_that_the_server_is_busy() -> None:
    crowd = Crowd(1)
    await crowd.come(1 + MAY_WAIT)

    with pytest.raises(ServerError, match="Server one is busy") as refusal:
        await crowd.gate.enter()
    assert "again" in refusal.value.hint
    await crowd.leave(0)
    await crowd.come()
    await crowd.leave(*range(2 + MAY_WAIT))
    await asyncio.gather(*crowd.calls)


async def test_call_that_is_cancelled_while_it_waits_keeps_nobody_from_entering() -> None:
    crowd = Crowd(1)
    await crowd.come(3)
    crowd.calls[1].cancel()
    await crowd.leave(0)

    assert crowd.inside == [2]
    await crowd.leave(2)
    await crowd.come()
    assert crowd.inside == [3]
    await crowd.leave(3)


async def test_place_that_was_given_at_the_moment_of_the_cancel_goes_to_the_next() -> None:
    crowd = Crowd(1)
    await crowd.come(3)
    # Both in one turn of the loop: the place is given before the waiting task can notice that it was cancelled.
    crowd.ends[0].set()
    await asyncio.sleep(0)
    crowd.calls[1].cancel()
    await turns()

    assert crowd.inside == [2]
    await crowd.leave(2)
    await crowd.come()
    assert crowd.inside == [3]
    await crowd.leave(3)


@pytest.mark.parametrize(("limit", "inside"), [(3, [0, 1, 2]), (None, [0, 1, 2, 3, 4])])
async def test_higher_limit_lets_those_in_that_wait(limit: int | None, inside: list[int]) -> None:
    crowd = Crowd(1)
    await crowd.come(5)
    await crowd.edit(limit)

    assert crowd.inside == inside
    await crowd.leave(*range(5))


async def test_lower_limit_holds_as_calls_end() -> None:
    crowd = Crowd(3)
    await crowd.come(5)
    await crowd.edit(1)
    await crowd.leave(0, 1)
    assert crowd.inside == [2]

    await crowd.leave(2)
    assert crowd.inside == [3]
    await crowd.leave(3, 4)


@pytest.mark.parametrize("change", [lambda crowd: crowd.edit(2), lambda crowd: crowd.leave(0)], ids=["edit", "leave"])
async def test_call_that_comes_later_never_overtakes_one_that_waits(
    change: Callable[[Crowd], Awaitable[None]]
) -> None:
    crowd = Crowd(1)
    await crowd.come(3)
    crowd.limit = 2
    await crowd.come()
    await change(crowd)

    assert 3 not in crowd.inside and crowd.inside[-1] in (1, 2)
    await crowd.leave(*range(4))
    await asyncio.gather(*crowd.calls)
