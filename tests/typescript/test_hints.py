"""What the comment of a property says."""

from typing import Any

import pytest

from switchboard_tray.typescript.hints import remark


def said(schema: Any) -> str:
    return remark(schema, lambda reference: {"description": "Of the target.", "format": "uri"} if reference else 7)


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (True, ""),
        ({}, ""),
        ({"description": 7}, ""),
        ({"description": " The page. \n"}, "The page."),
        ({"description": "Page", "default": 1}, "Page (default 1)"),
        ({"default": "a"}, 'default "a"'),
        ({"default": None}, ""),
        ({"default": False}, "default false"),
        ({"default": {"a": [1]}}, 'default {"a":[1]}'),
        ({"default": "x" * 99}, ""),
        ({"default": {1, 2}}, ""),
        ({"description": "Page size (default: 30)", "default": 30}, "Page size (default: 30)"),
        ({"description": "Page size (default: 30)", "default": 20}, "Page size (default: 30) (default 20)"),
        ({"description": "At", "format": "date-time", "deprecated": True}, "At (deprecated, date-time)"),
        ({"contentEncoding": "base64"}, "base64"),
        ({"minimum": 1, "maximum": 100}, "1..100"),
        ({"minimum": 0}, ">= 0"),
        ({"maximum": 1.5}, "<= 1.5"),
        ({"minimum": True, "maximum": 2**53}, ""),
    ],
)
def test_description_and_hints(schema: Any, expected: str) -> None:
    assert said(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"$ref": "#/x"}, "Of the target. (uri)"),
        ({"$ref": "#/x", "description": "Own."}, "Own. (uri)"),
        ({"$ref": ""}, ""),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "date"),
        ({"allOf": [{"$ref": "#/x"}], "description": "Own."}, "Own. (uri)"),
        ({"oneOf": [{"description": "a"}, {"description": "b"}, {}]}, ""),
        ({"items": {"type": "string", "format": "email", "description": "one"}}, "email"),
        ({"items": [{"format": "email"}]}, ""),
    ],
)
def test_where_a_schema_says_nothing_what_it_consists_of_does(schema: Any, expected: str) -> None:
    assert said(schema) == expected
