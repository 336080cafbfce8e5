"""Prompts and resources of a list: the usable ones, repaired where that is safe."""

import json

import pytest

from switchboard_tray.catalog.check import check_named


def named(*definitions: bytes, key: str = "uri") -> dict[str, bytes]:
    return {one.name: one.raw for one in check_named(definitions, key)}


def test_a_good_prompt_stays_the_bytes_it_was() -> None:
    raw = b'{ "name":"greet","arguments":[{"name":"who"}],"n":1180591620717411303424 }'

    assert named(raw, key="name") == {"greet": raw}


def test_a_resource_without_a_name_is_called_by_its_uri() -> None:
    found = named(b'{"uri":"file:///a","name":null,"title":null,"size":1}')

    assert json.loads(found["file:///a"]) == {"uri": "file:///a", "name": "file:///a", "size": 1}


def test_half_characters_in_a_resource_are_replaced() -> None:
    found = named(b'{"uri":"a:b","name":"n","description":"\\ud83d"}')

    assert json.loads(found["a:b"]) == {"uri": "a:b", "name": "n", "description": "\ufffd"}


def test_of_two_resources_with_one_uri_the_first_is_kept() -> None:
    first, second = b'{"uri":"a:b","name":"1"}', b'{"uri":"a:b","name":"2"}'

    assert named(first, second) == {"a:b": first}


@pytest.mark.parametrize(
    "raw", [b"null", b"[]", b"{", b'"x"', b'{"name":"n"}', b'{"uri":7}', b'{"uri":""}', b'{"uri":"a:b","x":1e400}']
)
def test_what_is_no_resource_is_left_out(raw: bytes) -> None:
    good = b'{"uri":"c:d","name":"n"}'

    assert named(raw, good) == {"c:d": good}
