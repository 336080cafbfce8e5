"""Objects and arrays opened one level deep: nothing is lost, nothing is rewritten."""

import re

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.protocol.spans import items, members, without_lone_surrogates
from tests.protocol.json_texts import MEMBERS, SPACE, STRINGS, VALUES, reference

TORN = '"\\ud83d"'


def whole(key: str) -> str:
    """The string that the JSON text `key` spells, with U+FFFD for each half of a surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\ufffd", str(reference(key)))


@given(MEMBERS, SPACE)
def test_members_are_the_bytes_that_stood_in_the_object(pairs: list[tuple[str, str]], space: str) -> None:
    inner = ",".join(f"{space}{key}{space}:{space}{value}{space}" for key, value in pairs)

    found = members(f"{space}{{{inner or space}}}{space}".encode())

    assert list(found) == list(dict.fromkeys(whole(key) for key, _ in pairs))
    assert {key: bytes(value) for key, value in found.items()} == {whole(key): value.encode() for key, value in pairs}


@given(st.lists(VALUES, max_size=6), SPACE)
def test_items_are_the_bytes_that_stood_in_the_array(values: list[str], space: str) -> None:
    inner = ",".join(f"{space}{value}{space}" for value in values)

    found = items(f"{space}[{inner or space}]{space}".encode())

    assert [bytes(item) for item in found] == [value.encode() for value in values]


@given(MEMBERS)
def test_a_half_character_anywhere_changes_nothing_for_the_others(pairs: list[tuple[str, str]]) -> None:
    inner = "".join(f",{key}:{value}" for key, value in pairs)

    found = members(f'{{"torn":{{"deep":[{TORN}]}}{inner}}}'.encode())

    expected = {"torn": f'{{"deep":[{TORN}]}}', **{whole(key): value for key, value in pairs}}
    assert {key: bytes(value).decode() for key, value in found.items()} == expected


@given(st.data(), VALUES)
def test_what_is_accepted_is_what_the_standard_library_reads(data: st.DataObject, text: str) -> None:
    at = data.draw(st.integers(0, len(text)))
    damaged = (
        text[:at] + data.draw(st.sampled_from(["", "{", "]", ",", '"', "\\", "0", " ", "\x0c", "e"])) + text[at + 1 :]
    )
    try:
        expected = reference(damaged)
    except ValueError:
        expected = None

    for opened, kind in ((members, dict), (items, list)):
        if isinstance(expected, kind):
            opened(damaged.encode())
        else:
            with pytest.raises(msgspec.DecodeError):
                opened(damaged.encode())


@given(st.binary() | st.binary().map(lambda junk: b'{"a":"\\ud83d' + junk) | st.binary().map(lambda junk: b"[" + junk))
def test_any_bytes_are_opened_or_refused_by_one_kind_of_error(junk: bytes) -> None:
    for opened in (members, items):
        try:
            opened(junk)
        except msgspec.DecodeError:
            pass


@pytest.mark.parametrize("torn", ["", f"{TORN},"])
def test_deep_nesting_is_refused_as_such(torn: str) -> None:
    deep = f"{torn}{'[' * 100_000}{']' * 100_000}"

    with pytest.raises(msgspec.DecodeError, match="nested too deep"):
        items(f"[{deep}]".encode())
    with pytest.raises(msgspec.DecodeError, match="nested too deep"):
        members(f'{{"a":[{deep}]}}'.encode())


@pytest.mark.parametrize("text", ["[]", "null", "1", '"a"', f"[{TORN}]"])
def test_what_is_no_object_is_told_from_what_is_no_json(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        members(text.encode())


def test_of_a_repeated_key_the_last_value_counts() -> None:
    assert bytes(members(b'{"a":1,"a":2}')["a"]) == b"2"
    assert bytes(members(b'{"a":"\\ud83d","a":2}')["a"]) == b"2"


def test_a_huge_string_with_a_half_character_is_kept() -> None:
    text = b'"' + b"x" * 2_000_000 + b'\\" \\ud83d {[' + b'"'

    assert bytes(members(b'{"before":[],"text":' + text + b',"after":{}}')["text"]) == text


@given(STRINGS)
def test_masking_keeps_the_length_and_every_whole_character(text: str) -> None:
    try:
        masked = without_lone_surrogates(text.encode())
    except msgspec.DecodeError:
        assert whole(text) == reference(text)
        return

    assert len(masked) == len(text.encode())
    assert msgspec.json.decode(masked) == whole(text)
