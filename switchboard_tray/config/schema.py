"""JSON Schema of config.json, for editors and forms; made from `config.keys`, as the checks are. Pure.

Says what holds for one value by itself. That names exist and entries do not contradict each other is said by
`config.parse` alone, which refuses all that this schema refuses.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, assert_never

from switchboard_tray.config.keys import (
    NEW_NAMES,
    PROFILE,
    RESERVED,
    ROOT,
    SERVER,
    Choice,
    ExactTool,
    Flag,
    Key,
    Kind,
    ListOf,
    MapOf,
    Name,
    NewName,
    Number,
    Table,
    Text,
    ToolPattern,
    Url,
)

_DEFS: Mapping[str, Table] = {"server": SERVER, "profile": PROFILE}
_ONE_WAY = {"oneOf": [{"required": [way]} for way in ("command", "url", "builtin")]}
# Settings give these to profiles that say nothing, so the model's own default would be misleading.
_INHERITED = ("surface", "autoThreshold", "autoAbove")


def config_schema() -> dict[str, Any]:
    """The schema (2020-12) of a config of the current version. Unknown keys are allowed: they are kept and warned."""
    definitions = {name: _table(table) for name, table in _DEFS.items()}
    definitions["server"] |= _ONE_WAY
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Switchboard config",
        **_table(ROOT),
        "$defs": definitions,
    }


def key_default(table: Table, key: Key) -> object:
    """The value in force where `key` is absent, as JSON; None where there is none or it depends on other keys."""
    if table.model is None or (table is PROFILE and key.name in _INHERITED):
        return None
    default: object = None
    for slot in fields(table.model):
        if slot.name == key.field:
            default = slot.default if slot.default is not MISSING else None
    if isinstance(default, tuple):
        return list(default)
    return default if isinstance(default, str | int | float) else None


def _schema(kind: Kind) -> dict[str, Any]:
    match kind:
        case Table():
            name = next((name for name, table in _DEFS.items() if table is kind), None)
            return {"$ref": f"#/$defs/{name}"} if name else _table(kind)
        case MapOf():
            return {"type": "object", "propertyNames": _schema(kind.key), "additionalProperties": _schema(kind.item)}
        case ListOf():
            return {"type": "array", "items": _schema(kind.item)}
        case Number():
            return _number(kind)
        case Flag():
            return {"type": "boolean"}
        case Choice():
            return {"enum": list(kind.spellings)}
        case Text():
            return {"type": "string", "pattern": kind.pattern} if kind.pattern else {"type": "string"}
        case NewName():
            rule = {"type": "string", "pattern": NEW_NAMES[kind.of].pattern}
            reserved = sorted(RESERVED[kind.of])
            return {**rule, "not": {"enum": reserved}} if reserved else rule
        case Name():
            return {"type": "string"}
        case Url():
            return {"type": "string", "pattern": r"^([Hh][Tt][Tt][Pp][Ss]?://|\$\{)"}
        case ToolPattern():
            return {"type": "string", "pattern": r"^[^.]+\.[\s\S]+$"}
        case ExactTool():
            return {"type": "string", "pattern": r"^[^.*]+\.[^*]+$"}
        case _:
            assert_never(kind)


def _table(table: Table) -> dict[str, Any]:
    properties = {}
    for key in table.keys:
        schema = _schema(key.kind)
        if key.may_be_null:
            schema = {"anyOf": [schema, {"type": "null"}]}
        default = key_default(table, key)
        properties[key.name] = schema | {"description": key.about} | ({} if default is None else {"default": default})
    required = [key.name for key in table.keys if key.is_required]
    return {"type": "object", "properties": properties} | ({"required": required} if required else {})


def _number(kind: Number) -> dict[str, Any]:
    bounds = {"minimum": kind.minimum, "exclusiveMinimum": kind.above, "maximum": kind.maximum}
    stated = {name: bound for name, bound in bounds.items() if bound is not None}
    return {"type": "integer" if kind.is_whole else "number", **stated}
