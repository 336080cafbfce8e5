"""Tools as TypeScript: one function's signature, or the declarations of whole servers. Pure; checks no arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from switchboard_tray.catalog.model import Tool
from switchboard_tray.typescript.aliases import Aliases
from switchboard_tray.typescript.shapes import Shape
from switchboard_tray.typescript.text import block_comment, one_line, property_name
from switchboard_tray.typescript.types import ANY_OBJECT, ANYTHING, FULL_CHARS, Detail, draft_type

DESCRIPTION_CHARS = 4_000
SHORTENED = " // shortened"
OBSERVED = " // as seen in results so far"
# From much to little, of which the first that fits a limit is taken: how long the description may be, how long what is
# said of each property, and whether optional ones are named.
_DETAILS = ((400, 100, True), (200, 40, True), (120, 0, True), (80, 0, False), (0, 0, False))


@dataclass(frozen=True, slots=True)
class ServerDeclarations:
    """A server's global, and its methods with the tools behind them, all under their code names."""

    name: str
    tools: Sequence[tuple[str, Tool]]
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """What results looked like so far, by method, for tools that declare nothing."""


@dataclass(frozen=True, slots=True)
class _Written:
    text: str
    is_shortened: bool
    is_observed: bool = False

    @property
    def notes(self) -> str:
        """What is to be said at the end of the line."""
        return (OBSERVED if self.is_observed else "") + (SHORTENED if self.is_shortened else "")


def signature(name: str, tool: Tool, limit_chars: int | None = None, shape: Shape | None = None) -> str:
    """The tool's function under `name`, with its description above and the types it needs below.

    `shape` is what its results looked like so far: said, and marked as such, where it declares nothing itself.

    At most `limit_chars` long: comments go first, then the description but for its beginning, then optional arguments,
    and the end says so. Without a limit some 25,000 characters, also of the largest schema.
    """
    if limit_chars is None:
        return _signature(name, tool, DESCRIPTION_CHARS, Detail(), shape)
    # What is far too long is given up early.
    size_chars = min(FULL_CHARS, 2 * limit_chars)
    whole = _signature(name, tool, DESCRIPTION_CHARS, Detail(size_chars), shape)
    if len(whole) <= limit_chars:
        return whole
    for description_chars, comment_chars, has_optional in _DETAILS:
        text = _signature(name, tool, description_chars, Detail(size_chars, comment_chars, has_optional), shape)
        text = text if text.endswith(SHORTENED) else text + SHORTENED
        if len(text) <= limit_chars:
            return text
    return (whole[: max(0, limit_chars - len(SHORTENED))] + SHORTENED)[:limit_chars]


def declarations(servers: Sequence[ServerDeclarations]) -> str:
    """A ``declare const`` for each server, and the types they share; the TypeScript compiler accepts it as strict.

    Names are taken as they are given. Two servers must not have the same one.
    """
    aliases = Aliases()
    blocks = []
    for server in servers:
        methods = []
        for name, tool in server.tools:
            said = block_comment(_description(tool), DESCRIPTION_CHARS)
            written = _function(property_name(name), tool, Detail(), aliases, server.shapes.get(name))
            methods.append(f"{said}\n{written.text};{written.notes}" if said else f"{written.text};{written.notes}")
        body = "\n".join(methods)
        blocks.append(f"declare const {server.name}: {{\n{body}\n}};")
    return "\n".join([*aliases.lines(), *blocks])


def _signature(name: str, tool: Tool, description_chars: int, detail: Detail, shape: Shape | None) -> str:
    aliases = Aliases()
    written = _function(one_line(name), tool, detail, aliases, shape)
    said = block_comment(_description(tool), description_chars)
    line = written.text + OBSERVED if written.is_observed else written.text
    text = "\n".join(part for part in (said, line, *aliases.lines()) if part)
    return text + SHORTENED if written.is_shortened else text


def _function(name: str, tool: Tool, detail: Detail, aliases: Aliases, shape: Shape | None) -> _Written:
    definition = _definition(tool)
    taken, given = definition.get("inputSchema"), definition.get("outputSchema")
    is_observed = given is None and bool(shape)
    parameters, result = draft_type(taken, detail), draft_type(shape if is_observed else given, detail)
    argument = ""
    if not _takes_nothing(taken):
        kind = aliases.settle(parameters)
        optional = "?" if _is_optional(taken) else ""
        argument = f"args{optional}: {ANY_OBJECT if kind == ANYTHING else kind}"
    text = f"{name}({argument}): Promise<{aliases.settle(result)}>"
    return _Written(text, parameters.is_shortened or result.is_shortened, is_observed)


def _takes_nothing(schema: Any) -> bool:
    """Whether the schema is an object's that names no properties and does not say that any are welcome."""
    if not isinstance(schema, dict) or schema.get("additionalProperties"):
        return False
    return not any(schema.get(keyword) for keyword in ("properties", "required", "patternProperties", *_JOINING))


def _is_optional(schema: Any) -> bool:
    return not isinstance(schema, dict) or not any(schema.get(keyword) for keyword in ("required", *_JOINING))


def _description(tool: Tool) -> str:
    said = (_definition(tool).get(key) for key in ("description", "title"))
    return next((text for text in said if isinstance(text, str) and text.strip()), "")


def _definition(tool: Tool) -> dict[str, Any]:
    # `catalog.check` lets no such definition pass; one read from elsewhere may still be broken.
    try:
        definition: Any = tool.definition
    except (msgspec.MsgspecError, RecursionError):
        return {}
    return definition if isinstance(definition, dict) else {}


_JOINING = ("$ref", "anyOf", "oneOf", "allOf")
