"""Each keyword of JSON Schema as TypeScript."""

from typing import Any

import pytest

from switchboard_tray.typescript.aliases import Aliases
from switchboard_tray.typescript.text import alias_name
from switchboard_tray.typescript.types import Detail, draft_type

STRING, NUMBER = {"type": "string"}, {"type": "number"}
A_OBJECT = {"type": "object", "properties": {"a": STRING}, "required": ["a"]}


def type_of(schema: Any) -> str:
    return Aliases().settle(draft_type(schema, Detail()))


def types_of(schema: Any) -> list[str]:
    """The type of `schema`, then the declarations of the names it uses."""
    aliases = Aliases()
    return [aliases.settle(draft_type(schema, Detail())), *aliases.lines()]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        (STRING, "string"),
        ({"type": "integer"}, "number"),
        ({"type": "boolean"}, "boolean"),
        ({"type": "null"}, "null"),
        ({"type": ["null", "string", "integer", "number"]}, "string | number | null"),
        ({"type": "string", "nullable": True}, "string | null"),
        (True, "unknown"),
        (False, "never"),
        ({}, "unknown"),
        ({"not": {}}, "never"),
        ({"not": STRING}, "unknown"),
        ({"const": "a"}, '"a"'),
        ({"const": None}, "null"),
        ({"const": {"a b": [1, -2.5, True]}}, '{ "a b": [1, -2.5, true] }'),
        ({"const": {}}, "Record<string, never>"),
        ({"enum": ["a", 'say "b"', 3, None, 3]}, '"a" | "say \\"b\\"" | 3 | null'),
        ({"enum": ["a"], "type": "string", "nullable": True}, '"a" | null'),
        ({"enum": [], "type": "string"}, "string"),
        ({"enum": [2**70, float("inf"), "x" * 300]}, "number | string"),
        ({"const": [[[[[1]]]]]}, "[[[[unknown]]]]"),
        ({"const": ["x" * 150, "y" * 150]}, "unknown[]"),
        ({"const": {"x": "x" * 150, "y": "y" * 150}}, "object"),
    ],
)
def test_values_and_plain_types(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "array"}, "unknown[]"),
        ({"type": "array", "items": STRING}, "string[]"),
        ({"items": {"type": ["string", "null"]}}, "(string | null)[]"),
        ({"type": "array", "items": {"enum": ["a | b"]}}, '"a | b"[]'),
        ({"prefixItems": [STRING, NUMBER]}, "[string, number]"),
        ({"prefixItems": [STRING], "items": NUMBER}, "[string, ...number[]]"),
        ({"prefixItems": [STRING], "items": False}, "[string]"),
        ({"type": "array", "items": [STRING, NUMBER]}, "[string, number]"),
        ({"type": "array", "items": [STRING], "additionalItems": NUMBER}, "[string, ...number[]]"),
        ({"type": "array", "prefixItems": []}, "unknown[]"),
    ],
)
def test_arrays_and_tuples(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, "Record<string, unknown>"),
        ({"type": "object", "additionalProperties": False}, "Record<string, never>"),
        ({"type": "object", "additionalProperties": True}, "Record<string, unknown>"),
        ({"additionalProperties": STRING}, "Record<string, string>"),
        ({"patternProperties": {"^x-": STRING, "^y-": NUMBER}}, "Record<string, string | number>"),
        (A_OBJECT, "{ a: string }"),
        ({**A_OBJECT, "additionalProperties": False}, "{ a: string }"),
        ({**A_OBJECT, "additionalProperties": {}}, "{ a: string }"),
        ({**A_OBJECT, "additionalProperties": NUMBER}, "({ a: string } & Record<string, number>)"),
        (
            {"properties": {"a": STRING, "b": NUMBER}, "required": ["b", "c", 1]},
            "{ a?: string; b: number; c: unknown }",
        ),
        (
            {"properties": {"a b": {}, "": {}, "__proto__": {}}},
            '{ "a b"?: unknown; ""?: unknown; __proto__?: unknown }',
        ),
        ({"properties": {"new": {}, "1": {}, "$a": {}}}, '{ "new"?: unknown; "1"?: unknown; $a?: unknown }'),
        ({"properties": {"\u2028": {}, "\ud800": {}}}, '{ "\\u2028"?: unknown; "\\ud800"?: unknown }'),
    ],
)
def test_objects_and_maps(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"anyOf": [STRING, {"type": "null"}]}, "string | null"),
        ({"oneOf": [{"const": 1}, {"const": 2}]}, "1 | 2"),
        ({"anyOf": [STRING, {}]}, "unknown"),
        ({"anyOf": [STRING, False]}, "string"),
        ({"anyOf": []}, "unknown"),
        ({"allOf": [A_OBJECT]}, "{ a: string }"),
        ({"allOf": [A_OBJECT, {"properties": {"b": NUMBER}}]}, "({ a: string } & { b?: number })"),
        ({**A_OBJECT, "anyOf": [{"required": ["b"]}, {"required": ["c"]}]}, "{ a: string }"),
        ({"type": "object", "oneOf": [A_OBJECT, STRING]}, "{ a: string } | string"),
        ({"allOf": [{"enum": [1, 2]}, {"enum": [2, 3]}]}, "((1 | 2) & (2 | 3))"),
        ({"type": "array", "items": {"allOf": [A_OBJECT, {"enum": [1, 2]}]}}, "({ a: string } & (1 | 2))[]"),
        ({"allOf": [{"enum": list(range(40))}, {"enum": list(range(1, 41))}]}, " | ".join(map(str, range(40)))),
    ],
)
def test_combinations(schema: Any, expected: str) -> None:
    assert type_of(schema) == expected


