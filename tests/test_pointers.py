"""JSON pointers, made and taken apart."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.pointers import child, parent, pointer_keys
from tests.config.documents import unhurried


@given(st.lists(st.text()))
@unhurried
def test_keys_come_back_from_the_pointer_they_make(keys: list[str]) -> None:
    pointer = ""
    for key in keys:
        pointer = child(pointer, key)

    assert pointer_keys(pointer) == tuple(keys)


def test_a_slash_and_a_tilde_in_a_key_are_escaped() -> None:
    assert child("/servers", "a/b~c") == "/servers/a~1b~0c"


def test_an_index_is_a_key_too() -> None:
    assert child("/clients", 0) == "/clients/0"


def test_parent_of_the_document_is_the_document() -> None:
    assert (parent("/a/b"), parent("/a"), parent("")) == ("/a", "", "")


@pytest.mark.parametrize("text", ["servers", "/a~b", "/a~", "/~2"])
def test_what_is_no_pointer_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a JSON pointer"):
        pointer_keys(text)
