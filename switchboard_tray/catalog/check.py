"""Each tool of a list, checked by itself: accepted, repaired where safe, else quarantined with its reason. Pure.

Strict clients refuse a whole list for one tool they do not understand, so no tool reaches a list unchecked.

Source: docs/servers.md, "Tool lists".
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.model import Quarantined, Tool
from switchboard_tray.protocol.messages import dumps, read_text
from switchboard_tray.protocol.spans import members

NAME_CHARS = 256
OBJECT_TYPE = Raw(b'"object"')
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")


class _Unfit(Exception):
    """Why a tool cannot be offered."""


def check_tools(definitions: Iterable[bytes | Raw]) -> tuple[tuple[Tool, ...], tuple[Quarantined, ...]]:
    """The usable tools of a list, in its order, and the others with the reason for each."""
    tools: dict[str, Tool] = {}
    unfit: list[Quarantined] = []
    for definition in definitions:
        checked = check_tool(definition)
        if isinstance(checked, Quarantined):
            unfit.append(checked)
        elif checked.name in tools:
            unfit.append(Quarantined(checked.name, "another tool of this server has the same name"))
        else:
            tools[checked.name] = checked
    return tuple(tools.values()), tuple(unfit)


def check_tool(definition: bytes | Raw) -> Tool | Quarantined:
    """One tool of a list, with what had to be repaired; or what stands against offering it."""
    try:
        parts = members(definition)
    except msgspec.MsgspecError:
        return Quarantined("(unnamed)", "the definition is not a JSON object")
    name = read_text(parts.get("name"))
    if not name or len(name) > NAME_CHARS:
        reason = f"the name must be a string of 1 to {NAME_CHARS} characters"
        return Quarantined((name or "(unnamed)")[:NAME_CHARS], reason)
    repairs: list[str] = []
    try:
        repaired = _repaired(parts, repairs)
    except _Unfit as fault:
        return Quarantined(name, str(fault))
    return Tool(name, dumps(repaired) if repairs else bytes(definition), tuple(repairs))


def _repaired(parts: dict[str, Raw], repairs: list[str]) -> dict[str, Raw]:
    parts = _without_nulls(parts, "", repairs)
    if "description" in parts and read_text(parts["description"]) is None:
        raise _Unfit("the description is not a string")
    parts["inputSchema"] = _input_schema(parts.get("inputSchema"), repairs)
    if "outputSchema" in parts:
        schema = _output_schema(parts["outputSchema"], repairs)
        parts = {**parts, "outputSchema": schema} if schema else _without(parts, "outputSchema")
    for key, is_fit in _DECORATIONS.items():
        if key in parts and not is_fit(_plain(parts[key])):
            repairs.append(f"{key} dropped: not of the form the protocol gives it")
            parts = _without(parts, key)
    return parts


def _input_schema(raw: Raw | None, repairs: list[str]) -> Raw:
    if raw is None:
        repairs.append("inputSchema added: the tool had none")
        return Raw(b'{"type":"object"}')
    schema = _object(raw)
    if schema is None:
        raise _Unfit("inputSchema is not a JSON object")
    return _object_schema(raw, schema, "inputSchema", repairs)


def _output_schema(raw: Raw, repairs: list[str]) -> Raw | None:
    schema = _object(raw)
    try:
        return None if schema is None else _object_schema(raw, schema, "outputSchema", repairs)
    except _Unfit:
        return None
    finally:
        if schema is None or not _allows_object(schema):
            repairs.append("outputSchema dropped: it does not describe an object")


def _object_schema(raw: Raw, schema: dict[str, Raw], where: str, repairs: list[str]) -> Raw:
    """The schema with what strict clients want of it: ``type: object``, properties that are objects, no nulls."""
    if not _allows_object(schema):
        raise _Unfit(f'{where} has a type other than "object"')
    before = len(repairs)
    schema = _without_nulls(schema, f"{where}.", repairs)
    if _plain(schema.get("type")) != "object":
        repairs.append(f"{where}: type object added")
        schema = {"type": OBJECT_TYPE, **_without(schema, "type")}
    if "properties" in schema and (properties := _properties(schema["properties"], where, repairs)) is not None:
        schema["properties"] = properties
    if "required" in schema and not _is_list_of_text(_plain(schema["required"])):
        repairs.append(f"{where}.required dropped: not a list of names")
        schema = _without(schema, "required")
    return raw if len(repairs) == before else Raw(dumps(schema))


def _properties(raw: Raw, where: str, repairs: list[str]) -> Raw | None:
    properties = _object(raw)
    if properties is None:
        raise _Unfit(f"{where}.properties is not a JSON object")
    changed = False
    for key, value in properties.items():
        if _object(value) is None:
            plain = _plain(value)
            if not isinstance(plain, bool):
                raise _Unfit(f"{where}.properties.{key} is not a schema")
            # `true` and `false` are schemas, but strict clients know only the object form.
            properties[key] = Raw(b"{}" if plain else b'{"not":{}}')
            repairs.append(f"{where}.properties.{key}: written as an object")
            changed = True
    return Raw(dumps(properties)) if changed else None


def _allows_object(schema: dict[str, Raw]) -> bool:
    kind = _plain(schema.get("type"))
    return kind in (None, "object") or (isinstance(kind, list) and "object" in kind)


def _without_nulls(parts: dict[str, Raw], where: str, repairs: list[str]) -> dict[str, Raw]:
    nulls = [key for key, value in parts.items() if bytes(value) == b"null"]
    repairs.extend(f"{where}{key} dropped: it was null" for key in nulls)
    return {key: value for key, value in parts.items() if key not in nulls}


def _without(parts: dict[str, Raw], key: str) -> dict[str, Raw]:
    return {other: value for other, value in parts.items() if other != key}


def _object(raw: Raw) -> dict[str, Raw] | None:
    try:
        return members(raw)
    except msgspec.MsgspecError:
        return None


def _plain(raw: Raw | None) -> Any:
    """The value in `raw`; None also where msgspec cannot read it."""
    try:
        return None if raw is None else msgspec.json.decode(raw)
    except msgspec.DecodeError:
        return None


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_annotations(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("title", ""), str):
        return False
    return all(isinstance(value.get(hint, False), bool) for hint in _HINTS)


def _is_icons(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and isinstance(one.get("src"), str) for one in value)


_DECORATIONS: dict[str, Callable[[Any], bool]] = {
    "title": lambda value: isinstance(value, str),
    "annotations": _is_annotations,
    "icons": _is_icons,
    "_meta": lambda value: isinstance(value, dict),
    # Tasks are not relayed: a client that believed in them would wait for one.
    "execution": lambda value: isinstance(value, dict) and "taskSupport" not in value,
}
"""Members a tool can do without, and what each must look like to be passed on."""
