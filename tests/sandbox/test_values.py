"""Tool results as the values that a script gets."""

import base64
import json
from typing import Any

import pytest

from switchboard_tray.sandbox.model import ToolFailed
from switchboard_tray.sandbox.values import VALUE_BYTES, Notes, to_value


def value(result: str) -> bytes:
    return to_value("s.t", result.encode(), Notes())


def of_blocks(*blocks: dict[str, Any]) -> Any:
    return json.loads(value(json.dumps({"content": list(blocks)})))


def test_structured_content_is_taken_as_it_is_whatever_else_there_is() -> None:
    raw = '{"content":[{"type":"text","text":"x"}],"structuredContent":{"n":1180591620717411303424,"f":1.50}}'

    assert value(raw) == b'{"n":1180591620717411303424,"f":1.50}'
    assert value('{"content":[],"structuredContent":null}') == b"null"
    assert value('{"content":[],"structuredContent":[1]}') == b"[1]"


@pytest.mark.parametrize(
    ("text", "got"),
    [
        ('{"a": 1}', b'{"a": 1}'),
        (" [1]\n", b"[1]"),
        ("12345678901234567890", b"12345678901234567890"),
        ("null", b"null"),
        ("two words", b'"two words"'),
        ("{a: 1}", b'"{a: 1}"'),
        ("1 2", b'"1 2"'),
        ("", b'""'),
        ("NaN", b'"NaN"'),
    ],
)
def test_one_text_is_its_json_value_or_the_string(text: str, got: bytes) -> None:
    assert value(json.dumps({"content": [{"type": "text", "text": text}]})) == got


def test_text_with_half_a_character_stays_as_it_was_escaped() -> None:
    assert value('{"content":[{"type":"text","text":"x \\ud83d"}]}') == b'"x \\ud83d"'


def test_several_blocks_are_an_array_in_order_and_none_are_null() -> None:
    assert of_blocks({"type": "text", "text": "a"}, {"type": "text", "text": "[1]"}) == ["a", [1]]
    assert of_blocks() is None
    assert value("{}") == value('{"content":5}') == value("[]") == b"null"


def test_bytes_become_notes_that_are_counted_through_the_run() -> None:
    data = base64.b64encode(b"x" * 68).decode()
    notes = Notes()
    image = {"type": "image", "data": data, "mimeType": "image/png"}
    blob = {"type": "resource", "resource": {"uri": "x://1", "blob": data}}
    first = to_value("s.t", json.dumps({"content": [image]}).encode(), notes)
    other = to_value("s.t", json.dumps({"content": [{**image, "type": "audio"}, blob]}).encode(), notes)

    assert json.loads(first) == "[image image/png 68 bytes #1]"
    assert json.loads(other) == ["[audio image/png 68 bytes #2]", "[resource 68 bytes #3]"]
    assert [json.loads(bytes(block))["type"] for block in notes.named_in(f"{first!r} [resource 68 bytes #3]")] == [
        "image",
        "resource",
    ]


def test_text_resource_is_its_text_and_other_blocks_are_given_whole() -> None:
    assert of_blocks({"type": "resource", "resource": {"uri": "x://1", "text": '{"a":1}'}}) == {"a": 1}
    assert of_blocks({"type": "resource", "resource": {"uri": "x://1"}}) is None
    link = {"type": "resource_link", "uri": "x://1", "name": "n"}
    assert of_blocks(link) == link


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ('{"content":[{"type":"text","text":"no"},{"type":"text","text":"luck"}],"isError":true}', "s.t: no\nluck"),
        ('{"content":[],"structuredContent":{"code":5},"isError":true}', 's.t: {"code":5}'),
        ('{"content":[],"isError":true}', "s.t: the tool failed and did not say why"),
    ],
)
def test_error_is_thrown_with_the_tools_name_and_its_words(result: str, message: str) -> None:
    with pytest.raises(ToolFailed) as failed:
        value(result)
    assert str(failed.value) == message


def test_answer_that_no_script_can_hold_is_refused() -> None:
    with pytest.raises(ToolFailed, match="more than the"):
        value(json.dumps({"content": [{"type": "text", "text": "x" * VALUE_BYTES}]}))