@pytest.mark.parametrize(
    "schema",
    [
        None,
        "string",
        [],
        7,
        {"type": "file"},
        {"type": 7},
        {"type": [{}]},
        {"type": []},
        {"properties": 7},
        {"anyOf": 7, "allOf": 7, "enum": 7},
        {"$ref": 7},
        {"$ref": "#/$defs/missing"},
        {"$ref": "#anchor"},
        {"$ref": "https://example.com/schema"},
        {"$ref": "#/anyOf/9", "anyOf": [True]},
        {"$ref": "#/anyOf/٣", "anyOf": [True]},
    ],
)
def test_what_is_broken_is_unknown(schema: Any) -> None:
    assert type_of(schema) == "unknown"


def test_a_reference_is_written_out_where_it_is_used_once_or_short() -> None:
    definitions = {"a/b c": STRING, "Both": {"enum": ["x", "y"]}}
    used = {"a": {"$ref": "#/definitions/a~1b%20c"}, "b": {"type": "array", "items": {"$ref": "#/definitions/Both"}}}

    assert types_of({"properties": used, "definitions": definitions}) == ['{ a?: string; b?: ("x" | "y")[] }']


def test_a_reference_keeps_what_is_said_beside_it() -> None:
    used = {"$ref": "#/$defs/Both", "allOf": [A_OBJECT]}

    assert type_of({"prefixItems": [used], "$defs": {"Both": {"enum": [1, 2]}}}) == "[((1 | 2) & { a: string })]"


def test_a_long_type_that_is_used_twice_gets_a_name() -> None:
    long = {"enum": [f"value {number}" for number in range(9)]}
    schema = {"properties": {name: {"$ref": "#/$defs/time-unit"} for name in "ab"}, "$defs": {"time-unit": long}}

    assert types_of(schema) == ["{ a?: TimeUnit_; b?: TimeUnit_ }", f"type TimeUnit_ = {type_of(long)};"]


def test_a_recursive_type_gets_a_name() -> None:
    node = {"properties": {"of": {"items": {"$ref": "#/$defs/Node"}}, "by": {"additionalProperties": {"$ref": "#"}}}}
    schema = {"anyOf": [{"$ref": "#/$defs/Node"}, {"type": "null"}], "$defs": {"Node": node}}

    assert types_of(schema) == [
        "Node_ | null",
        "type Node_ = { of?: Node_[]; by?: { [key: string]: Node_ | null } };",
    ]


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"$ref": "#"}, "unknown"),
        ({"anyOf": [{"$ref": "#"}, {"type": "null"}]}, "unknown | null | null"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, "unknown"),
    ],
)
def test_a_type_that_is_nothing_but_itself_is_unknown(schema: Any, expected: str) -> None:
    assert types_of(schema) == [expected]


def test_names_in_one_text_mean_one_type() -> None:
    def tree(leaf: Any) -> Any:
        return {
            "$ref": "#/$defs/Node",
            "$defs": {"Node": {"properties": {"leaf": leaf, "up": {"$ref": "#/$defs/Node"}}}},
        }

    aliases = Aliases()

    assert [aliases.settle(draft_type(tree(leaf), Detail())) for leaf in (STRING, NUMBER, STRING)] == [
        "Node_",
        "Node_2",
        "Node_",
    ]
    assert list(aliases.lines()) == [
        "type Node_ = { leaf?: string; up?: Node_ };",
        "type Node_2 = { leaf?: number; up?: Node_2 };",
    ]


@pytest.mark.parametrize(
    ("pointer", "name"),
    [
        ("", "Args_"),
        ("/$defs/Dimension", "Dimension_"),
        ("/$defs/1st", "Type1st_"),
        ("/$defs/节点", "Type_"),
        ("/properties/tree/items/0", "Tree_"),
        ("/$defs/a.b c", "ABC_"),
        ("/$defs/" + "x" * 99, "X" + "x" * 39 + "_"),
    ],
)
def test_a_name_is_made_of_the_last_word_of_the_pointer(pointer: str, name: str) -> None:
    assert alias_name(pointer) == name
