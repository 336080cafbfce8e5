"""A server's life as a short play: events with their times, in seconds."""

from switchboard_tray.servers.lifecycle import Action, Event, Life, Step, step

IDLE_S = 600.0
START: tuple[Action, ...] = (Action.START,)
STOP: tuple[Action, ...] = (Action.STOP,)
NOTHING: tuple[Action, ...] = ()


def play(*scenes: tuple[float, Event], idle_timeout_s: float = IDLE_S, life: Life | None = None) -> Step:
    """The life after all scenes, and what the last one asked for."""
    life, actions = life or Life(), NOTHING
    for now, event in scenes:
        life, actions = step(life, event, now, idle_timeout_s)
    return life, actions
