"""A JSON Schema as a TypeScript type, in bounded time and size whatever the schema holds. Pure.

References stay marks in the text, since only the whole shows which need a name: `aliases` settles them.
What a type cannot say is left out: formats, bounds and defaults stand in comments, conditions nowhere.
"""

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from switchboard_tray.typescript.hints import remark
from switchboard_tray.typescript.text import comment, listed, literal, property_name

ANYTHING = "unknown"
ANY_OBJECT = "Record<string, unknown>"
FULL_CHARS = 20_000
DEPTH = 24
REFERENCES = 100
NAME_CHARS = 200
LISTED_CHARS = 100
_ALTERNATIVES = 1_000
"""How many alternatives an intersection of unions may come to; the compiler refuses far more."""
_NODE_CHARS = 4

Alternatives = list[str]
"""The members of a union: each can stand before ``[]`` and beside ``&`` without parentheses."""


@dataclass(frozen=True, slots=True)
class Detail:
    """How much of a schema is written."""

    size_chars: int = FULL_CHARS
    """About where it is cut."""
    comment_chars: int = 500
    """Of what is said about one property; 0: no comments."""
    has_optional: bool = True
    """Whether properties that may be left out are named."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A type with marks for references, and what each mark stands for."""

    text: str
    bodies: Mapping[int, str] = field(default_factory=dict)
    pointers: Mapping[int, str] = field(default_factory=dict)
    is_shortened: bool = False


def mark(number: int, *, is_bare: bool) -> str:
    """Stands for a reference in a text; `is_bare` where nothing but unions lie between the text's type and it."""
    # Characters that `text` lets no schema bring in.
    return f"\x01{number}\x01" if is_bare else f"\x02{number}\x02"


def draft_type(schema: Any, detail: Detail) -> Draft:
    """The type of values that fit `schema`; whatever is broken or too deep in it is `unknown`."""
    return _Drafting(schema, detail).draft()


def pointed(root: Any, reference: object) -> tuple[str, Any] | None:
    """The pointer in a reference such as ``#/$defs/Node`` and the schema there; None where there is none."""
    if not isinstance(reference, str) or not reference.startswith("#"):
        return None
    pointer, found = unquote(reference[1:], errors="replace"), root
    if pointer and not pointer.startswith("/"):
        return None
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(found, dict) and key in found:
            found = found[key]
        elif isinstance(found, list) and key.isascii() and key.isdecimal() and len(key) < 6 and int(key) < len(found):
            found = found[int(key)]
        else:
            return None
    return pointer, found


def union(alternatives: Alternatives) -> str:
    """The alternatives as one type."""
    kept = list(dict.fromkeys(alternatives))
    if ANYTHING in kept:
        return ANYTHING
    # Absence is what a reader looks for last.
    kept.sort(key=lambda one: one == "null")
    return " | ".join(one for one in kept if one != "never") or "never"


