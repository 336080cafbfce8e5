"""The lifecycle with a world behind it: any order of events that a worker can report."""

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

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


class Server(RuleBasedStateMachine):
    """At most one process, as a worker would run it, and calls that come and go."""

    @initialize(idle_timeout_s=st.sampled_from([0.0, 5.0, 600.0]))
    def begin(self, idle_timeout_s: float) -> None:
        self.idle_timeout_s = idle_timeout_s
        self.life, self.now = Life(), 0.0
        self.is_alive = self.is_shaken = self.is_ending = False
        self.calls = 0

    def post(self, event: Event) -> None:
        before = self.life
        self.life, actions = step(before, event, self.now, self.idle_timeout_s)
        for action in actions:
            if action is Action.START:
                assert not self.is_alive, "two processes at once"
                too_early = before.retry_at is not None and self.now < before.retry_at
                assert not too_early or isinstance(event, Insisted), "started before its time"
                self.is_alive, self.is_shaken, self.is_ending = True, False, False
            else:
                assert self.is_alive and not self.is_ending, "nothing to stop"
                assert not isinstance(event, TimePassed) or self.calls == 0, "stopped with a call in flight"
                self.is_ending = True

    @rule(seconds=st.sampled_from([0.0, 0.5, 4.0, 70.0, 700.0]))
    def wait(self, seconds: float) -> None:
        until = self.now + seconds
        for _ in range(100):
            due = wake_at(self.life, self.idle_timeout_s)
            if due is None or due > until:
                break
            self.now = max(self.now, due)
            self.post(TimePassed())
            assert wake_at(self.life, self.idle_timeout_s) != due, "a moment that comes again and again"
        self.now = until

    @rule(by_call=st.booleans())
    def want(self, by_call: bool) -> None:
        self.post(Wanted(by_call))
        assert self.life.phase is not Phase.STOPPED

    @rule()
    def insist(self) -> None:
        self.post(Insisted())
        assert self.is_alive, "a person's try was not made"

    @rule()
    def resume(self) -> None:
        self.post(Resumed())

    @rule()
    def stop(self) -> None:
        self.post(StopAsked())
        assert not self.is_alive or self.is_ending

    @rule()
    def begin_call(self) -> None:
        self.calls += 1
        self.post(Used(self.life.busy + 1))

    @precondition(lambda self: self.calls > 0)
    @rule()
    def end_call(self) -> None:
        self.calls -= 1
        self.post(Used(self.life.busy - 1))

    @precondition(lambda self: self.is_alive and not self.is_shaken)
    @rule()
    def shake_hands(self) -> None:
        self.is_shaken = True
        self.post(Started())

    @precondition(lambda self: self.is_alive and not self.is_shaken)
    @rule()
    def fail_to_start(self) -> None:
        self.is_alive = False
        self.post(StartFailed("no"))

    @precondition(lambda self: self.is_alive and self.is_shaken)
    @rule()
    def end(self) -> None:
        self.is_alive = False
        self.post(Ended("" if self.is_ending else "crash"))

    @invariant()
    def phase_tells_the_truth(self) -> None:
        assert (self.life.phase in (Phase.STARTING, Phase.READY, Phase.STOPPING)) is self.is_alive
        assert (self.life.phase is Phase.STOPPING) is (self.is_alive and self.is_ending)
        if self.life.phase is Phase.READY:
            assert self.is_shaken

    @invariant()
    def every_call_is_counted(self) -> None:
        assert self.life.busy == self.calls

    @invariant()
    def a_failing_server_has_a_fault_and_a_time_for_the_next_try(self) -> None:
        if self.life.phase is Phase.FAILING:
            assert self.life.fault and self.life.retry_at is not None


TestServer = Server.TestCase
