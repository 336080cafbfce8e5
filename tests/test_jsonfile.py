"""Strict reading with places, rendering, and writing that leaves the old file or the new one."""

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.jsonfile import (
    JsonSyntaxError,
    digest,
    locate,
    make_private_folder,
    parse_json,
    patiently,
    remove_leftovers,
    render,
    write_atomic,
)
from switchboard_tray.jsonscan import MAX_DEPTH, shown_key
from tests.config.documents import unhurried

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)
on_posix = pytest.mark.skipif(sys.platform == "win32", reason="modes and symlinks of POSIX")


def fault_in(text: str) -> tuple[str, int, int]:
    with pytest.raises(JsonSyntaxError) as caught:
        parse_json(text.encode())
    return caught.value.reason, caught.value.line, caught.value.column


@given(JSON_VALUES)
@unhurried
def test_reads_what_the_standard_library_writes(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent="\t", ensure_ascii=False)):
        assert same(parse_json(text.encode()), value)


@given(JSON_VALUES)
@unhurried
def test_reads_back_what_it_renders(value: object) -> None:
    assert same(parse_json(render(value)), value)


@given(st.text(alphabet="{}[]\",:\\/*# \n\r\t0123456789.eE+-tfnulraseNIiy'_\x00é", max_size=30))
@unhurried
def test_takes_no_text_that_the_standard_library_refuses(text: str) -> None:
    try:
        value = parse_json(text.encode())
    except JsonSyntaxError as fault:
        assert fault.line >= 1
        assert fault.column >= 1
    else:
        assert same(value, json.loads(text))


@given(st.binary(max_size=40))
@unhurried
def test_bytes_of_any_kind_are_read_or_refused_with_a_place(data: bytes) -> None:
    try:
        parse_json(data)
    except JsonSyntaxError as fault:
        assert fault.line >= 1


@pytest.mark.parametrize(
    ("text", "reason", "line", "column"),
    [
        ("", "the file is empty", 1, 1),
        (" \n ", "the file is empty", 1, 1),
        ('{"a": 1,\n "a": 2}', 'the key "a" stands twice in its object', 2, 2),
        ('{\n  "a": 1\n  "b": 2\n}', "a comma is missing before this", 3, 3),
        ("[1 2]", "a comma is missing before this", 1, 4),
        ('{"a": 1,}', "a comma stands before the closing }", 1, 8),
        ("[1,\n]", "a comma stands before the closing ]", 1, 3),
        ("{,}", "a key in double quotes is missing here", 1, 2),
        ("{a: 1}", "a key in double quotes is missing here", 1, 2),
        ('{"a" 1}', "a colon is missing after the key", 1, 6),
        ('{"a": }', "a value is missing here", 1, 7),
        ('{"a":', "a value is missing here", 1, 6),
        ('{"a"', "the { that stands here is never closed", 1, 1),
        ('{"a": [1, 2', "the [ that stands here is never closed", 1, 7),
        ('{"a": 1', "the { that stands here is never closed", 1, 1),
        ("[1,", "the [ that stands here is never closed", 1, 1),
        ("{} {}", "something follows the end of the document", 1, 4),
        ("{} // end", "a comment stands here, and JSON has none", 1, 4),
        ('{\n  # why\n  "a": 1}', "a comment stands here, and JSON has none", 2, 3),
        ('{"a": /* one */ 1}', "a comment stands here, and JSON has none", 1, 7),
        ("{'a': 1}", "JSON puts text in plain double quotes", 1, 2),
        ("[\u201ca\u201d]", "JSON puts text in plain double quotes", 1, 2),
        ("[NaN]", "NaN is not a JSON number", 1, 2),
        ("[-Infinity]", "-Infinity is not a JSON number", 1, 2),
        ("[True]", "JSON does not know True", 1, 2),
        ("[None]", "JSON does not know None", 1, 2),
        ("[bare]", "a value is missing here", 1, 2),
        ("[01]", "this is not a JSON number", 1, 2),
        ("[+1]", "this is not a JSON number", 1, 2),
        ("[.5]", "this is not a JSON number", 1, 2),
        ("[1.]", "this is not a JSON number", 1, 2),
        ("[1e999]", "this number is too large", 1, 2),
        ('["a\nb"]', "the text that starts here is not closed on its line", 1, 2),
        ('["a', "the text that starts here is not closed on its line", 1, 2),
        ('["a\tb"]', "a control character stands in a text", 1, 4),
        (r'["C:\Users"]', "a backslash starts no known escape here", 1, 5),
        (r'["\u12G4"]', "a backslash starts no known escape here", 1, 3),
        (r'["\ud800\uZZZZ"]', "a backslash starts no known escape here", 1, 9),
    ],
)
def test_a_fault_is_told_with_its_place(text: str, reason: str, line: int, column: int) -> None:
    assert fault_in(text) == (reason, line, column)


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_lines_end_as_any_editor_ends_them(ending: str) -> None:
    assert fault_in(f"{{{ending}{ending}  x}}")[1:] == (3, 3)


