"""Each tool of a list, checked by itself: accepted, repaired where safe, else quarantined with its reason. Pure.

Strict clients refuse a whole list for one tool they do not understand, so no tool reaches a list unchecked.

Source: docs/servers.md, "Tool lists".
"""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.model import Named, Quarantined, Tool
from switchboard_tray.protocol.messages import dumps, read_text
from switchboard_tray.protocol.spans import members, without_lone_surrogates

NAME_CHARS = 256
DEPTH = 100
"""Levels of nesting; some clients' JSON readers end at 128, for the whole list."""
OBJECT_TYPE = Raw(b'"object"')
_HINTS = ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
# The official Python SDK reads its own spelling of each key too, and refuses a whole list for one that does not fit.
_SDK_HINTS = ("read_only_hint", "destructive_hint", "idempotent_hint", "open_world_hint")


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


def check_named(definitions: Iterable[bytes | Raw], key: str) -> tuple[Named, ...]:
    """The usable prompts or resources of a list: objects with the member `key` as a string, one for each value of it.

    Members that are null are dropped, as strict clients want it.
    """
    found: dict[str, Named] = {}
    for definition in definitions:
        repairs: list[str] = []
        try:
            readable = _readable(definition, repairs)
            parts = _without_nulls(members(readable), "", repairs)
        except (_Unfit, msgspec.ValidationError):
            continue
        name = read_text(parts.get(key))
        if not name or name in found:
            continue
        # A resource has a name besides its URI, which strict clients insist on.
        if read_text(parts.get("name")) is None:
            parts["name"] = Raw(dumps(name))
            repairs.append("name added")
        found[name] = Named(name, dumps(parts) if repairs else readable)
    return tuple(found.values())


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
        readable = _readable(definition, repairs)
        readable_parts = members(readable)
        if bytes(readable_parts["name"]) != bytes(parts["name"]):
            raise _Unfit("the name holds half of a surrogate pair, so that nobody could call it")
        repaired = _repaired(readable_parts, repairs)
    except _Unfit as fault:
        return Quarantined(name, str(fault))
    return Tool(name, dumps(repaired) if repairs else readable, tuple(repairs))


def _readable(definition: bytes | Raw, repairs: list[str]) -> bytes:
    """The definition as every client can read it: no half characters, no number that overflows, no great depth."""
    data = bytes(definition)
    try:
        try:
            value = msgspec.json.decode(data)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            data = without_lone_surrogates(data)
            repairs.append("halves of surrogate pairs replaced")
            value = msgspec.json.decode(data)
    except (msgspec.DecodeError, RecursionError) as exc:
        raise _Unfit(f"the definition cannot be read: {exc}") from exc
    if _is_deeper(value, DEPTH):
        raise _Unfit(f"the definition is nested deeper than {DEPTH} levels")
    return data


def _is_deeper(value: Any, levels: int) -> bool:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return inner is not None and (levels == 0 or any(_is_deeper(item, levels - 1) for item in inner))


def _repaired(parts: dict[str, Raw], repairs: list[str]) -> dict[str, Raw]:
    parts = _without_nulls(parts, "", repairs)
    if "description" in parts and read_text(parts["description"]) is None:
        raise _Unfit("the description is not a string")
    parts["inputSchema"] = _input_schema(parts.get("inputSchema"), repairs)
    if "outputSchema" in parts:
        schema = _output_schema(parts["outputSchema"], repairs)
        parts = {**parts, "outputSchema": schema} if schema else _without(parts, "outputSchema")
    if "annotations" in parts and (annotations := _object(parts["annotations"])) is not None:
        parts["annotations"] = Raw(dumps(_without_nulls(annotations, "annotations.", repairs)))
    for key, is_fit in _DECORATIONS.items():
        if key in parts and not is_fit(_plain(parts[key])):
            repairs.append(f"{key} dropped: not in a form that can be passed on")
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
        if schema is not None:
            return _object_schema(raw, schema, "outputSchema", repairs)
    except _Unfit:
        pass
    repairs.append("outputSchema dropped: it does not describe an object")
    return None


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
    kept = {key: value for key, value in parts.items() if bytes(value) != b"null"}
    repairs.extend(f"{where}{key} dropped: it was null" for key in parts if key not in kept)
    return kept


def _without(parts: dict[str, Raw], key: str) -> dict[str, Raw]:
    return {other: value for other, value in parts.items() if other != key}


def _object(raw: Raw) -> dict[str, Raw] | None:
    try:
        return members(raw)
    except msgspec.MsgspecError:
        return None


def _plain(raw: Raw | None) -> Any:
    return None if raw is None else msgspec.json.decode(raw)


def _is_list_of_text(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _is_annotations(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("title", ""), str):
        return False
    return all(isinstance(value.get(hint, False), bool) for hint in (*_HINTS, *_SDK_HINTS))


def _is_icons(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, dict) and _is_icon(one) for one in value)


def _is_icon(value: dict[str, Any]) -> bool:
    texts = (value.get("src"), value.get("mimeType", ""), value.get("mime_type", ""))
    has_theme = value.get("theme", "light") in ("light", "dark")
    return all(isinstance(text, str) for text in texts) and has_theme and _is_list_of_text(value.get("sizes", []))


def _is_execution(value: Any) -> bool:
    # Tasks are not relayed: a client that believed in them would wait for one.
    spellings = ("taskSupport", "task_support")
    return isinstance(value, dict) and all(value.get(key, "forbidden") == "forbidden" for key in spellings)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


_DECORATIONS: dict[str, Callable[[Any], bool]] = {
    "title": lambda value: isinstance(value, str),
    "annotations": _is_annotations,
    "icons": _is_icons,
    "_meta": _is_object,
    "execution": _is_execution,
    "meta": _is_object,
    "output_schema": _is_object,
}
"""Members a tool can do without, and what each must look like to be passed on."""
