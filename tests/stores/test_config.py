"""config.json under all hands: loaded, edited, watched, broken, mended, restored."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from switchboard_tray.config.edit import add_server, set_value
from switchboard_tray.config.first import first_document
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import ConfigConflict, NotFound, Refused, SwitchboardError
from switchboard_tray.jsonfile import digest, render
from switchboard_tray.paths import HOME_VARIABLE, Paths, find_paths
from switchboard_tray.stores.config import ConfigStore, Loaded

GOOD: dict[str, Any] = {"servers": {"a": {"command": "x"}}, "x-own": {"kept": [None]}}
BROKEN = b'{\n  "servers": {},\n}\n'


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({HOME_VARIABLE: str(tmp_path / "home")})


def write(paths: Paths, content: bytes | dict[str, Any]) -> bytes:
    """Save the file as an editor does that writes beside it and renames."""
    data = content if isinstance(content, bytes) else render(content)
    paths.config.parent.mkdir(parents=True, exist_ok=True)
    beside = paths.config.with_name("saved-by-hand")
    beside.write_bytes(data)
    os.replace(beside, paths.config)
    return data


def opened(paths: Paths, content: bytes | dict[str, Any] = GOOD) -> ConfigStore:
    write(paths, content)
    store = ConfigStore(paths)
    store.load()
    return store


def port(number: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda document: set_value(document, "settings.port", number)


def kept(paths: Paths) -> list[bytes]:
    return [(paths.history / f"{version.id}.json").read_bytes() for version in ConfigStore(paths).history()]


def lines(loaded: Loaded) -> list[str]:
    return [str(problem) for problem in loaded.problems]


def test_a_good_file_is_loaded_whole(paths: Paths) -> None:
    data = write(paths, GOOD)

    loaded = ConfigStore(paths).current

    assert loaded.config.servers["a"].command == "x"
    assert (loaded.document, loaded.etag) == (GOOD, digest(data))
    assert (loaded.problems, loaded.is_writable) == ((), True)
    assert [(problem.pointer, problem.line, problem.column) for problem in loaded.warnings] == [("/x-own", 7, 12)]


def test_loading_without_a_file_says_so(paths: Paths) -> None:
    with pytest.raises(NotFound, match=r"^there is no .*config\.json yet$"):
        ConfigStore(paths).load()


def test_a_first_start_makes_a_config_and_a_second_one_loads_it(paths: Paths) -> None:
    first = ConfigStore(paths).create_first()
    edited = ConfigStore(paths).modify(port(80))

    assert json.loads(paths.config.read_bytes()) == {**first_document(), "settings": {"port": 80}}
    assert first.document == first_document()
    assert ConfigStore(paths).create_first() == edited


def test_an_edit_without_a_file_starts_from_a_first_config(paths: Paths) -> None:
    loaded = ConfigStore(paths).modify(lambda document: add_server(document, "new", {"command": "x"}))

    assert list(loaded.config.servers) == ["demo", "new"]


def test_an_edit_changes_its_value_and_nothing_else(paths: Paths) -> None:
    store = opened(paths)

    loaded = store.modify(port(80))

    assert json.loads(paths.config.read_bytes()) == {**GOOD, "settings": {"port": 80}}
    assert loaded.config.settings.port == 80
    assert loaded.etag == digest(paths.config.read_bytes())
    assert store.current is loaded
    assert store.poll() is None


def test_an_edit_keeps_what_a_hand_wrote_meanwhile(paths: Paths) -> None:
    store = opened(paths)
    write(paths, {**GOOD, "defaultProfile": None})

    loaded = store.modify(port(80))

    assert loaded.document == {**GOOD, "defaultProfile": None, "settings": {"port": 80}}


def test_an_edit_is_done_again_when_a_hand_saves_in_the_middle_of_it(paths: Paths) -> None:
    store = opened(paths)
    by_hand = iter([{**GOOD, "x-hand": 1}, {**GOOD, "x-hand": 2}])

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        if saved := next(by_hand, None):
            write(paths, saved)
        return set_value(document, "settings.port", 80)

    loaded = store.modify(edit)

    assert loaded.document == {**GOOD, "x-hand": 2, "settings": {"port": 80}}
    assert json.loads(paths.config.read_bytes()) == loaded.document


def test_an_edit_gives_up_where_the_file_never_rests(paths: Paths) -> None:
    store = opened(paths)
    saves = iter(range(1000))

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        write(paths, {**GOOD, "x-hand": next(saves)})
        return set_value(document, "settings.port", 80)

    with pytest.raises(ConfigConflict, match="changes all the time"):
        store.modify(edit)
    assert "settings" not in json.loads(paths.config.read_bytes())


def test_an_edit_that_changes_nothing_leaves_the_bytes_as_a_hand_formatted_them(paths: Paths) -> None:
    data = b'{"servers":{"a":{"command":"x"}}}'
    store = opened(paths, data)
    inode = paths.config.stat().st_ino

    loaded = store.modify(lambda document: set_value(document, "servers.a.command", "x"))

    assert paths.config.read_bytes() == data
    assert paths.config.stat().st_ino == inode
    assert loaded.etag == digest(data)


def test_an_edit_may_change_its_copy_in_place(paths: Paths) -> None:
    store = opened(paths)

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        document["servers"]["b"] = {"command": "y"}
        return document

    store.modify(edit)

    assert list(json.loads(paths.config.read_bytes())["servers"]) == ["a", "b"]


def test_an_edit_that_spoils_its_copy_and_fails_changes_nothing(paths: Paths) -> None:
    store = opened(paths)

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        document["servers"].clear()
        raise NotFound("no such thing")

    with pytest.raises(NotFound):
        store.modify(edit)

    assert store.current.document == GOOD
    assert json.loads(paths.config.read_bytes()) == GOOD


def test_an_edit_with_an_invalid_outcome_is_refused_with_all_its_faults(paths: Paths) -> None:
    store = opened(paths)

    with pytest.raises(InvalidConfig) as caught:
        store.modify(lambda document: {**document, "settings": {"port": 0}, "defaultProfile": "nobody"})

    assert caught.value.problems == (
        "/settings/port: found 0, expected a whole number from 1 to 65535",
        '/defaultProfile: no profile is called "nobody"',
    )
    assert json.loads(paths.config.read_bytes()) == GOOD
    assert store.current.config.settings.port == 7923


@pytest.mark.parametrize("value", [float("nan"), [[]] * 2 + [json.loads("[" * 120 + "]" * 120)], {"version": 2}])
def test_an_edit_never_writes_what_it_could_not_read_back(paths: Paths, value: object) -> None:
    store = opened(paths)
    added = value if isinstance(value, dict) else {"x-odd": value}

    with pytest.raises(InvalidConfig):
        store.modify(lambda document: {**document, **added})

    assert json.loads(paths.config.read_bytes()) == GOOD


def test_a_further_check_may_refuse_an_edit(paths: Paths) -> None:
    store = opened(paths)
    seen: list[int] = []

    def check(config: Any) -> list[Problem]:
        seen.append(config.settings.port)
        return [Problem("/settings/port", "taken")]

    with pytest.raises(InvalidConfig) as caught:
        store.modify(port(80), check=check)

    assert (caught.value.problems, seen) == (("/settings/port: taken",), [80])
    assert json.loads(paths.config.read_bytes()) == GOOD


def test_an_edit_based_on_other_bytes_is_a_conflict(paths: Paths) -> None:
    store = opened(paths)
    etag = store.current.etag
    after = store.modify(port(80), if_match=etag)

    with pytest.raises(ConfigConflict, match="changed since it was read"):
        store.modify(port(81), if_match=etag)
    assert store.modify(port(82), if_match=after.etag).config.settings.port == 82


def test_edits_of_several_threads_are_all_kept(paths: Paths) -> None:
    store = opened(paths)

    def add(name: str) -> None:
        store.modify(lambda document: add_server(document, name, {"command": "x"}))

    threads = [threading.Thread(target=add, args=(f"s{number}",)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert set(store.current.config.servers) == {"a", "s0", "s1", "s2", "s3", "s4"}


def test_an_edit_waits_for_the_lock_only_so_long(paths: Paths) -> None:
    write(paths, GOOD)
    paths.state.mkdir()

    with FileLock(paths.config_lock), pytest.raises(Refused, match="another process has been editing the config"):
        ConfigStore(paths, lock_wait_s=0.0).modify(port(80))

    assert json.loads(paths.config.read_bytes()) == GOOD


def test_an_edit_is_refused_where_the_version_before_cannot_be_kept(paths: Paths) -> None:
    data = write(paths, GOOD)
    paths.history.write_bytes(b"a file where the folder should be")
    store = ConfigStore(paths)

    assert store.load().problems == ()
    with pytest.raises(SwitchboardError, match=r"^cannot write"):
        store.modify(port(80))
    assert paths.config.read_bytes() == data


def test_a_file_where_the_state_folder_should_be_is_told(paths: Paths) -> None:
    store = opened(paths)
    paths.state.write_bytes(b"")

    with pytest.raises(SwitchboardError, match=r"^cannot write"):
        store.modify(port(80))


def test_leftovers_of_a_killed_edit_are_removed_by_the_next(paths: Paths) -> None:
    store = opened(paths)
    leftovers = [paths.config.with_name(".config.json.1.ab.tmp"), paths.history / ".config-x.json.1.ab.tmp"]
    for leftover in leftovers:
        leftover.write_bytes(b"half")

    store.modify(port(80))

    assert not any(leftover.exists() for leftover in leftovers)


def test_a_hand_edit_is_seen_at_the_next_poll(paths: Paths) -> None:
    store = opened(paths)
    assert store.poll() is None

    data = write(paths, {**GOOD, "settings": {"port": 80}})
    seen = store.poll()

    assert seen is not None
    assert (seen.config.settings.port, seen.etag) == (80, digest(data))
    assert store.current is seen
    assert store.poll() is None


def test_a_hand_edit_within_one_tick_of_the_clock_is_seen(paths: Paths) -> None:
    store = opened(paths, b'{"settings": {"port": 80}}')
    stat = paths.config.stat()
    assert store.poll() is None

    with open(paths.config, "r+b") as file:
        file.write(b'{"settings": {"port": 81}}')
    os.utime(paths.config, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    seen = store.poll()

    assert seen is not None
    assert seen.config.settings.port == 81


def test_an_old_file_that_was_seen_is_not_read_again(paths: Paths) -> None:
    store = opened(paths)
    os.utime(paths.config, ns=(0, 0))
    assert store.poll() is None

    # The same stat with other bytes: only a reader would notice.
    with open(paths.config, "r+b") as file:
        file.write(b"[")
    os.utime(paths.config, ns=(0, 0))

    assert store.poll() is None
    assert store.poll() is None


def test_the_first_poll_loads(paths: Paths) -> None:
    write(paths, GOOD)
    store = ConfigStore(paths)

    assert store.poll() == store.current


def test_a_broken_hand_edit_leaves_the_last_good_config_in_force(paths: Paths) -> None:
    store = opened(paths, {**GOOD, "settings": {"port": 80}})
    good = store.current
    write(paths, BROKEN)

    assert store.poll() is None
    seen = store.poll()

    assert seen is not None
    assert (seen.config, seen.document, seen.etag) == (good.config, good.document, good.etag)
    assert lines(seen) == ["line 2, column 16: a comma stands before the closing }. Take the comma out."]
    assert not seen.is_writable
    assert store.poll() is None


def test_faults_of_a_hand_edit_have_their_places(paths: Paths) -> None:
    store = opened(paths)
    write(paths, b'{\n  "settings": {\n    "port": 0\n  },\n  "clients": 1\n}')

    assert store.poll() is None
    seen = store.poll()

    assert seen is not None
    assert lines(seen) == [
        "line 3, column 13 at /settings/port: found 0, expected a whole number from 1 to 65535",
        "line 5, column 14 at /clients: found a number, expected a list",
    ]


def test_a_file_seen_half_written_is_no_fault(paths: Paths) -> None:
    store = opened(paths)
    whole = render({**GOOD, "settings": {"port": 80}})

    for half in (b"", whole[:10], whole[:30]):
        paths.config.write_bytes(half)
        assert store.poll() is None
    paths.config.write_bytes(whole)
    seen = store.poll()

    assert seen is not None
    assert (seen.config.settings.port, seen.problems) == (80, ())


def test_a_fault_that_goes_between_two_looks_is_forgotten(paths: Paths) -> None:
    store = opened(paths)
    good = paths.config.read_bytes()

    for data in (BROKEN, good, BROKEN, good):
        write(paths, data)
        assert store.poll() is None

    assert store.current.problems == ()


def test_a_mended_file_takes_effect_again(paths: Paths) -> None:
    store = opened(paths)
    write(paths, BROKEN)
    polls = [store.poll(), store.poll()]

    write(paths, GOOD)
    mended = store.poll()

    assert polls[1] is not None
    assert mended is not None
    assert (mended.problems, mended.is_writable) == ((), True)
    assert store.modify(port(80)).config.settings.port == 80


def test_a_deleted_file_is_told_and_the_last_good_config_stays(paths: Paths) -> None:
    store = opened(paths)
    good = store.current.config
    paths.config.unlink()

    assert store.poll() is None
    seen = store.poll()

    assert seen is not None
    assert (seen.config, lines(seen), seen.is_writable) == (good, ["the file is gone"], False)
    assert store.poll() is None
    with pytest.raises(InvalidConfig, match="the file is gone"):
        store.modify(port(80))
    assert store.restore().problems == ()
    assert json.loads(paths.config.read_bytes()) == GOOD


def test_a_file_that_cannot_be_read_is_told(paths: Paths) -> None:
    store = opened(paths)
    paths.config.unlink()
    paths.config.mkdir()

    assert store.poll() is None
    seen = store.poll()

    assert seen is not None
    assert lines(seen)[0].startswith("the file cannot be read: ")
    with pytest.raises(InvalidConfig, match="cannot be read"):
        store.restore()


def test_a_file_beyond_all_reason_is_told_without_being_read(paths: Paths) -> None:
    store = opened(paths)
    write(paths, b" " * (4 * 1024 * 1024 + 1))

    assert store.poll() is None
    seen = store.poll()

    assert seen is not None
    assert lines(seen) == ["the file is larger than 4194304 bytes"]


@pytest.mark.parametrize("broken", [BROKEN, b"", b'{"servers": []}', b"\xff"])
def test_a_broken_file_is_never_written_over(paths: Paths, broken: bytes) -> None:
    store = opened(paths)
    write(paths, broken)

    with pytest.raises(InvalidConfig, match="is broken: ") as caught:
        store.modify(port(80))

    assert paths.config.read_bytes() == broken
    assert "switchboard config restore" in caught.value.hint


def test_the_refusal_of_an_edit_says_line_and_column(paths: Paths) -> None:
    write(paths, BROKEN)

    with pytest.raises(InvalidConfig, match=r"config\.json is broken: line 2, column 16: a comma"):
        ConfigStore(paths).modify(port(80))


def test_a_start_with_a_broken_file_uses_the_newest_valid_version(paths: Paths) -> None:
    opened(paths).modify(port(80))
    write(paths, BROKEN)

    store = ConfigStore(paths)
    loaded = store.load()

    assert loaded.config.settings.port == 80
    assert not loaded.is_writable
    assert lines(loaded)[0] == "line 2, column 16: a comma stands before the closing }. Take the comma out."
    assert "from the history is in force" in lines(loaded)[1]
    assert paths.config.read_bytes() == BROKEN
    assert store.poll() is None


def test_a_start_passes_over_versions_that_are_not_valid(paths: Paths) -> None:
    opened(paths)
    (paths.history / "config-29990101T000000.000000Z-0123456789abcdef.json").write_bytes(BROKEN)
    (paths.history / "config-29980101T000000.000000Z-0123456789abcdef.json").mkdir()
    write(paths, BROKEN)

    assert ConfigStore(paths).load().document == GOOD


def test_a_start_with_a_broken_file_and_no_history_fails_with_all_problems(paths: Paths) -> None:
    write(paths, b'{"settings": {"port": 0}, "clients": 1}')

    with pytest.raises(InvalidConfig) as caught:
        ConfigStore(paths).load()

    assert [(fault.pointer, fault.line) for fault in caught.value.faults] == [("/settings/port", 1), ("/clients", 1)]


def test_loading_again_while_the_file_is_broken_keeps_the_last_good_config(paths: Paths) -> None:
    store = opened(paths)
    write(paths, BROKEN)

    loaded = store.load()

    assert (loaded.document, len(loaded.problems), loaded.is_writable) == (GOOD, 1, False)


def test_a_newer_format_is_read_and_never_written(paths: Paths) -> None:
    data = write(paths, {"version": 2, **GOOD})
    store = ConfigStore(paths)

    loaded = store.load()

    assert (loaded.config.servers["a"].command, loaded.is_writable) == ("x", False)
    assert "newer format" in str(loaded.warnings[-1])
    with pytest.raises(Refused, match="a newer Switchboard wrote"):
        store.modify(port(80))
    assert paths.config.read_bytes() == data


def test_servers_pasted_from_another_client_are_migrated_and_the_old_file_kept(paths: Paths) -> None:
    data = write(paths, {"mcpServers": {"a": {"command": "x"}}, "x-own": 1})

    loaded = ConfigStore(paths).load()

    assert loaded.document == {"version": 1, "servers": {"a": {"command": "x"}}, "x-own": 1}
    assert json.loads(paths.config.read_bytes()) == loaded.document
    assert loaded.is_writable
    assert data in kept(paths)


def test_servers_pasted_while_running_are_migrated_at_the_next_poll(paths: Paths) -> None:
    store = opened(paths)
    write(paths, {"mcpServers": {"pasted": {"command": "x"}}})

    seen = store.poll()

    assert seen is not None
    assert list(seen.config.servers) == ["pasted"]
    assert "mcpServers" not in json.loads(paths.config.read_bytes())
    assert store.poll() is None


def test_an_older_file_that_cannot_be_written_now_is_used_all_the_same(paths: Paths) -> None:
    data = write(paths, {"mcpServers": {"a": {"command": "x"}}})
    paths.state.mkdir()

    with FileLock(paths.config_lock):
        loaded = ConfigStore(paths, lock_wait_s=0.0).load()

    assert list(loaded.config.servers) == ["a"]
    assert paths.config.read_bytes() == data


def test_faults_of_an_older_file_are_placed_where_they_stand_in_it(paths: Paths) -> None:
    write(paths, b'{\n  "mcpServers": {\n    "my server": {"command": "x"}\n  }\n}')

    with pytest.raises(InvalidConfig) as caught:
        ConfigStore(paths).load()

    assert [(fault.pointer, fault.line, fault.column) for fault in caught.value.faults] == [
        ("/mcpServers/my server", 3, 18)
    ]
    assert b"mcpServers" in paths.config.read_bytes()


def test_each_version_that_was_in_force_is_in_the_history(paths: Paths) -> None:
    first = write(paths, GOOD)
    store = opened(paths, first)
    store.modify(port(80))
    second = paths.config.read_bytes()
    third = write(paths, {**GOOD, "x-hand": 1})
    store.poll()

    assert kept(paths) == [third, second, first]
    assert store.history()[0].size_bytes == len(third)


def test_restoring_brings_the_version_before_back(paths: Paths) -> None:
    store = opened(paths)
    before = paths.config.read_bytes()
    store.modify(port(80))

    loaded = store.restore()

    assert paths.config.read_bytes() == before
    assert loaded.config.settings.port == 7923
    assert store.restore().config.settings.port == 80


def test_restoring_brings_a_chosen_version_back_and_keeps_the_present_one(paths: Paths) -> None:
    store = opened(paths)
    for number in (80, 81, 82):
        store.modify(port(number))
    [chosen] = [version for version, data in zip(store.history(), kept(paths), strict=True) if b": 80" in data]

    assert store.restore(chosen.id).config.settings.port == 80
    assert [json.loads(data).get("settings") for data in kept(paths)] == [
        {"port": 80},
        {"port": 82},
        {"port": 81},
        None,
    ]


def test_restoring_keeps_a_broken_file_under_another_name(paths: Paths) -> None:
    store = opened(paths)
    write(paths, BROKEN)

    loaded = store.restore()

    assert paths.config.with_name("config.broken.json").read_bytes() == BROKEN
    assert (loaded.document, loaded.problems, loaded.is_writable) == (GOOD, (), True)


def test_restoring_an_older_format_writes_the_current_one(paths: Paths) -> None:
    write(paths, {"mcpServers": {"a": {"command": "x"}}})
    store = ConfigStore(paths)
    store.load()
    [old] = [version for version, data in zip(store.history(), kept(paths), strict=True) if b"mcpServers" in data]
    store.modify(port(80))

    assert store.restore(old.id).document == {"version": 1, "servers": {"a": {"command": "x"}}}
    assert "mcpServers" not in json.loads(paths.config.read_bytes())


def test_what_is_not_valid_is_not_restored(paths: Paths) -> None:
    store = opened(paths)
    invalid = "config-20200101T000000.000000Z-0123456789abcdef"
    (paths.history / f"{invalid}.json").write_bytes(BROKEN)

    with pytest.raises(InvalidConfig, match=f"^the version {invalid} is not valid$"):
        store.restore(invalid)
    with pytest.raises(NotFound, match="no other valid version"):
        store.restore()
    with pytest.raises(NotFound, match="has no version 'nothing'"):
        store.restore("nothing")
    assert json.loads(paths.config.read_bytes()) == GOOD
