"""Tools of a list, checked one by one: accepted, repaired, or set aside with the reason."""

import json
from typing import Any

import pytest

from switchboard_tray.catalog.check import DEPTH, NAME_CHARS, check_tool, check_tools
from switchboard_tray.catalog.model import Quarantined, Tool


def definition(**members: Any) -> bytes:
    return json.dumps({"name": "t", "inputSchema": {"type": "object"}, **members}).encode()


def accepted(raw: bytes) -> Tool:
    checked = check_tool(raw)
    assert isinstance(checked, Tool), checked
    return checked


def reason(raw: bytes) -> str:
    checked = check_tool(raw)
    assert isinstance(checked, Quarantined), checked
    return checked.reason


def test_a_good_tool_stays_the_bytes_it_was() -> None:
    raw = b""" {"inputSchema" : {"type":"object","properties":{"n":{"default":1180591620717411303424,"x":-0}}},
        "name":"t", "future": [1, 2], "description": "Gr\\u00fc\\u00dfe", "name":"t"} """

    assert accepted(raw) == Tool("t", raw)


def test_one_bad_tool_never_hides_the_others() -> None:
    tools, unfit = check_tools([definition(name="a"), b'{"name":"b","inputSchema":[]}', b"null", definition(name="c")])

    assert [tool.name for tool in tools] == ["a", "c"]
    assert unfit == (
        Quarantined("b", "inputSchema is not a JSON object"),
        Quarantined("(unnamed)", "the definition is not a JSON object"),
    )


def test_of_two_tools_with_one_name_the_first_is_kept() -> None:
    tools, unfit = check_tools([definition(title="first"), definition(title="second")])

    assert [tool.definition["title"] for tool in tools] == ["first"]
    assert unfit == (Quarantined("t", "another tool of this server has the same name"),)


def test_tools_whose_names_differ_in_letter_case_are_two() -> None:
    assert len(check_tools([definition(name="Search"), definition(name="search")])[0]) == 2


@pytest.mark.parametrize("name", [None, 7, "", [], {}, "n" * (NAME_CHARS + 1)])
def test_a_tool_needs_a_name_of_reasonable_length(name: object) -> None:
    checked = check_tool(definition(name=name))

    assert isinstance(checked, Quarantined)
    assert checked.reason == f"the name must be a string of 1 to {NAME_CHARS} characters"
    assert checked.name == ("n" * NAME_CHARS if name and isinstance(name, str) else "(unnamed)")


@pytest.mark.parametrize("name", ["n" * NAME_CHARS, "issues.create", "Grüße 🙂", "__proto__", "a\nb", "\ufffd"])
def test_any_other_name_is_fine(name: str) -> None:
    assert accepted(definition(name=name)).name == name


def test_a_name_with_half_a_character_is_set_aside() -> None:
    checked = check_tool(b'{"name":"a\\ud83d","inputSchema":{"type":"object"}}')

    assert isinstance(checked, Quarantined)
    assert (checked.name, checked.reason.partition(",")[0]) == ("a\ufffd", "the name holds half of a surrogate pair")


def test_half_characters_elsewhere_are_replaced() -> None:
    tool = accepted(b'{"name":"t","description":"\\ud83d!","inputSchema":{"type":"object","\\udc00":"\\ud83d\\ude00"}}')

    assert tool.description == "\ufffd!"
    assert tool.definition["inputSchema"] == {"type": "object", "\ufffd": "😀"}
    assert tool.repairs == ("halves of surrogate pairs replaced",)


@pytest.mark.parametrize("number", ["1e400", "-1e999", "1" * 5000])
def test_a_number_that_readers_choke_on_sets_the_tool_aside(number: str) -> None:
    raw = f'{{"name":"t","inputSchema":{{"type":"object","properties":{{"n":{{"default":{number}}}}}}}}}'

    assert reason(raw.encode()).startswith("the definition cannot be read: ")


def test_a_definition_that_is_no_utf8_is_set_aside() -> None:
    raw = b'{"name":"t","description":"\xff","inputSchema":{"type":"object"}}'

    assert reason(raw).startswith("the definition cannot be read: ")


def nested(levels: int) -> bytes:
    return b'{"name":"t","inputSchema":{"type":"object"},"x":' + b"[" * (levels - 1) + b"]" * (levels - 1) + b"}"


@pytest.mark.parametrize("levels", [DEPTH + 1, 500, 900])
def test_a_definition_that_is_nested_too_deep_is_set_aside(levels: int) -> None:
    assert reason(nested(levels)) == f"the definition is nested deeper than {DEPTH} levels"


def test_a_definition_that_is_nested_beyond_reading_is_set_aside() -> None:
    assert check_tool(nested(100_000)) == Quarantined("(unnamed)", "the definition is not a JSON object")
    assert accepted(nested(DEPTH)).name == "t"


def test_null_members_are_dropped() -> None:
    tool = accepted(definition(description=None, title=None, outputSchema=None, x=None, y=[None]))

    assert tool.definition == {"name": "t", "inputSchema": {"type": "object"}, "y": [None]}
    assert tool.repairs == tuple(f"{key} dropped: it was null" for key in ("description", "title", "outputSchema", "x"))


