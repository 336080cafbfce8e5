"""What results looked like, over restarts."""

import json
from pathlib import Path

from switchboard_tray.stores.shapes import ENOUGH, VALUE_BYTES, ShapeStore


def test_what_was_learnt_is_there_after_a_restart_in_any_letter_case(tmp_path: Path) -> None:
    path = tmp_path / "state" / "shapes.json"
    store = ShapeStore(path)
    store.saw("GitHub.get", b'{"id":1}')
    store.saw("github.get", b'{"id":1,"name":"x"}')
    store.save()

    shape = ShapeStore(path).of("github.GET")
    assert shape is not None and set(shape["properties"]) == {"id", "name"} and shape["required"] == ["id"]
    assert json.loads(path.read_bytes()) == {"github.get": shape}


def test_nothing_new_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    store = ShapeStore(path)
    store.save()
    assert not path.exists()
    store.saw("a.b", b"1")
    store.save()
    path.unlink()
    store.saw("a.b", b"2")
    store.save()

    assert not path.exists()


def test_enough_is_enough_and_what_is_no_json_or_too_long_tells_nothing(tmp_path: Path) -> None:
    store = ShapeStore(tmp_path / "shapes.json")
    for _ in range(ENOUGH):
        assert store.wants("a.b")
        store.saw("a.b", b"{")
    store.saw("a.c", b'"' + b"x" * VALUE_BYTES + b'"')

    assert not store.wants("A.B")
    assert store.of("a.b") is None and store.of("a.c") is None


def test_copy_of_now_does_not_change(tmp_path: Path) -> None:
    store = ShapeStore(tmp_path / "shapes.json")
    before = store.current
    store.saw("a.b", b"1")

    assert dict(before) == {} and set(store.current) == {"a.b"}


def test_file_that_is_broken_or_cannot_be_written_stops_nobody(tmp_path: Path) -> None:
    path = tmp_path / "shapes.json"
    for text in ("{", "[]", '{"a.b": 5}'):
        path.write_text(text)
        assert dict(ShapeStore(path).current) == {}
    store = ShapeStore(tmp_path / "shapes.json" / "below")
    store.saw("a.b", b"1")
    store.save()
