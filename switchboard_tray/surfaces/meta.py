"""Three tools for any number: search, look at the schema, call. They cost the same for 20 tools or 500. Pure."""

from collections.abc import Mapping
from typing import Any

from msgspec import Raw

from switchboard_tray.protocol.messages import dumps, read_members
from switchboard_tray.surfaces import calling
from switchboard_tray.surfaces.manifest import write_manifest
from switchboard_tray.surfaces.material import Material
from switchboard_tray.surfaces.plan import Plan, Unknown

_SEARCH = (
    "Find tools of the servers below by what they do. Answers one tool a line: NAME - what it does. "
    "Search before you conclude that something cannot be done. "
    "A server's name as the query lists its tools; an empty query lists the servers."
)
_SCHEMA = (
    "Show how tools are called, as TypeScript signatures. Do this once for a tool before you call it. "
    "Give names as search_tools answers them."
)
_CALL = (
    "Call a tool that search_tools found, and get its own result. "
    "Search before you conclude that something cannot be done."
)


def list_tools(material: Material) -> bytes:
    """The three definitions as a JSON array."""
    return dumps([search_definition(_SEARCH, material, calling.HITS), schema_definition(), call_definition(_CALL)])


def plan_call(material: Material, name: str, params: Mapping[str, Raw]) -> Plan:
    """What a call of one of the three comes to."""
    given = calling.read_given(params)
    match name:
        case "search_tools":
            return calling.search(material, calling.read_query(given), calling.read_limit(given, calling.HITS))
        case "get_schema":
            return calling.describe(material, calling.read_names(given))
        case "call_tool":
            return plan_call_tool(material, given, params)
        case _:
            return Unknown(name)


def plan_call_tool(material: Material, given: Mapping[str, Any], params: Mapping[str, Raw]) -> Plan:
    """What ``call_tool`` comes to."""
    wanted = given.get("name", given.get("tool"))
    if not isinstance(wanted, str) or not wanted:
        return calling.error_reply("name: give the name of a tool, as search_tools answers it.")
    members = read_members(params.get("arguments"))
    return calling.call(material, material.view.find(wanted), wanted, members, params)


def search_definition(text: str, material: Material, hits: int) -> dict[str, Any]:
    """The definition of ``search_tools``, with the profile's servers in its description."""
    properties = {
        "query": {"type": "string", "description": "What the tool should do, or a tool's or server's name."},
        "limit": {"type": "integer", "description": f"How many to answer, 1 to 50; {hits} by default."},
    }
    return {
        "name": "search_tools",
        "description": write_manifest(f"{text}\nServers:", material.servers),
        "inputSchema": {"type": "object", "properties": properties, "required": ["query"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }


def call_definition(text: str) -> dict[str, Any]:
    """The definition of ``call_tool``."""
    properties = {
        "name": {"type": "string", "description": "The tool, as SERVER.TOOL."},
        "arguments": {"type": "object", "description": "Its arguments, as its signature wants them."},
    }
    schema = {"type": "object", "properties": properties, "required": ["name"]}
    return {"name": "call_tool", "description": text, "inputSchema": schema}


def schema_definition() -> dict[str, Any]:
    """The definition of ``get_schema``."""
    names = {"type": "array", "items": {"type": "string"}, "description": "Up to 20 names, as SERVER.TOOL."}
    return {
        "name": "get_schema",
        "description": _SCHEMA,
        "inputSchema": {"type": "object", "properties": {"names": names}, "required": ["names"]},
        "annotations": {"readOnlyHint": True, "openWorldHint": False},
    }
