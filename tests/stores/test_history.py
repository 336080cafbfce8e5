"""Kept versions: newest first, at most ten, the same bytes once."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from switchboard_tray.errors import NotFound
from switchboard_tray.stores.history import History


def contents(history: History) -> list[bytes]:
    return [history.read(version.id) for version in history.versions()]


def test_versions_come_newest_first_with_time_and_size(tmp_path: Path) -> None:
    history = History(tmp_path / "history")
    before = datetime.now(UTC)
    for data in (b"a", b"bb", b"ccc"):
        history.keep(data)

    versions = history.versions()

    assert contents(history) == [b"ccc", b"bb", b"a"]
    assert [version.size_bytes for version in versions] == [3, 2, 1]
    assert versions[0].saved_at > versions[1].saved_at > versions[2].saved_at >= before


def test_ten_versions_are_kept(tmp_path: Path) -> None:
    history = History(tmp_path)
    for number in range(13):
        history.keep(b"%d" % number)

    assert contents(history) == [b"%d" % number for number in range(12, 2, -1)]


def test_the_same_bytes_are_kept_once_at_their_last_time(tmp_path: Path) -> None:
    history = History(tmp_path)
    for data in (b"a", b"b", b"a", b"a"):
        history.keep(data)

    assert contents(history) == [b"a", b"b"]


def test_the_newest_version_keeps_its_id_when_it_is_kept_again(tmp_path: Path) -> None:
    history = History(tmp_path)
    history.keep(b"a")
    before = history.versions()

    history.keep(b"a")

    assert history.versions() == before


def test_a_clock_that_was_set_back_does_not_change_the_order(tmp_path: Path) -> None:
    future = tmp_path / "config-29990101T000000.000000Z-0123456789abcdef.json"
    future.write_bytes(b"of the future")
    history = History(tmp_path)

    history.keep(b"now")

    assert contents(history) == [b"now", b"of the future"]


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    names = {"notes.txt", "config-99999999T999999.000000Z-0123456789abcdef.json", ".config-x.json.1.ab.tmp"}
    for name in names:
        (tmp_path / name).write_text("mine")
    history = History(tmp_path)

    history.keep(b"a")
    history.remove_leftovers()

    assert contents(history) == [b"a"]
    assert {path.name for path in tmp_path.iterdir()} > names - {".config-x.json.1.ab.tmp"}
    assert not (tmp_path / ".config-x.json.1.ab.tmp").exists()


@pytest.mark.parametrize("version_id", ["", "../config", "config-20250101T000000.000000Z-0123456789abcdef"])
def test_an_id_that_was_not_listed_is_not_found(tmp_path: Path, version_id: str) -> None:
    (tmp_path / "config.json").write_bytes(b"{}")

    with pytest.raises(NotFound) as caught:
        History(tmp_path / "history").read(version_id)

    assert caught.value.hint == "switchboard config history"


def test_a_version_that_cannot_be_read_is_not_found(tmp_path: Path) -> None:
    (tmp_path / "config-20250101T000000.000000Z-0123456789abcdef.json").mkdir()

    with pytest.raises(NotFound, match="cannot be read"):
        History(tmp_path).read("config-20250101T000000.000000Z-0123456789abcdef")
