"""One tool that runs JavaScript, in which the profile's tools are functions. Pure.

While their declarations are short enough they stand in its description; else there are two tools beside it that find
them and show how they are called, as the script can itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Raw

from switchboard_tray.profiles.view import Entry
from switchboard_tray.protocol.messages import dumps
from switchboard_tray.surfaces import calling, meta
from switchboard_tray.surfaces.manifest import write_manifest
from switchboard_tray.surfaces.material import Material, ServerLine
from switchboard_tray.surfaces.plan import Execute, Plan, Unknown
from switchboard_tray.typescript.render import ServerDeclarations, declarations
from switchboard_tray.typescript.shapes import Shape

DECLARED_CHARS = 12_000
_SHORTEST_CHARS = 30
"""No declaration of a tool is shorter: so many tools that they cannot fit are not even tried."""
_EXECUTE = """\
Run JavaScript that calls tools, and get what it returns. Write an async arrow function:

async () => {
  const found = await SERVER.TOOL({ query: "login" });
  return found.items.map((item) => item.title);
}

Each server is a global object and each of its tools a method: it takes one object and gives a promise. A tool that \
fails throws an Error. Call tools that do not depend on each other together, with Promise.all. Return only what you \
need; console.log is shown too. Plain JavaScript (ES2023): no fetch, require, timers, files. Each run starts afresh."""
_FIND = """
The tools are found by search_tools and shown by get_schema; in the code by `await catalog.search("create issue", 5)`, \
an array of {name, summary}, and `await catalog.describe(["SERVER.TOOL"])`, which gives TypeScript. Do not guess how a \
tool is called. The servers:"""
_SEARCH = (
    "Find tools for execute by what they do. Answers one tool a line: SERVER.TOOL - what it does, named as in code. "
    "Search before you conclude that something cannot be done. A server's name as the query lists its tools."
)


def list_tools(material: Material) -> bytes:
    """The definitions as a JSON array."""
    declared = _declared(material)
    if declared is not None:
        return dumps([_execute_definition(f"{_EXECUTE}\n\nThe tools:\n\n{declared}" if declared else _EXECUTE)])
    named = tuple(
        ServerLine(material.find_server(server.name)[0].code_name.server, server.tool_count, server.purpose)
        for server in material.servers
    )
    search = meta.search_definition(_SEARCH, Material(material.view, named), calling.HITS)
    execute = _execute_definition(write_manifest(f"{_EXECUTE}\n{_FIND}", named))
    return dumps([execute, search, meta.schema_definition()])


def plan_call(material: Material, name: str, params: Mapping[str, Raw]) -> Plan:
    """What a call of one of them comes to."""
    given = calling.read_given(params)
    match name:
        case "execute":
            source = given.get("code", given.get("source", given.get("script")))
            if not isinstance(source, str) or not source.strip():
                return calling.error_reply("code: give JavaScript as text, such as async () => { return 1; }")
            return Execute(source)
        case "search_tools":
            limit = calling.read_limit(given, calling.HITS)
            return calling.search(material, calling.read_query(given), limit, named=by_code_name)
        case "get_schema":
            return calling.describe(material, calling.read_names(given), by_code_name)
        case _:
            return Unknown(name)


def by_code_name(entry: Entry) -> str:
    """How JavaScript calls a tool."""
    return str(entry.code_name)


def _declared(material: Material) -> str | None:
    """The declarations of all tools; None where they are too long."""
    if len(material.view.entries) > DECLARED_CHARS // _SHORTEST_CHARS:
        return None
    # What results looked like is left out before everything is.
    for shapes in (material.shapes, {}) if material.shapes else ({},):
        text = declarations([_of_server(entries, shapes) for entries in material.by_server.values()])
        if len(text) <= DECLARED_CHARS:
            return text
    return None


def _of_server(entries: Sequence[Entry], shapes: Mapping[str, Shape]) -> ServerDeclarations:
    known = {one.code_name.method: shape for one in entries if (shape := shapes.get(one.ref.folded))}
    tools = [(one.code_name.method, one.tool) for one in entries]
    return ServerDeclarations(entries[0].code_name.server, tools, known)


def _execute_definition(text: str) -> dict[str, Any]:
    code = {"type": "string", "description": "An async arrow function in plain JavaScript."}
    return {
        "name": "execute",
        "description": text,
        "inputSchema": {"type": "object", "properties": {"code": code}, "required": ["code"]},
    }
