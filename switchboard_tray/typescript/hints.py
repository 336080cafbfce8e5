"""What is said about a property in its comment: its description, and what its type cannot say. Pure."""

import json
from collections.abc import Callable
from typing import Any

_DEFAULT_CHARS = 60
_LOOKED_AT_CHARS = 2_000
_WORDS = ("format", "contentEncoding", "contentMediaType")


def remark(schema: Any, follow: Callable[[object], Any]) -> str:
    """The description with hints behind it: ``Page size (1..100, default 30)``.

    Where the schema itself has none, what the schema that it refers to or consists of says counts. `follow` gives the
    target of a reference.
    """
    if not isinstance(schema, dict):
        return ""
    layers = [schema, *_inner(schema, follow)]
    said = next((text for layer in layers if (text := _text(layer, "description"))), "")
    hints = ", ".join(_hints(layers, said))
    if not said:
        return hints
    return f"{said.rstrip()} ({hints})" if hints else said


def _inner(schema: dict[str, Any], follow: Callable[[object], Any]) -> list[dict[str, Any]]:
    """The schema that this one is but for null or its list, where there is just one."""
    found: list[Any] = [follow(schema["$ref"])] if "$ref" in schema else []
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(members := schema.get(key), list) and len(members) <= 2:
            found += [one for one in members if isinstance(one, dict) and one.get("type") != "null"]
    if len(found) == 1 and isinstance(found[0], dict) and "$ref" in found[0]:
        found.append(follow(found[0]["$ref"]))
    if not found and isinstance(schema.get("items"), dict):
        found = [{key: schema["items"].get(key) for key in _WORDS}]
    return [one for one in found if isinstance(one, dict)]


def _hints(layers: list[dict[str, Any]], said: str) -> list[str]:
    found = []
    if layers[0].get("deprecated") is True:
        found.append("deprecated")
    found += next(([word] for layer in layers for key in _WORDS if (word := _text(layer, key))), [])
    found += next(([span] for layer in layers if (span := _span(layer))), [])
    for layer in layers:
        # A default of null says that the property may be left out, which its type says already.
        if layer.get("default") is not None and (value := _json(layer["default"])):
            is_said = "default" in said.casefold() and value.strip('"') in said
            return found if is_said else [*found, f"default {value}"]
    return found


def _span(schema: dict[str, Any]) -> str:
    least, most = _number(schema.get("minimum")), _number(schema.get("maximum"))
    if least and most:
        return f"{least}..{most}"
    return f">= {least}" if least else f"<= {most}" if most else ""


def _number(value: Any) -> str:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    # Bounds of the machine, such as 2**53 - 1, are nobody's choice.
    return f"{value:g}" if is_number and abs(value) < 1e9 else ""


def _text(schema: dict[str, Any], key: str) -> str:
    value = schema.get(key)
    return value[:_LOOKED_AT_CHARS].strip() if isinstance(value, str) else ""


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError):
        return ""
    return text if len(text) <= _DEFAULT_CHARS else ""
