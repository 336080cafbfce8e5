"""When a server starts, rests and is tried again, told as short plays with times in seconds."""

import math

import pytest

from switchboard_tray.servers.lifecycle import (
    Action,
    Ended,
    Event,
    Insisted,
    Life,
    Phase,
    Resumed,
    Started,
    StartFailed,
    StopAsked,
    TimePassed,
    Used,
    Wanted,
    step,
    wake_at,
)
from tests.servers.plays import IDLE_S, NOTHING, START, STOP, play


def in_phase(phase: Phase) -> Life:
    """A server that has come to `phase` by time 10, after a call at 0."""
    ways: dict[Phase, tuple[tuple[float, Event], ...]] = {
        Phase.STOPPED: (),
        Phase.STARTING: ((0, Wanted()),),
        Phase.READY: ((0, Wanted()), (10, Started())),
        Phase.STOPPING: ((0, Wanted()), (9, Started()), (10, StopAsked())),
        Phase.FAILING: ((0, Wanted()), (10, StartFailed("no"))),
    }
    life, _ = play(*ways[phase])
    assert life.phase is phase
    return life


S, B, R, P, F = Phase.STOPPED, Phase.STARTING, Phase.READY, Phase.STOPPING, Phase.FAILING


@pytest.mark.parametrize(
    ("before", "event", "after", "actions"),
    [
        (S, Wanted(), B, START),
        (S, Wanted(by_call=False), B, START),
        (S, Insisted(), B, START),
        (S, Used(1), S, NOTHING),
        (S, TimePassed(), S, NOTHING),
        (S, Resumed(), S, NOTHING),
        (S, StopAsked(), S, NOTHING),
        (S, Started(), S, NOTHING),
        (B, Wanted(), B, NOTHING),
        (B, Insisted(), B, NOTHING),
        (B, Started(), R, NOTHING),
        (B, StartFailed("no"), F, NOTHING),
        (B, Used(1), B, NOTHING),
        (B, TimePassed(), B, NOTHING),
        (B, Resumed(), B, NOTHING),
        (B, StopAsked(), P, STOP),
        (R, Wanted(), R, NOTHING),
        (R, Insisted(), R, NOTHING),
        (R, Ended("crash"), S, NOTHING),
        (R, Used(1), R, NOTHING),
        (R, TimePassed(), R, NOTHING),
        (R, Resumed(), R, NOTHING),
        (R, StopAsked(), P, STOP),
        (P, Wanted(), P, NOTHING),
        (P, Insisted(), P, NOTHING),
        (P, Started(), P, NOTHING),
        (P, StartFailed("no"), S, NOTHING),
        (P, Ended(), S, NOTHING),
        (P, Used(0), P, NOTHING),
        (P, TimePassed(), P, NOTHING),
        (P, Resumed(), P, NOTHING),
        (P, StopAsked(), P, NOTHING),
        (F, Wanted(), F, NOTHING),
        (F, Insisted(), B, START),
        (F, Started(), F, NOTHING),
        (F, Used(1), F, NOTHING),
        (F, TimePassed(), F, NOTHING),
        (F, Resumed(), F, NOTHING),
        (F, StopAsked(), S, NOTHING),
    ],
)
def test_each_event_in_each_phase_has_one_outcome(
    before: Phase, event: Event, after: Phase, actions: tuple[Action, ...]
) -> None:
    life, asked = step(in_phase(before), event, 10.5, IDLE_S)

    assert (life.phase, asked) == (after, actions)


# -- idleness ----------------------------------------------------------------------------------------------------------


def test_a_server_rests_when_nobody_called_it_for_its_idle_time() -> None:
    life, _ = play((0, Wanted()), (2, Started()), (5, Used(1)), (7, Used(0)))

    assert wake_at(life, IDLE_S) == 607
    assert play((606.9, TimePassed()), life=life) == (life, NOTHING)
    rested, actions = play((607, TimePassed()), life=life)
    assert (rested.phase, actions) == (Phase.STOPPING, STOP)


def test_a_server_that_starts_slowly_still_has_its_whole_idle_time() -> None:
    life, _ = play((0, Wanted()), (50, Started()), idle_timeout_s=5)

    assert wake_at(life, 5) == 55


def test_a_server_is_never_stopped_for_idleness_while_a_call_is_in_flight() -> None:
    life, _ = play((0, Used(1)), (0, Wanted()), (2, Started()))

    assert wake_at(life, IDLE_S) is None
    assert play((10_000, TimePassed()), life=life) == (life, NOTHING)


def test_a_call_that_waited_for_the_end_of_a_server_is_in_flight_on_the_next_one() -> None:
    life, _ = play((0, Wanted()), (1, Started()), (2, StopAsked()), (3, Used(1)), (3, Wanted()), (4, Ended()))
    life, _ = play((5, Started()), life=life)

    assert (life.phase, life.busy) == (Phase.READY, 1)
    assert play((10_000, TimePassed()), life=life) == (life, NOTHING)


@pytest.mark.parametrize("end", [Ended("crash"), StopAsked()])
def test_calls_in_flight_are_counted_until_each_of_them_is_over(end: Event) -> None:
    life, _ = play((0, Used(1)), (0, Wanted()), (1, Started()), (2, end))

    assert life.busy == 1
    assert play((3, Used(0)), life=life)[0].busy == 0


def test_an_idle_time_may_be_a_fraction_of_a_second() -> None:
    life, _ = play((0, Wanted()), (1, Started()), idle_timeout_s=0.5)

    assert wake_at(life, 0.5) == 1.5


def test_a_server_without_idle_time_keeps_running() -> None:
    life, _ = play((0, Wanted()), (1, Started()), idle_timeout_s=0)

    assert wake_at(life, 0) is None
    assert play((1e9, TimePassed()), idle_timeout_s=0, life=life) == (life, NOTHING)


def test_reading_a_list_does_not_count_as_a_call() -> None:
    life, _ = play((0, Wanted(by_call=False)), (1, Started()), (100, Wanted(by_call=False)))

    assert wake_at(life, IDLE_S) == 601


# -- stopping ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("end", [Ended(), Ended("killed"), StartFailed("cancelled")])
@pytest.mark.parametrize("wish", [Wanted(), Wanted(by_call=False), Insisted()])
def test_a_server_wanted_while_it_stops_starts_when_it_has_ended(wish: Event, end: Event) -> None:
    life, actions = play((0, Wanted()), (1, StopAsked()), (2, wish), (3, end))

    assert (life.phase, actions, life.is_wanted_again, life.fault) == (Phase.STARTING, START, False, "")


@pytest.mark.parametrize("end", [Ended(), StartFailed("cancelled")])
def test_the_last_word_counts_between_wanted_and_stopped(end: Event) -> None:
    life, actions = play((0, Wanted()), (1, StopAsked()), (2, Wanted()), (3, StopAsked()), (4, end))

    assert (life.phase, actions) == (Phase.STOPPED, NOTHING)


def test_a_start_that_fails_because_it_was_stopped_is_no_failure() -> None:
    life, _ = play((0, Wanted()), (1, StopAsked()), (2, StartFailed("cancelled")))

    assert (life.phase, life.failures, life.fault) == (Phase.STOPPED, 0, "")


def test_a_stop_forgets_the_backoff() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("no")), (1.1, StopAsked()))

    assert (life.failures, life.retry_at, life.fault) == (0, None, "")
    assert play((1.2, Wanted()), life=life)[1] == START


def test_a_server_that_never_ran_was_never_used() -> None:
    assert Life().last_used == -math.inf
    assert wake_at(Life(), IDLE_S) is None
