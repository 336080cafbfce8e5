"""Results as types: what is kept of them, and what never is."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.typescript.shapes import ANYTHING, FIELDS, Shape, merge, observe
from switchboard_tray.typescript.types import Detail, draft_type


def typed(*values: Any) -> str:
    """TypeScript of what these results have in common."""
    shape: Shape | None = None
    for value in values:
        shape = merge(shape, observe(value))
    return draft_type(shape, Detail()).text


@pytest.mark.parametrize(
    ("values", "text"),
    [
        ([1], "number"),
        ([1, 1.5], "number"),
        ([True], "boolean"),
        (["x", None], "string | null"),
        ([{"id": 1, "name": "x"}], "{ id: number; name: string }"),
        ([{"id": 1, "name": "x"}, {"id": 2}], "{ id: number; name?: string }"),
        ([[{"id": 1}, {"id": 2, "open": True}]], "{ id: number; open?: boolean }[]"),
        ([[]], "unknown[]"),
        ([[], [1]], "number[]"),
        ([[1], []], "number[]"),
        ([[1, "x"]], "(number | string)[]"),
        ([{}], "{}"),
        ([{"result": {"items": [1]}}], "{ result: { items: number[] } }"),
    ],
)
def test_kinds_and_fields_are_kept(values: list[Any], text: str) -> None:
    assert typed(*values).replace("Record<string, unknown>", "{}") == text


@pytest.mark.parametrize(
    "value",
    [
        {"ENG-123": {"title": "x"}},
        {"ann@example.com": 1},
        {"/etc/passwd": "x"},
        {"2024-01-01": 5},
        {"user1234": {"a": 1}},
        {"k" * 41: 1},
        {"alice": {"age": 1}, "bob": {"age": 2}},
        {f"field{'abcdefghij'[n % 10]}{'abcdefghij'[n // 10]}": n for n in range(FIELDS + 1)},
    ],
)
def test_keys_that_are_data_are_not(value: dict[str, Any]) -> None:
    text = typed(value)

    assert text.startswith("Record<string, ")
    assert not [key for key in value if key in json.dumps(dict(observe(value)))]


def test_objects_of_which_each_has_other_keys_turn_out_to_be_maps() -> None:
    assert typed({"alice": 1}, {"bob": 2}) == "Record<string, number>"
    assert typed({"alice": 1}, {"bob-2": 2}, {"carol": 3}) == "Record<string, number>"
    assert typed({"a": 1}, {"b": "x"}) == "{ a?: number; b?: string }"
    first, second = ({f"f{chr(97 + n % 26)}{chr(97 + n // 26)}{end}": n for n in range(30)} for end in "xy")
    assert typed({**first, "same": 1}, {**second, "same": 1}) == "Record<string, number>"


def test_what_is_of_too_many_kinds_or_too_deep_is_unknown() -> None:
    assert typed(1, "x", None, True, [1]) == "unknown"
    assert merge(ANYTHING, observe(1)) == merge(observe(1), ANYTHING) == ANYTHING
    deep: Any = 1
    for _ in range(10):
        deep = [deep]
    assert typed(deep).startswith("unknown[]")


def test_what_is_no_json_is_unknown() -> None:
    assert observe(object()) == ANYTHING


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just("a secret value"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abcd"), inner, max_size=3),
)


@given(st.lists(VALUES, min_size=1, max_size=4))
def test_no_value_is_kept_and_the_order_does_not_matter(values: list[Any]) -> None:
    there: Shape | None = None
    for value in values:
        there = merge(there, observe(value))

    assert "secret" not in json.dumps(there)
    assert merge(there, there) == there
