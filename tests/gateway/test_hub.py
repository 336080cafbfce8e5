"""The snapshot in force, and who is told of the next one."""

import json

import pytest

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import Config
from switchboard_tray.config.parse import parse_config
from switchboard_tray.gateway import hub as hub_module
from switchboard_tray.gateway.hub import HOLD_S, Hub
from switchboard_tray.snapshot import Snapshot
from tests.fixtures.waiting import eventually


def config() -> Config:
    """Two servers, and a profile that has both."""
    document = {
        "servers": {"one": {"command": "x"}, "two": {"command": "y"}},
        "profiles": {"all": {"servers": ["one", "two"]}},
    }
    parsed = parse_config(document).config
    assert parsed is not None
    return parsed


def tools(*names: str) -> ServerTools:
    definitions = [json.dumps({"name": name, "inputSchema": {"type": "object"}}).encode() for name in names]
    return ServerTools(*check_tools(definitions))


def names_in(snapshot: Snapshot) -> list[str]:
    return [str(entry.ref) for entry in snapshot.offers["all"].view.entries]


@pytest.fixture
def hub() -> Hub:
    made = Hub()
    made.update(config())
    return made


async def test_first_list_of_a_server_is_in_force_at_once(hub: Hub) -> None:
    hub.listed(config().servers["one"], tools("a"))

    assert names_in(hub.current) == ["one.a"]


async def test_lists_that_change_together_make_one_snapshot(hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub_module, "BURST_S", 0.01)
    servers = config().servers
    for name in ("one", "two"):
        hub.listed(servers[name], tools("a"))
    seen: list[Snapshot] = []
    hub.listen(lambda before, now: seen.append(now))
    for name in ("one", "two", "one"):
        hub.listed(servers[name], tools("a", "b"))
    early = list(seen)
    await eventually(lambda: seen)

    assert early == []
    assert [names_in(snapshot) for snapshot in seen] == [["one.a", "one.b", "two.a", "two.b"]]


async def test_list_that_is_the_same_makes_no_snapshot(hub: Hub) -> None:
    server = config().servers["one"]
    hub.listed(server, tools("a"))
    before = hub.current
    hub.listed(server, tools("a"))
    hub.update()

    assert hub.current.offers["all"] is before.offers["all"]


async def test_edit_of_the_config_takes_in_lists_that_were_waiting(hub: Hub) -> None:
    server = config().servers["one"]
    hub.listed(server, tools("a"))
    hub.listed(server, tools("b"))
    seen: list[Snapshot] = []
    hub.listen(lambda before, now: seen.append(now))
    hub.update(config())

    assert names_in(hub.current) == ["one.b"]
    assert len(seen) == 1


async def test_listener_is_told_of_what_was_and_what_is(hub: Hub) -> None:
    told: list[tuple[int, int]] = []
    hub.listen(lambda before, now: told.append((before.version, now.version)))
    version = hub.current.version
    hub.update()

    assert told == [(version, version + 1)]


def sized(threshold: int) -> Config:
    """The same with a profile that is flat up to so many tools."""
    document = {
        "servers": {"one": {"command": "x"}},
        "profiles": {"all": {"servers": ["one"], "autoThreshold": threshold}},
    }
    parsed = parse_config(document).config
    assert parsed is not None
    return parsed


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


async def test_surface_that_was_just_switched_is_kept_for_a_while_then_looked_at_again() -> None:
    clock = Clock()
    hub = Hub(clock)
    hub.update(sized(2))
    server = hub.current.config.servers["one"]
    surfaces = []
    for names in (("a", "b"), ("a", "b", "c"), ("a", "b"), ("a", "b", "c"), ("a",)):
        hub.listed(server, tools(*names))
        hub.update()
        surfaces.append(hub.current.offers["all"].surface)
    clock.now += HOLD_S
    hub.update()
    surfaces.append(hub.current.offers["all"].surface)

    assert surfaces == ["passthrough", "meta", "meta", "meta", "meta", "passthrough"]


async def test_surface_that_was_kept_is_switched_without_anything_else_happening(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(hub_module, "HOLD_S", 0.02)
    hub = Hub()
    hub.update(sized(1))
    for names in (("a",), ("a", "b"), ("a",)):
        hub.listed(hub.current.config.servers["one"], tools(*names))
        hub.update()
    held = hub.current.offers["all"].surface
    await eventually(lambda: hub.current.offers["all"].surface == "passthrough")

    assert held == "meta"


async def test_edit_of_the_profile_is_in_force_at_once_whatever_was_kept() -> None:
    hub = Hub(Clock())
    hub.update(sized(1))
    server = hub.current.config.servers["one"]
    for names in (("a",), ("a", "b")):
        hub.listed(server, tools(*names))
        hub.update()
    before = hub.current.offers["all"].surface
    hub.update(sized(2))

    assert (before, hub.current.offers["all"].surface) == ("meta", "passthrough")
