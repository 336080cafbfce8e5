"""When a server that crashed or failed to start is tried again."""

import pytest

from switchboard_tray.servers.lifecycle import (
    Ended,
    Insisted,
    Phase,
    Resumed,
    Started,
    StartFailed,
    StopAsked,
    TimePassed,
    Wanted,
    backoff_s,
    wake_at,
)
from tests.servers.plays import IDLE_S, NOTHING, START, play

# -- crashes -----------------------------------------------------------------------------------------------------------


def test_after_the_first_crash_the_next_call_starts_the_server_at_once() -> None:
    crashed, _ = play((0, Wanted()), (1, Started()), (2, Ended("exit 1")))

    assert (crashed.phase, crashed.fault, crashed.retry_at) == (Phase.STOPPED, "exit 1", None)
    assert wake_at(crashed, IDLE_S) is None
    started, actions = play((2, Wanted()), life=crashed)
    assert (started.phase, actions) == (Phase.STARTING, START)


def test_a_server_that_is_to_keep_running_is_started_at_once_after_its_first_crash() -> None:
    life, actions = play((0, Wanted()), (1, Started()), (2, Ended("exit 1")), idle_timeout_s=0)

    assert (life.phase, actions, life.fault) == (Phase.STARTING, START, "exit 1")


def test_a_second_crash_soon_after_waits_before_the_next_try() -> None:
    life, actions = play((0, Wanted()), (1, Started()), (2, Ended("a")), (2, Wanted()), (3, Started()), (4, Ended("b")))

    assert (life.phase, life.retry_at, life.fault, actions) == (Phase.FAILING, 6, "b", NOTHING)


@pytest.mark.parametrize(("ran_s", "phase"), [(59.9, Phase.FAILING), (60, Phase.STOPPED)])
def test_a_server_that_ran_a_minute_has_made_up_for_earlier_crashes(ran_s: float, phase: Phase) -> None:
    life, _ = play((0, Wanted()), (1, Started()), (2, Ended("a")), (2, Wanted()), (3, Started()))

    assert play((3 + ran_s, Ended("b")), life=life)[0].phase is phase


def test_a_crash_after_failed_starts_is_not_the_first_fault() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("a")), (2, TimePassed()), (3, Started()), (4, Ended("b")))

    assert (life.phase, life.failures, life.retry_at) == (Phase.FAILING, 2, 6)


# -- failed starts -----------------------------------------------------------------------------------------------------


def test_the_wait_between_tries_doubles_up_to_30_seconds() -> None:
    assert [backoff_s(failures) for failures in range(1, 8)] == [1, 2, 4, 8, 16, 30, 30]
    assert backoff_s(10**9) == 30


def test_a_failing_start_is_retried_for_the_idle_time_after_the_last_call_and_then_left_alone() -> None:
    tries = [0.0]
    life, _ = play((0, Wanted()), (0.5, StartFailed("no")), idle_timeout_s=100)
    while (due := wake_at(life, 100)) is not None:
        life, actions = play((due, TimePassed()), idle_timeout_s=100, life=life)
        assert actions == START
        life, _ = play((due + 0.5, StartFailed("no")), idle_timeout_s=100, life=life)
        tries.append(due)

    assert life.phase is Phase.FAILING
    assert tries == [0, 1.5, 4, 8.5, 17, 33.5, 64, 94.5]


def test_a_server_that_is_to_keep_running_is_retried_for_ever() -> None:
    life, _ = play((0, Wanted(by_call=False)), (1e6, StartFailed("no")), idle_timeout_s=0)

    assert wake_at(life, 0) == 1e6 + 1


def test_a_start_for_the_list_alone_is_not_retried_by_itself() -> None:
    life, _ = play((0, Wanted(by_call=False)), (1, StartFailed("no")))

    assert life.retry_at == 2
    assert wake_at(life, IDLE_S) is None
    assert play((100, TimePassed()), life=life) == (life, NOTHING)


def test_a_call_during_the_wait_is_turned_away_and_keeps_the_retries_going() -> None:
    life, _ = play((0, Wanted(by_call=False)), (1, StartFailed("no")))

    asked, actions = play((1.5, Wanted()), life=life)

    assert (asked.phase, actions) == (Phase.FAILING, NOTHING)
    assert wake_at(asked, IDLE_S) == 2


def test_a_call_after_the_wait_starts_the_server() -> None:
    life, _ = play((0, Wanted(by_call=False)), (1, StartFailed("no")))

    started, actions = play((2, Wanted(by_call=False)), life=life)

    assert (started.phase, actions, started.retry_at) == (Phase.STARTING, START, None)


def test_a_person_who_insists_gets_a_try_at_once_and_a_fresh_count() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("a")), (2, TimePassed()), (3, StartFailed("b")), (3.1, Insisted()))

    assert (life.phase, life.failures) == (Phase.STARTING, 0)
    assert play((4, StartFailed("c")), life=life)[0].retry_at == 5


def test_a_fault_is_remembered_while_the_next_try_runs_and_forgotten_at_an_orderly_end() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("no such file")), (2, TimePassed()))

    assert (life.phase, life.fault) == (Phase.STARTING, "no such file")
    ended, _ = play((3, Started()), (4, StopAsked()), (5, Ended()), life=life)
    assert (ended.phase, ended.fault, ended.failures, ended.retry_at) == (Phase.STOPPED, "", 0, None)


def test_chance_stretches_the_wait_so_that_servers_do_not_all_try_at_once() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("no", jitter=1.2)))

    assert life.retry_at == 2.2


# -- sleep of the machine ----------------------------------------------------------------------------------------------


def test_a_server_has_its_whole_idle_time_again_after_the_machine_slept() -> None:
    life, _ = play((0, Wanted()), (1, Started()), (500, Resumed()))

    assert wake_at(life, IDLE_S) == 1100


def test_a_failing_server_is_tried_at_once_after_the_machine_slept() -> None:
    life, _ = play((0, Wanted()), (1, StartFailed("a")), (2, TimePassed()), (3, StartFailed("b")), (3.5, Resumed()))

    assert wake_at(life, IDLE_S) == 3.5
    assert play((3.5, TimePassed()), life=life)[1] == START