def test_columns_count_characters_and_no_byte_order_mark() -> None:
    assert fault_in('\ufeff["ä€😀" 1]')[1:] == (1, 8)


def test_the_message_of_a_fault_says_where() -> None:
    with pytest.raises(JsonSyntaxError, match=r"^line 2, column 1: a comma stands before the closing }$") as caught:
        parse_json(b'{"a": 1\n,}')

    assert caught.value.hint == "Take the comma out."


def test_an_unquoted_word_is_not_repeated_since_it_may_be_a_secret() -> None:
    with pytest.raises(JsonSyntaxError) as caught:
        parse_json(b'{"TOKEN": sk_live_123}')

    assert "sk_live" not in str(caught.value) + caught.value.hint


def test_a_byte_order_mark_is_read_over() -> None:
    assert parse_json(b"\xef\xbb\xbf[1]") == [1]


def test_another_encoding_is_told() -> None:
    assert fault_in_bytes("{}".encode("utf-16")) == ("the file is in UTF-16", 1, 1)
    assert fault_in_bytes(b'{\n "a": "\xe9"}') == ("a byte here is not UTF-8", 2, 8)


def fault_in_bytes(data: bytes) -> tuple[str, int, int]:
    with pytest.raises(JsonSyntaxError) as caught:
        parse_json(data)
    return caught.value.reason, caught.value.line, caught.value.column


def test_nesting_has_a_limit_instead_of_a_stack_overflow() -> None:
    assert parse_json(b"[" * MAX_DEPTH + b"1" + b"]" * MAX_DEPTH)
    assert fault_in("[" * (MAX_DEPTH + 1))[2] == MAX_DEPTH + 1
    assert fault_in("[" * 100_000)[0] == "the nesting is deeper than 100 levels"


def test_big_whole_numbers_stay_exact() -> None:
    number = 10**300 + 7

    assert parse_json(render([number])) == [number]
    assert fault_in("9" * 5_000)[0] == "this number has too many digits"


def test_escapes_are_undone_and_pairs_joined() -> None:
    assert parse_json(rb'"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"') == '"\\/\b\f\n\r\té😀'


@pytest.mark.parametrize("text", [r"\ud800", r"\ud800x", r"\udc00", r"\ud800A", r"\ud800\u0041"])
def test_half_a_surrogate_pair_is_read_and_written_back_as_it_was(text: str) -> None:
    value = parse_json(f'["{text}"]'.encode())

    assert parse_json(render(value)) == value


def test_a_long_key_is_cut_in_the_message() -> None:
    assert shown_key("k" * 100) == f'"{"k" * 60}..."'


def test_render_is_made_for_people() -> None:
    assert render({"é": [1], "b": {}}) == '{\n  "é": [\n    1\n  ],\n  "b": {}\n}\n'.encode()


@pytest.mark.parametrize(
    ("pointer", "place"),
    [
        ("", (1, 1)),
        ("/servers", (2, 14)),
        ("/servers/a~1b/args/1", (3, 25)),
        ("/servers/a~1b/args/7", (3, 21)),
        ("/servers/nobody/command", (2, 14)),
        ("/nothing/at/all", (1, 1)),
    ],
)
def test_a_value_is_located_or_else_its_nearest_parent(pointer: str, place: tuple[int, int]) -> None:
    data = b'{\n  "servers": {\n    "a/b": {"args": [1, 22]}\n  }\n}'

    assert locate(data, pointer) == place


