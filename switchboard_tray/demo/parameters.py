"""Kinds of tool argument: each has a JSON Schema for the model and reads a raw JSON value by that same schema."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from switchboard_tray.demo.notes import Refused, quote


class Parameter(Protocol):
    """One argument of a tool; `default` is what the tool gets when an optional one is left out."""

    @property
    def name(self) -> str: ...
    @property
    def is_required(self) -> bool: ...
    @property
    def default(self) -> object: ...

    def schema(self) -> dict[str, object]:
        """JSON Schema of the value, with its description."""
        ...

    def read(self, value: object) -> object:
        """`value` in the type the tool takes; raises `Refused` when it is outside the schema."""
        ...


@dataclass(frozen=True)
class TextParameter:
    """A string of `min_chars` to `limit_chars` characters without NUL and without half surrogate pairs."""

    name: str
    description: str
    limit_chars: int
    min_chars: int = 1
    is_required: bool = False
    default: str | None = None

    def schema(self) -> dict[str, object]:
        """JSON Schema of the value."""
        bounds = {"minLength": self.min_chars, "maxLength": self.limit_chars}
        return _described({"type": "string", **bounds}, self.description, self.default)

    def read(self, value: object) -> str:
        """The string itself."""
        return _read_text(self.name, value, self.min_chars, self.limit_chars)


@dataclass(frozen=True)
class ChoiceParameter:
    """One of `choices`."""

    name: str
    description: str
    choices: tuple[str, ...]
    default: str
    is_required: bool = False

    def schema(self) -> dict[str, object]:
        """JSON Schema of the value."""
        return _described({"type": "string", "enum": list(self.choices)}, self.description, self.default)

    def read(self, value: object) -> str:
        """The choice itself."""
        if isinstance(value, str) and value in self.choices:
            return value
        raise Refused(f"{self.name} must be one of {', '.join(self.choices)}; got {_shown(value)}.")


@dataclass(frozen=True)
class WholeParameter:
    """A whole number between `minimum` and `maximum`, both included."""

    name: str
    description: str
    minimum: int
    maximum: int
    is_required: bool = False
    default: int | None = None

    def schema(self) -> dict[str, object]:
        """JSON Schema of the value."""
        bounds = {"minimum": self.minimum, "maximum": self.maximum}
        return _described({"type": "integer", **bounds}, self.description, self.default)

    def read(self, value: object) -> int:
        """The number as int; 3.0 is a whole number too, as JSON Schema has it, and true is not."""
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and self.minimum <= value <= self.maximum:
            return value
        wanted = f"a whole number from {self.minimum} to {self.maximum}"
        raise Refused(f"{self.name} must be {wanted}; got {_shown(value)}.")


@dataclass(frozen=True)
class TextListParameter:
    """An array of `min_items` to `limit_items` strings of at most `limit_chars` characters each."""

    name: str
    description: str
    limit_items: int
    limit_chars: int
    min_items: int = 0
    is_required: bool = False
    default: tuple[str, ...] = ()

    def schema(self) -> dict[str, object]:
        """JSON Schema of the value."""
        items = {"type": "string", "minLength": 1, "maxLength": self.limit_chars}
        bounds = {"minItems": self.min_items, "maxItems": self.limit_items}
        return _described({"type": "array", "items": items, **bounds}, self.description, None)

    def read(self, value: object) -> tuple[str, ...]:
        """The strings as a tuple."""
        if not isinstance(value, list) or not self.min_items <= len(value) <= self.limit_items:
            wanted = f"an array of {self.min_items} to {self.limit_items} strings"
            raise Refused(f"{self.name} must be {wanted}; got {_shown(value)}.")
        return tuple(_read_text(f"{self.name}[{place}]", item, 1, self.limit_chars) for place, item in enumerate(value))


def input_schema(parameters: tuple[Parameter, ...]) -> dict[str, object]:
    """JSON Schema of a tool's arguments object; nothing but `parameters` is allowed in it."""
    schema: dict[str, object] = {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "additionalProperties": False,
    }
    required = [parameter.name for parameter in parameters if parameter.is_required]
    return {**schema, "required": required} if required else schema


def read_arguments(parameters: tuple[Parameter, ...], raw: Mapping[str, object]) -> dict[str, object]:
    """Arguments by name, checked, defaults filled in; raises `Refused` at the first that is wrong.

    A null counts as left out: models send it for what they do not want to set.
    """
    given = {name: value for name, value in raw.items() if value is not None}
    names = [parameter.name for parameter in parameters]
    for name in given:
        if name not in names:
            raise Refused(f"There is no argument {quote(name)}; this tool takes {', '.join(names) or 'none'}.")
    arguments: dict[str, object] = {}
    for parameter in parameters:
        if parameter.name in given:
            arguments[parameter.name] = parameter.read(given[parameter.name])
        elif parameter.is_required:
            raise Refused(f"{parameter.name} is missing; this tool needs it: {parameter.schema()['description']}")
        else:
            arguments[parameter.name] = parameter.default
    return arguments


def _described(schema: dict[str, object], description: str, default: object) -> dict[str, object]:
    described = {**schema, "description": description}
    return described if default is None else {**described, "default": default}


def _read_text(name: str, value: object, min_chars: int, limit_chars: int) -> str:
    if not isinstance(value, str):
        raise Refused(f"{name} must be a string; got {_shown(value)}.")
    if not min_chars <= len(value) <= limit_chars:
        raise Refused(f"{name} must have {min_chars} to {limit_chars} characters; got {len(value)}.")
    if "\0" in value:
        raise Refused(f"{name} holds a NUL character, which a note cannot store; send it without.")
    # JSON can spell half of a surrogate pair (\ud800); UTF-8, and so SQLite, has no bytes for it.
    if not value.isascii() and any("\ud800" <= char <= "\udfff" for char in value):
        raise Refused(f"{name} holds half of a surrogate pair, which is no character; send valid Unicode.")
    return value


def _shown(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"the string {quote(value)}"
        case int() | float():
            # A whole number can have thousands of digits; past that, str() itself raises.
            return str(value) if abs(value) < 10**20 else "a number out of range"
        case list():
            return f"an array of {len(value)}"
        case dict():
            return "an object"
        case _:
            return "null"