class _Drafting:
    def __init__(self, root: Any, detail: Detail) -> None:
        self._root, self._detail = root, detail
        self._left = detail.size_chars
        self._numbers: dict[str, int] = {}
        self._waiting: deque[tuple[int, Any]] = deque()
        self._is_shortened = False

    def draft(self) -> Draft:
        text = union(self._alternatives(self._root, 0, False))
        bodies = {}
        while self._waiting:
            number, schema = self._waiting.popleft()
            bodies[number] = union(self._alternatives(schema, 0, True))
        pointers = {number: pointer for pointer, number in self._numbers.items()}
        return Draft(text, bodies, pointers, self._is_shortened)

    def _alternatives(self, schema: Any, depth: int, is_bare: bool) -> Alternatives:
        if schema is False:
            return ["never"]
        if not isinstance(schema, dict):
            return [ANYTHING]
        if depth > DEPTH or self._left <= 0:
            self._is_shortened = True
            return [ANYTHING]
        self._left -= _NODE_CHARS
        known = [part for part in self._parts(schema, depth, is_bare) if ANYTHING not in part]
        return _intersection(known)

    def _parts(self, schema: dict[str, Any], depth: int, is_bare: bool) -> Iterator[Alternatives]:
        """What a value must fit, all at once."""
        if "$ref" in schema:
            yield self._reference(schema["$ref"], is_bare)
        yield self._own(schema, depth)
        for key in ("anyOf", "oneOf"):
            if isinstance(members := schema.get(key), list) and members:
                yield self._any_of(members, depth, is_bare)
        if isinstance(members := schema.get("allOf"), list):
            for member in members:
                if self._left <= 0:
                    self._is_shortened = True
                    break
                yield self._alternatives(member, depth + 1, is_bare)
        if schema.get("not") in ({}, True):
            yield ["never"]

    def _any_of(self, members: list[Any], depth: int, is_bare: bool) -> Alternatives:
        found: Alternatives = []
        for member in members:
            found += self._alternatives(member, depth + 1, is_bare)
            if ANYTHING in found:
                return [ANYTHING]
        return found

    def _reference(self, reference: object, is_bare: bool) -> Alternatives:
        target = pointed(self._root, reference)
        if target is None:
            return [ANYTHING]
        pointer, schema = target
        if pointer not in self._numbers:
            if len(self._numbers) >= REFERENCES:
                self._is_shortened = True
                return [ANYTHING]
            self._numbers[pointer] = len(self._numbers)
            self._waiting.append((self._numbers[pointer], schema))
        self._left -= _NODE_CHARS
        return [mark(self._numbers[pointer], is_bare=is_bare)]

    def _own(self, schema: dict[str, Any], depth: int) -> Alternatives:
        """What the schema says by itself: a value, some values, or types."""
        if "const" in schema:
            return self._literals([schema["const"]])
        if isinstance(values := schema.get("enum"), list) and values:
            found = self._literals(values)
        else:
            found = [one for name in _type_names(schema) for one in self._of_type(name, schema, depth)]
        return [*found, "null"] if found and schema.get("nullable") is True else found or [ANYTHING]

    def _literals(self, values: list[Any]) -> Alternatives:
        found: Alternatives = []
        for at, value in enumerate(values):
            if self._left <= 0:
                self._is_shortened = True
                return [*found, f"/* {len(values) - at} more */ {ANYTHING}"] if found else [ANYTHING]
            found.append(literal(value))
            self._left -= len(found[-1]) + 3
        return found

    def _of_type(self, name: object, schema: dict[str, Any], depth: int) -> Alternatives:
        if name == "object":
            return [self._object(schema, depth)]
        if name == "array":
            return [self._array(schema, depth)]
        return [_PRIMITIVES.get(name, ANYTHING) if isinstance(name, str) else ANYTHING]

    def _array(self, schema: dict[str, Any], depth: int) -> str:
        items, first = schema.get("items", True), schema.get("prefixItems")
        rest: Any = items
        if not isinstance(first, list) and isinstance(items, list):
            # How tuples were written before 2020.
            first, rest = items, schema.get("additionalItems", True)
        if isinstance(first, list) and first:
            types = [union(self._alternatives(item, depth + 1, False)) for item in first[: self._room()]]
            if len(types) < len(first) or isinstance(rest, dict):
                types.append(f"...{_array_of(self._alternatives(rest, depth + 1, False))}")
            return f"[{', '.join(types)}]"
        return _array_of(self._alternatives(rest, depth + 1, False))

    def _room(self) -> int:
        return max(0, self._left // _NODE_CHARS)

    def _object(self, schema: dict[str, Any], depth: int) -> str:
        stated, needed = schema.get("properties"), schema.get("required")
        required = dict.fromkeys(name for name in needed if isinstance(name, str)) if isinstance(needed, list) else {}
        properties = {**(stated if isinstance(stated, dict) else {})}
        for name in required:
            properties.setdefault(name, True)
        map_type = self._map(schema, depth, is_alone=not properties)
        if not properties:
            return map_type or ANY_OBJECT
        text = f"{{ {'; '.join(self._members(properties, required, depth))} }}"
        return f"({text} & {map_type})" if map_type else text

    def _members(self, properties: Mapping[str, Any], required: Mapping[str, None], depth: int) -> Iterator[str]:
        left_out = dict.fromkeys(properties)
        for name, schema in properties.items():
            if not (self._detail.has_optional or name in required):
                continue
            if self._left <= 0:
                break
            if len(name) > NAME_CHARS:
                continue
            said = comment(remark(schema, self._follow), self._detail.comment_chars)
            head = f"{said}{' ' if said else ''}{property_name(name)}{'' if name in required else '?'}: "
            self._left -= len(head)
            yield head + union(self._alternatives(schema, depth + 1, False))
            del left_out[name]
        if left_out:
            self._is_shortened = True
            yield f"/* {len(left_out)} more: {listed(left_out, LISTED_CHARS)} */ [key: string]: {ANYTHING}"

    def _map(self, schema: dict[str, Any], depth: int, *, is_alone: bool) -> str:
        """The type of properties that have no name in the schema; empty where it says nothing of them."""
        others, patterns = schema.get("additionalProperties"), schema.get("patternProperties")
        schemas = list(patterns.values())[: self._room()] if isinstance(patterns, dict) else []
        schemas += [others] if isinstance(others, dict) else []
        if not schemas:
            return "Record<string, never>" if others is False and is_alone else ""
        value = union([one for schema in schemas for one in self._alternatives(schema, depth + 1, False)])
        if not is_alone and value == ANYTHING:
            return ""
        # An alias may hold itself in an object, but not in an argument of Record.
        return f"{{ [key: string]: {value} }}" if "\x02" in value else f"Record<string, {value}>"

    @property
    def _follow(self) -> Callable[[object], Any]:
        """What a reference points to, for what is said there."""
        return lambda reference: (pointed(self._root, reference) or ("", None))[1]


def _intersection(parts: list[Alternatives]) -> Alternatives:
    kept = list({tuple(part): part for part in parts}.values())
    if len(kept) > 1:
        kept = [part for part in kept if part != [ANY_OBJECT]]
    count = 1
    for part in kept:
        count *= len(part)
    if count > _ALTERNATIVES:
        kept = kept[:1]
    if len(kept) > 1:
        return [f"({' & '.join(union(part) if len(part) == 1 else f'({union(part)})' for part in kept)})"]
    return kept[0] if kept else [ANYTHING]


def _array_of(alternatives: Alternatives) -> str:
    item = union(alternatives)
    return f"({item})[]" if " | " in item and len(alternatives) > 1 else f"{item}[]"


def _type_names(schema: dict[str, Any]) -> list[object]:
    """The types a schema names, or the one that its other keywords are for."""
    named = schema.get("type")
    if isinstance(named, list):
        return named[: len(_PRIMITIVES) + 2]
    if named is not None:
        return [named]
    for name, keywords in _KEYWORDS.items():
        if any(isinstance(schema.get(keyword), kinds) for keyword, kinds in keywords.items()):
            return [name]
    return []


_KEYWORDS: Mapping[str, Mapping[str, type | tuple[type, ...]]] = {
    "object": {"properties": dict, "patternProperties": dict, "additionalProperties": dict},
    "array": {"items": (dict, list), "prefixItems": list},
}
_PRIMITIVES: Mapping[str, str] = {
    "string": "string",
    "number": "number",
    "integer": "number",
    "boolean": "boolean",
    "null": "null",
}