def test_nothing_is_located_in_a_broken_file_or_by_no_pointer() -> None:
    assert locate(b"{", "/a") is None
    assert locate(b"\xff\xfe", "/a") is None
    assert locate(b'{"a": 1}', "a") is None


def test_digest_is_the_sha_256_in_hex() -> None:
    assert digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def test_writing_replaces_the_whole_file_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    target = tmp_path / "config.json"
    target.write_bytes(b"a longer text than the new one")

    write_atomic(target, b"new")

    assert target.read_bytes() == b"new"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


@on_posix
def test_file_and_new_folders_are_for_the_user_alone(tmp_path: Path) -> None:
    target = tmp_path / "new" / "deep" / "config.json"
    before = os.umask(0o000)
    try:
        write_atomic(target, b"{}")
    finally:
        os.umask(before)

    modes = [stat.S_IMODE(path.stat().st_mode) for path in (target, target.parent, target.parent.parent)]
    assert modes == [0o600, 0o700, 0o700]


@on_posix
def test_a_file_that_others_could_read_becomes_private(tmp_path: Path) -> None:
    target = tmp_path / "config.json"
    target.write_bytes(b"{}")
    target.chmod(0o644)

    write_atomic(target, b"[]")

    assert stat.S_IMODE(target.stat().st_mode) == 0o600


@on_posix
def test_a_symlink_stays_and_its_target_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "dotfiles").mkdir()
    link = tmp_path / "config.json"
    link.symlink_to(tmp_path / "dotfiles" / "mine.json")

    write_atomic(link, b"[]")

    assert link.is_symlink()
    assert (tmp_path / "dotfiles" / "mine.json").read_bytes() == b"[]"
    assert len(list((tmp_path / "dotfiles").iterdir())) == 1


def test_a_write_stopped_at_the_last_moment_changes_nothing(tmp_path: Path) -> None:
    target = tmp_path / "config.json"
    target.write_bytes(b"old")
    seen: list[set[str]] = []

    def stop() -> None:
        seen.append({path.suffix for path in tmp_path.iterdir()})
        raise LookupError

    with pytest.raises(LookupError):
        write_atomic(target, b"new", before_replace=stop)

    assert seen == [{".json", ".tmp"}]
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_a_write_that_fails_leaves_no_temporary_file(tmp_path: Path) -> None:
    (tmp_path / "config.json" / "inside").mkdir(parents=True)

    with pytest.raises(OSError):
        write_atomic(tmp_path / "config.json", b"new")

    assert [path.name for path in tmp_path.iterdir()] == ["config.json"]


def test_leftovers_of_killed_writers_are_removed_and_nothing_else(tmp_path: Path) -> None:
    kept = {"config.json", "config.json.tmp", ".config.json.swp", ".other.json.1.ab.tmp"}
    for name in (*kept, ".config.json.4711.00ff00ff.tmp"):
        (tmp_path / name).touch()

    remove_leftovers(tmp_path / "config.json")
    remove_leftovers(tmp_path / "no such folder" / "config.json")

    assert {path.name for path in tmp_path.iterdir()} == kept


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path) -> None:
    mode = stat.S_IMODE(tmp_path.stat().st_mode)

    make_private_folder(tmp_path)

    assert stat.S_IMODE(tmp_path.stat().st_mode) == mode


def test_a_file_that_another_process_holds_for_a_moment_is_tried_again_on_windows() -> None:
    outcomes: list[Any] = [PermissionError(), PermissionError(), "done"]

    assert patiently(lambda: next_outcome(outcomes), is_windows=True) == "done"


def test_a_file_that_stays_held_fails_in_the_end() -> None:
    with pytest.raises(PermissionError):
        patiently(lambda: next_outcome([PermissionError()]), wait_s=0.0, is_windows=True)


def test_a_refusal_elsewhere_is_final() -> None:
    outcomes: list[Any] = [PermissionError(), "never asked for"]

    with pytest.raises(PermissionError):
        patiently(lambda: next_outcome(outcomes), is_windows=False)

    assert outcomes == ["never asked for"]


def next_outcome(outcomes: list[Any]) -> object:
    outcome = outcomes.pop(0)
    if isinstance(outcome, Exception):
        raise outcome
    return outcome


def same(one: object, other: object) -> bool:
    """Equality that tells 1, 1.0 and True apart, and keeps to the order of keys."""
    return repr(one) == repr(other)
