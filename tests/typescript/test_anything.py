"""What no schema can do: raise, grow without bound, leave its place in the text."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.typescript.aliases import Aliases
from switchboard_tray.typescript.render import SHORTENED, signature
from switchboard_tray.typescript.types import FULL_CHARS, Detail, draft_type
from tests.typescript.schemas import SCHEMAS, TEXTS, deep, doubling, tool

TOKENS = re.compile(r'/\*.*?\*/|"(?:[^"\\]|\\.)*"|[\[\](){}]', re.DOTALL)
DETAILS = st.builds(Detail, st.integers(0, 300), st.integers(0, 50), st.booleans()) | st.just(Detail())


def written(schema: Any, detail: Detail = Detail()) -> str:  # noqa: B008  frozen
    aliases = Aliases()
    return "\n".join([aliases.settle(draft_type(schema, detail)), *aliases.lines()])


def is_balanced(text: str) -> bool:
    closing = {"{": "}", "[": "]", "(": ")"}
    expected: list[str] = []
    for token in TOKENS.findall(text):
        if token in closing:
            expected.append(closing[token])
        elif len(token) == 1 and (not expected or expected.pop() != token):
            return False
    return not expected and '"' not in TOKENS.sub("", text)


@given(SCHEMAS, DETAILS)
def test_any_schema_is_a_balanced_text_of_characters_that_can_be_seen(schema: Any, detail: Detail) -> None:
    text = written(schema, detail)

    assert is_balanced(text), text
    assert all(character.isprintable() for character in TOKENS.sub("", text).replace("\n", ""))
    text.encode()


@given(SCHEMAS, TEXTS, st.integers(0, 400))
def test_any_tool_has_a_signature_within_its_limit(schema: Any, description: str, limit_chars: int) -> None:
    whole, text = signature("f", tool(schema, description)), signature("f", tool(schema, description), limit_chars)

    assert len(text) <= limit_chars
    assert text == whole or text.endswith(SHORTENED[:limit_chars])


@pytest.mark.parametrize(
    "schema",
    [
        deep(100_000, "items"),
        deep(100_000, "anyOf"),
        deep(100_000, "allOf"),
        doubling(50),
        doubling(5_000),
        {"allOf": [{"type": "object", "properties": {str(number): {}}} for number in range(100_000)]},
        {"anyOf": [{"const": number} for number in range(100_000)]},
        {"enum": [f"value {number}" for number in range(100_000)]},
        {"prefixItems": [{"type": "string"}] * 100_000},
        {"patternProperties": {str(number): {"const": number} for number in range(100_000)}},
        {"properties": {f"p{number}" * 100: {} for number in range(1_000)}},
        {"properties": {"a": {"description": "long " * 1_000_000, "format": "f" * 1_000_000}}},
        {"required": [str(number) for number in range(100_000)]},
        {"properties": {f"p{number}": {"$ref": f"#/properties/p{number + 1}"} for number in range(1_000)}},
        {"properties": {f"p{number}": {"items": {"$ref": "#"}} for number in range(10_000)}},
        {"$ref": "#" + "/anyOf/0" * 100_000, "anyOf": [True]},
    ],
)
def test_hostile_schema_has_a_type_of_bounded_size(schema: Any) -> None:
    assert len(written(schema)) < 3 * FULL_CHARS
