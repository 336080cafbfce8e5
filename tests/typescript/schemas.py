"""Schemas for tests of the TypeScript: random ones, sound and broken, and those that would break a careless reader."""

import json
from typing import Any

from hypothesis import strategies as st

from switchboard_tray.catalog.model import Tool

NAMES = st.sampled_from(["a", "b", "Node", "__proto__", "constructor", "new", "a b", "", "1", "*/", "\u2028", "\ud800"])
TEXTS = st.text(max_size=20) | st.sampled_from(["*/ }", "/* ", "`${x}`", "\u2028", "\ud83d", "\\", "\x01", "\x020\x02"])
TYPES = st.sampled_from(["string", "number", "integer", "boolean", "null", "object", "array", "any", ""])
REFERENCES = st.sampled_from(
    ["#", "#/$defs/a", "#/$defs/b", "#/$defs/Node", "#/properties/a", "#/anyOf/0", "#/$defs/%2A~1", "#a", "https://x"]
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=5,
)


def _schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several, named = st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)
    keywords: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES | st.lists(TYPES, max_size=3),
        "properties": named,
        "required": st.lists(NAMES, max_size=3),
        "additionalProperties": inner,
        "patternProperties": named,
        "items": inner | several,
        "prefixItems": several,
        "additionalItems": inner,
        "anyOf": several,
        "oneOf": several,
        "allOf": several,
        "not": inner,
        "enum": st.lists(VALUES, max_size=4),
        "const": VALUES,
        "default": VALUES,
        "$ref": REFERENCES,
        "$defs": named,
        "nullable": st.booleans(),
        "deprecated": st.booleans(),
        "description": TEXTS,
        "format": TEXTS,
        "minimum": st.integers() | st.floats(),
        "maximum": st.integers() | st.floats(),
    }
    sound = st.fixed_dictionaries({}, optional=keywords)
    return sound | st.dictionaries(st.sampled_from(sorted(keywords)), VALUES | inner, max_size=3)


SCHEMAS: st.SearchStrategy[Any] = st.recursive(st.booleans() | st.just({}) | VALUES, _schemas, max_leaves=12)


def tool(schema: Any, description: str = "", output: Any = None) -> Tool:
    """A tool that takes `schema` and gives `output`, as it would stand in a list."""
    definition = {"name": "tool", "inputSchema": schema}
    definition |= {"description": description} if description else {}
    definition |= {} if output is None else {"outputSchema": output}
    return Tool("tool", json.dumps(definition).encode())


def deep(levels: int, keyword: str) -> Any:
    """A schema in a schema in a schema, each under `keyword`."""
    schema: Any = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "array", keyword: [schema] if keyword.endswith("Of") else schema}
    return schema


def doubling(steps: int) -> Any:
    """Definitions of which each names the one before twice: written out, 2**steps properties."""
    twice = {"type": "object", "required": ["x", "y"]}
    definitions: dict[str, Any] = {"d0": {"type": "string"}}
    for step in range(1, steps):
        before = {"$ref": f"#/$defs/d{step - 1}"}
        definitions[f"d{step}"] = {**twice, "properties": {"x": before, "y": before}}
    return {"type": "object", "properties": {"a": {"$ref": f"#/$defs/d{steps - 1}"}}, "$defs": definitions}
