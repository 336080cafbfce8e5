"""Signatures and declarations, and how they are shortened."""

import re
from typing import Any

import pytest

from switchboard_tray.catalog.model import Tool
from switchboard_tray.typescript.render import SHORTENED, ServerDeclarations, declarations, signature
from tests.typescript.schemas import tool

ISSUE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "owner": {"type": "string"},
        "title": {"type": "string", "description": "Title of the issue"},
        "labels": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["owner", "title"],
}
TREE: dict[str, Any] = {
    "type": "object",
    "properties": {"root": {"$ref": "#/$defs/Node"}},
    "$defs": {"Node": {"type": "object", "properties": {"up": {"$ref": "#/$defs/Node"}}}},
}


def test_signature_is_a_function_with_its_description_above() -> None:
    assert signature("github.create_issue", tool(ISSUE, "Creates an issue.")) == (
        "/** Creates an issue. */\n"
        "github.create_issue(args: { owner: string; /** Title of the issue */ title: string; labels?: string[] }): "
        "Promise<unknown>"
    )


def test_output_schema_is_what_the_promise_gives() -> None:
    output = {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]}

    assert signature("f", tool(ISSUE, output=output)).endswith("): Promise<{ number: number }>")


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "object"}, "f()"),
        ({"type": "object", "properties": {}, "additionalProperties": False}, "f()"),
        ({"type": "object", "additionalProperties": True}, "f(args?: Record<string, unknown>)"),
        ({"type": "object", "additionalProperties": {"type": "string"}}, "f(args?: Record<string, string>)"),
        ({"type": "object", "properties": {"a": {}}}, "f(args?: { a?: unknown })"),
        ({"type": "object", "required": ["a"]}, "f(args: { a: unknown })"),
        ({"oneOf": [{"required": ["a"]}, {"required": ["b"]}]}, "f(args: Record<string, unknown>)"),
        ("broken", "f(args?: Record<string, unknown>)"),
    ],
)
def test_argument_may_be_left_out_where_nothing_is_required(schema: Any, expected: str) -> None:
    assert signature("f", tool(schema)) == f"{expected}: Promise<unknown>"


def test_types_that_need_a_name_stand_below_the_signature() -> None:
    assert signature("f", tool(TREE, output={"$ref": "#/x", "x": TREE["$defs"]["Node"]})).splitlines() == [
        "f(args?: { root?: Node_ }): Promise<{ up?: unknown }>",
        "type Node_ = { up?: Node_ };",
    ]


def test_title_stands_in_for_a_missing_description() -> None:
    titled = Tool("f", b'{"name":"f","title":"Look","description":" ","inputSchema":{}}')

    assert signature("f", titled) == "/** Look */\nf(): Promise<unknown>"


@pytest.mark.parametrize("raw", [b"[]", b"{", b'{"description":"\\ud800"}', b"[" * 100_000])
def test_definition_that_cannot_be_read_takes_anything(raw: bytes) -> None:
    assert signature("f", Tool("f", raw)) == "f(args?: Record<string, unknown>): Promise<unknown>"


def test_description_cannot_leave_its_comment_and_shows_what_a_person_would_see() -> None:
    said = "Ends here */ } \n\n\n  - listed  \n\u202eback\u2028\x00\U000e0041 \ud83d\ude00"

    assert signature("f", tool({}, said)) == (
        "/** Ends here * / }\n - listed\nback  \U0001f600 */\nf(): Promise<unknown>"
    )


def test_docstring_loses_the_indentation_of_its_source() -> None:
    said = "Looks.\n\n    Args:\n        name: of it\n    "

    assert signature("f", tool({}, said)) == "/** Looks.\nArgs:\n    name: of it */\nf(): Promise<unknown>"


def test_long_descriptions_are_cut_at_a_word() -> None:
    long = {"type": "object", "properties": {"a": {"description": "word. " * 1_000}}}

    text = signature("f", tool(long, "word " * 10_000))

    assert "word... */\nf(args?: { /** word." in text
    assert "word... */ a?: unknown" in text
    assert len(text) < 5_000


def test_comments_go_first_when_a_signature_is_longer_than_the_limit() -> None:
    properties = {f"name{number}": {"type": "string", "description": "Said of it. " * 9} for number in range(5)}
    big = tool({"type": "object", "properties": properties, "required": ["name3"]}, "What it is for. " * 20)
    whole = signature("f", big)

    assert signature("f", big, len(whole)) == whole
    assert "/** Said of it. Said of it. Said of it... */ name1?: string" in signature("f", big, 700)
    assert "(args: { name0?: string; name1?: string; name2?: string; name3: s" in signature("f", big, 300)
    assert "name3: string; /* 4 more: name0, name1, name2, name4 */ [key: string]: unknown })" in signature(
        "f", big, 210
    )
    assert signature("f", big, 130).startswith("f(args: { name3: string; /* 4 more: name0")


@pytest.mark.parametrize("limit_chars", [*range(0, 60), 100, 200, 400, 1_000])
def test_limit_is_kept_and_the_cut_is_said(limit_chars: int) -> None:
    text = signature("github.create_issue", tool(ISSUE, "Creates an issue. " * 100), limit_chars)

    assert len(text) <= limit_chars
    assert text.endswith(SHORTENED[:limit_chars])


def test_ten_thousand_properties_are_cut_with_a_note() -> None:
    wide = {"type": "object", "properties": {f"property_{number}": {"type": "string"} for number in range(10_000)}}

    text = signature("f", tool(wide))

    assert re.search(r"/\* [0-9]+ more: (property_[0-9]+, ){5,9}\.\.\. \*/ \[key: string\]: unknown \}\)", text)
    assert text.endswith(SHORTENED)
    assert 15_000 < len(text) < 25_000


def test_declarations_name_each_server_once_and_share_types() -> None:
    servers = [
        ServerDeclarations("github", [("create_issue", tool(ISSUE, "Creates an issue.")), ("new", tool({}))]),
        ServerDeclarations("tree", [("plant", tool(TREE)), ("a b", tool(TREE))]),
    ]

    assert declarations(servers).splitlines() == [
        "type Node_ = { up?: Node_ };",
        "declare const github: {",
        "/** Creates an issue. */",
        "create_issue(args: { owner: string; /** Title of the issue */ title: string; labels?: string[] }): "
        "Promise<unknown>;",
        '"new"(): Promise<unknown>;',
        "};",
        "declare const tree: {",
        "plant(args?: { root?: Node_ }): Promise<unknown>;",
        '"a b"(args?: { root?: Node_ }): Promise<unknown>;',
        "};",
    ]


def test_no_servers_have_no_declarations() -> None:
    assert declarations([]) == ""
