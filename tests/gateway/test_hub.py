"""The snapshot in force, and who is told of the next one."""

import json

import pytest

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import Config
from switchboard_tray.config.parse import parse_config
from switchboard_tray.gateway import hub as hub_module
from switchboard_tray.gateway.hub import Hub
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
