"""What a model gave as arguments, read kindly; and what is wrong with them, said so that it can mend them. Pure."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.model import Tool
from switchboard_tray.protocol.messages import dumps, read_text
from switchboard_tray.protocol.spans import members

_KINDS: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "integer": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}
SHOWN_CHARS = 60
SHOWN_CHOICES = 20


def read_arguments(given: Mapping[str, Raw], others: frozenset[str]) -> Raw | None:
    """The tool's arguments in the arguments of ours: under ``arguments``, as JSON text, or beside our own names.

    None where what stands under ``arguments`` is no object.
    """
    raw = given.get("arguments")
    if raw is None or bytes(raw) == b"null":
        return Raw(dumps({key: value for key, value in given.items() if key not in others}))
    text = read_text(raw)
    if text is not None:
        raw = Raw((text.strip() or "{}").encode())
    try:
        members(raw)
    except msgspec.MsgspecError:
        return None
    return raw


def find_faults(tool: Tool, arguments: Raw) -> list[str]:
    """What stands against calling `tool` so: a required argument that is missing, a wrong type, a value not in an enum.

    Nothing else is checked, and nothing where the schema itself is not sound.
    """
    schema = tool.definition["inputSchema"]
    # That these are an object and a list of names, `catalog.check` has seen to.
    properties, required = schema.get("properties", {}), schema.get("required", [])
    try:
        given: dict[str, Any] = msgspec.json.decode(arguments)
    except (msgspec.MsgspecError, RecursionError):
        return []
    missing = [name for name in required if name not in given]
    return [*(f"{name}: it is required and missing" for name in missing), *_value_faults(given, properties)]


def _value_faults(given: Mapping[str, Any], properties: Mapping[str, Any]) -> Iterator[str]:
    for name, value in given.items():
        schema = properties.get(name)
        if not isinstance(schema, dict):
            continue
        kinds = _kinds(schema.get("type"))
        if kinds and not any(_is_of(value, kind) for kind in kinds):
            yield f"{name}: expected {' or '.join(kinds)}, got {_shown(value)}"
        elif isinstance(choices := schema.get("enum"), list) and value not in choices:
            listed = ", ".join(_shown(choice) for choice in choices[:SHOWN_CHOICES])
            yield f"{name}: expected one of {listed}, got {_shown(value)}"


def _kinds(declared: Any) -> list[str]:
    """The JSON types of a schema; none where it declares none, or one that does not exist."""
    kinds = [declared] if isinstance(declared, str) else declared if isinstance(declared, list) else []
    return kinds if all(isinstance(kind, str) and kind in _KINDS for kind in kinds) else []


def _is_of(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, _KINDS[kind])


def _shown(value: Any) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= SHOWN_CHARS else f"{text[:SHOWN_CHARS]}..."
