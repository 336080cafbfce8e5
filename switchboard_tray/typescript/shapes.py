"""What results look like, as a JSON Schema learnt from them: kinds and names of fields, never a value. Pure.

Objects whose keys are data (ids, paths, people) are maps: their keys are not kept.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

DEPTH = 6
FIELDS = 40
ITEMS = 50
KINDS = 4
_FIELD = re.compile(r"[A-Za-z_$][A-Za-z_$]*(?:\d{1,2}[A-Za-z_$]*)?\Z")
_FIELD_CHARS = 40

Shape = Mapping[str, Any]
"""A JSON Schema of few keywords: type, properties, required, additionalProperties, items, anyOf."""
ANYTHING: Shape = {}


def observe(value: Any, depth: int = 0) -> Shape:
    """The shape of one JSON value."""
    match value:
        case None:
            return {"type": "null"}
        case bool():
            return {"type": "boolean"}
        case int() | float():
            return {"type": "number"}
        case str():
            return {"type": "string"}
        case _ if depth >= DEPTH:
            return ANYTHING
        case list():
            return {"type": "array", "items": _merged([observe(one, depth + 1) for one in value[:ITEMS]])}
        case dict():
            return _of_object(value, depth)
    return ANYTHING


def merge(one: Shape | None, other: Shape | None) -> Shape | None:
    """The shape of values that have either; None stands for values that were never seen."""
    if one is None or other is None:
        return other if one is None else one
    if one == other:
        return one
    if not one or not other:
        return ANYTHING
    kinds: dict[str, Shape] = {}
    for shape in (*_kinds_of(one), *_kinds_of(other)):
        kind = shape["type"]
        kinds[kind] = _same_kind(kinds[kind], shape) if kind in kinds else shape
    if len(kinds) > KINDS:
        return ANYTHING
    return next(iter(kinds.values())) if len(kinds) == 1 else {"anyOf": [kinds[kind] for kind in sorted(kinds)]}


def _merged(shapes: Sequence[Shape]) -> Shape:
    found: Shape | None = None
    for shape in shapes:
        found = merge(found, shape)
    return ANYTHING if found is None else found


def _of_object(value: Mapping[str, Any], depth: int) -> Shape:
    fields = {key: observe(one, depth + 1) for key, one in value.items()}
    if _is_map(fields):
        return {"type": "object", "additionalProperties": _merged(list(fields.values()))}
    return {"type": "object", "properties": fields, "required": sorted(fields)}


def _is_map(fields: Mapping[str, Shape]) -> bool:
    """Whether the keys are data: no names of fields, too many, or all of objects that look the same."""
    if len(fields) > FIELDS or not all(len(key) <= _FIELD_CHARS and _FIELD.match(key) for key in fields):
        return True
    shapes = list(fields.values())
    is_alike = len(shapes) > 1 and all(shape == shapes[0] for shape in shapes)
    return is_alike and bool(shapes[0].get("properties"))


def _kinds_of(shape: Shape) -> Sequence[Shape]:
    alternatives: Sequence[Shape] = shape.get("anyOf", (shape,))
    return alternatives


def _same_kind(one: Shape, other: Shape) -> Shape:
    match one["type"]:
        case "array":
            return {"type": "array", "items": _merged_items(one["items"], other["items"])}
        case "object":
            return _same_object(one, other)
    return one


def _merged_items(one: Shape, other: Shape) -> Shape:
    # No items were ever seen in an empty array.
    return merge(one or None, other or None) or ANYTHING


def _same_object(one: Shape, other: Shape) -> Shape:
    if "properties" not in one or "properties" not in other:
        every = [part for shape in (one, other) for part in _parts_of(shape)]
        return {"type": "object", "additionalProperties": _merged(every)}
    mine, theirs = one["properties"], other["properties"]
    fields = {key: merge(mine.get(key), theirs.get(key)) or ANYTHING for key in {**mine, **theirs}}
    is_disjoint = bool(mine) and bool(theirs) and not mine.keys() & theirs.keys()
    if len(fields) > FIELDS or (is_disjoint and _is_alike(fields)):
        return {"type": "object", "additionalProperties": _merged(list(fields.values()))}
    return {"type": "object", "properties": fields, "required": sorted({*one["required"]} & {*other["required"]})}


def _is_alike(fields: Mapping[str, Shape]) -> bool:
    shapes = list(fields.values())
    return all(shape == shapes[0] for shape in shapes)


def _parts_of(shape: Shape) -> Sequence[Shape]:
    if "properties" in shape:
        return list(shape["properties"].values())
    return [shape.get("additionalProperties", ANYTHING)]
