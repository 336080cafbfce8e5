"""When a server starts, rests and is tried again: (life, event, now) -> (life, actions). Pure.

`now` is any clock in seconds that only moves on. Doing what an action says is the worker's part; it reports back with
an event.

Source: docs/servers.md.
"""

from enum import Enum
from typing import assert_never

import msgspec
from msgspec.structs import replace

LONGEST_BACKOFF_S = 30.0
STEADY_AFTER_S = 60.0
"""A server that ran this long has made up for earlier failures."""


class Phase(Enum):
    """Where a server stands."""

    STOPPED = "stopped"
    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILING = "failing"


class Life(msgspec.Struct, frozen=True):
    """A server's state as the lifecycle sees it. Times are in seconds of the clock that `step` is given.

    A struct, since it is replaced twice for each call, and that is eighteen times as fast as with a dataclass.
    """

    phase: Phase = Phase.STOPPED
    since: float = 0.0
    last_used: float = float("-inf")
    busy: int = 0
    """Calls in flight; a server is never stopped for idleness while there are any."""
    failures: int = 0
    """Failed starts and crashes in a row."""
    retry_at: float | None = None
    """When a failing server may be started again; None: at the next call."""
    is_wanted_again: bool = False
    """Somebody asked for it while it was stopping."""
    fault: str = ""
    """Why the last start failed or the last run ended; empty after an orderly end."""


class Wanted(msgspec.Struct, frozen=True):
    """Somebody needs the server: a call, or only its tool list, which does not keep a failing server on trial."""

    by_call: bool = True


class Insisted(msgspec.Struct, frozen=True):
    """A person asks for a try now, whatever the backoff."""


class Started(msgspec.Struct, frozen=True):
    """The handshake is done."""


class StartFailed(msgspec.Struct, frozen=True):
    """The start came to nothing. `jitter` stretches the backoff, so that servers do not all try at once."""

    fault: str
    jitter: float = 1.0


class Ended(msgspec.Struct, frozen=True):
    """The process is gone, its tree with it; `fault` is empty where we had asked for it."""

    fault: str = ""


class Used(msgspec.Struct, frozen=True):
    """The number of calls in flight changed."""

    busy: int


class TimePassed(msgspec.Struct, frozen=True):
    """The moment that `wake_at` named has come."""


class Resumed(msgspec.Struct, frozen=True):
    """The machine was asleep: idle times and backoffs begin anew."""


class StopAsked(msgspec.Struct, frozen=True):
    """The server is to end: disabled, changed, removed, paused, restarted, or the gateway leaves."""


Event = Wanted | Insisted | Started | StartFailed | Ended | Used | TimePassed | Resumed | StopAsked


class Action(Enum):
    """What the worker is to do."""

    START = "start"
    STOP = "stop"


Step = tuple[Life, tuple[Action, ...]]


def step(life: Life, event: Event, now: float, idle_timeout_s: float) -> Step:
    """The life after `event`, and what is to be done about it. `idle_timeout_s` 0 = never idle."""
    match event:
        case Used(busy):
            return replace(life, busy=busy, last_used=now), ()
        case Wanted(by_call):
            return _wanted(replace(life, last_used=now) if by_call else life, now)
        case Insisted():
            return _wanted(replace(life, last_used=now, failures=0, retry_at=None), now)
        case Started() if life.phase is not Phase.STARTING:
            # A start that was told to end is over, however far it came.
            return life, ()
        case Started():
            return replace(life, phase=Phase.READY, since=now, last_used=now, retry_at=None), ()
        case StartFailed(fault, jitter):
            return _stopped(life, now) if life.phase is Phase.STOPPING else (_failed(life, fault, now, jitter), ())
        case Ended(fault):
            return _stopped(life, now) if life.phase is Phase.STOPPING else _crashed(life, fault, now, idle_timeout_s)
        case TimePassed():
            return _time_passed(life, now, idle_timeout_s)
        case Resumed():
            return _resumed(life, now), ()
        case StopAsked():
            return _stop(life, now)
        case _:  # pragma: no cover
            assert_never(event)


def wake_at(life: Life, idle_timeout_s: float) -> float | None:
    """When `TimePassed` is due, if nothing else happens before."""
    if life.phase is Phase.READY and life.busy == 0 and idle_timeout_s > 0:
        return life.last_used + idle_timeout_s
    if life.phase is Phase.FAILING and _is_still_wanted(life, idle_timeout_s):
        return life.retry_at
    return None


def _wanted(life: Life, now: float) -> Step:
    match life.phase:
        case Phase.STOPPED:
            return _start(life, now)
        case Phase.FAILING if life.retry_at is None or now >= life.retry_at:
            return _start(life, now)
        case Phase.STOPPING:
            return replace(life, is_wanted_again=True), ()
        case _:
            return life, ()


def _start(life: Life, now: float) -> Step:
    return replace(life, phase=Phase.STARTING, since=now, retry_at=None, is_wanted_again=False), (Action.START,)


def _stop(life: Life, now: float) -> Step:
    match life.phase:
        case Phase.READY | Phase.STARTING:
            return replace(life, phase=Phase.STOPPING, since=now, is_wanted_again=False), (Action.STOP,)
        case Phase.STOPPING:
            return replace(life, is_wanted_again=False), ()
        case Phase.STOPPED | Phase.FAILING:
            return _at_rest(life, now), ()
        case _:  # pragma: no cover
            assert_never(life.phase)


def _at_rest(life: Life, now: float) -> Life:
    """Nothing runs and nothing is held against the server. Calls that wait for it are still in flight."""
    return Life(since=now, last_used=life.last_used, busy=life.busy)


def _stopped(life: Life, now: float) -> Step:
    rested = _at_rest(life, now)
    return _start(rested, now) if life.is_wanted_again else (rested, ())


def _failed(life: Life, fault: str, now: float, jitter: float = 1.0) -> Life:
    failures = life.failures + 1
    retry_at = now + backoff_s(failures) * jitter
    return replace(life, phase=Phase.FAILING, since=now, failures=failures, retry_at=retry_at, fault=fault)


def _crashed(life: Life, fault: str, now: float, idle_timeout_s: float) -> Step:
    earlier = 0 if now - life.since >= STEADY_AFTER_S else life.failures
    if earlier > 0:
        return _failed(replace(life, failures=earlier), fault, now), ()
    # The first crash costs nothing: the next call starts the server at once, and one that never idles needs no call.
    crashed = replace(life, phase=Phase.STOPPED, since=now, failures=1, fault=fault)
    return _start(crashed, now) if idle_timeout_s == 0 else (crashed, ())


def _time_passed(life: Life, now: float, idle_timeout_s: float) -> Step:
    due = wake_at(life, idle_timeout_s)
    if due is None or now < due:
        return life, ()
    return _stop(life, now) if life.phase is Phase.READY else _start(life, now)


def _resumed(life: Life, now: float) -> Life:
    last_used = now if life.phase is Phase.READY else life.last_used
    return replace(life, last_used=last_used, retry_at=None if life.retry_at is None else now)


def _is_still_wanted(life: Life, idle_timeout_s: float) -> bool:
    """Whether a failing server is tried again by itself: until its idle time has passed since the last call."""
    return idle_timeout_s == 0 or (life.retry_at is not None and life.retry_at < life.last_used + idle_timeout_s)


def backoff_s(failures: int) -> float:
    """Seconds until the next try after so many failures in a row: 1, 2, 4, ... 30."""
    return min(LONGEST_BACKOFF_S, 2.0 ** min(failures - 1, 10))