def test_a_missing_input_schema_is_added() -> None:
    tool = accepted(b'{"name":"t"}')

    assert tool.definition == {"name": "t", "inputSchema": {"type": "object"}}
    assert tool.repairs == ("inputSchema added: the tool had none",)


@pytest.mark.parametrize("kind", [{}, {"type": None}, {"type": ["object", "null"]}])
def test_a_schema_without_the_plain_type_object_gets_it(kind: dict[str, Any]) -> None:
    tool = accepted(definition(inputSchema={**kind, "properties": {"a": {}}}))

    assert tool.definition["inputSchema"] == {"type": "object", "properties": {"a": {}}}
    assert "inputSchema: type object added" in tool.repairs


@pytest.mark.parametrize("kind", ["string", "array", ["string", "null"], 7, {}, "Object"])
def test_a_schema_of_another_type_sets_the_tool_aside(kind: object) -> None:
    assert reason(definition(inputSchema={"type": kind})) == 'inputSchema has a type other than "object"'


def test_properties_that_are_true_or_false_are_written_as_objects() -> None:
    tool = accepted(definition(inputSchema={"type": "object", "properties": {"a": True, "b": False, "c": {"x": 1}}}))

    assert tool.definition["inputSchema"]["properties"] == {"a": {}, "b": {"not": {}}, "c": {"x": 1}}
    assert len(tool.repairs) == 2


@pytest.mark.parametrize("properties", [[], "a", 7])
def test_properties_that_are_no_object_set_the_tool_aside(properties: object) -> None:
    raw = definition(inputSchema={"type": "object", "properties": properties})

    assert reason(raw) == "inputSchema.properties is not a JSON object"


@pytest.mark.parametrize("value", [None, 7, "string", ["a"]])
def test_a_property_that_is_no_schema_sets_the_tool_aside(value: object) -> None:
    raw = definition(inputSchema={"type": "object", "properties": {"a": value}})

    assert reason(raw) == "inputSchema.properties.a is not a schema"


@pytest.mark.parametrize("required", [True, "a", [1], {"a": True}])
def test_required_that_is_no_list_of_names_is_dropped(required: object) -> None:
    tool = accepted(definition(inputSchema={"type": "object", "required": required}))

    assert tool.definition["inputSchema"] == {"type": "object"}
    assert tool.repairs == ("inputSchema.required dropped: not a list of names",)


def test_a_description_that_is_no_string_sets_the_tool_aside() -> None:
    assert reason(definition(description=["a"])) == "the description is not a string"


@pytest.mark.parametrize(
    "schema", [[], "object", {"type": "array"}, {"type": "object", "properties": []}, {"properties": 7}]
)
def test_an_output_schema_that_describes_no_object_is_dropped(schema: object) -> None:
    tool = accepted(definition(outputSchema=schema))

    assert tool.definition == {"name": "t", "inputSchema": {"type": "object"}}
    assert "outputSchema dropped: it does not describe an object" in tool.repairs


def test_an_output_schema_is_repaired_like_the_input_schema() -> None:
    tool = accepted(definition(outputSchema={"properties": {"a": True}}))

    assert tool.definition["outputSchema"] == {"type": "object", "properties": {"a": {}}}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", 7),
        ("annotations", []),
        ("annotations", {"title": 7}),
        ("annotations", {"readOnlyHint": "yes"}),
        ("annotations", {"read_only_hint": 2}),
        ("icons", {}),
        ("icons", ["a.png"]),
        ("icons", [{"mimeType": "image/png"}]),
        ("icons", [{"src": "a.png", "sizes": "48x48"}]),
        ("icons", [{"src": "a.png", "theme": "pink"}]),
        ("icons", [{"src": "a.png", "mimeType": 7}]),
        ("_meta", []),
        ("meta", "x"),
        ("output_schema", 7),
        ("execution", "now"),
        ("execution", {"taskSupport": "required"}),
        ("execution", {"task_support": "optional"}),
    ],
)
def test_a_decoration_that_cannot_be_passed_on_is_dropped(key: str, value: object) -> None:
    tool = accepted(definition(**{key: value}))

    assert tool.definition == {"name": "t", "inputSchema": {"type": "object"}}
    assert tool.repairs == (f"{key} dropped: not in a form that can be passed on",)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("title", ""),
        ("annotations", {"title": "T", "readOnlyHint": True, "more": [1]}),
        ("icons", []),
        ("icons", [{"src": "data:", "mimeType": "image/png", "sizes": ["any"], "theme": "dark", "more": 1}]),
        ("_meta", {"a": None}),
        ("execution", {"taskSupport": "forbidden"}),
        ("x-unknown", {"a": None}),
    ],
)
def test_a_decoration_of_the_right_form_stays(key: str, value: object) -> None:
    raw = definition(**{key: value})

    assert accepted(raw) == Tool("t", raw)


def test_nulls_in_annotations_are_dropped_and_the_hints_stay() -> None:
    tool = accepted(definition(annotations={"title": None, "readOnlyHint": True}))

    assert tool.definition["annotations"] == {"readOnlyHint": True}
    assert tool.repairs == ("annotations.title dropped: it was null",)
