"""One tool for each server: the list of tools is the inventory, and each lists, describes and calls its own. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Raw

from switchboard_tray.profiles.view import Entry
from switchboard_tray.protocol.messages import dumps, read_members
from switchboard_tray.surfaces import calling
from switchboard_tray.surfaces.material import Material, ServerLine, rounded
from switchboard_tray.surfaces.plan import Plan, Unknown

_HOW = 'Use action "list" to see its tools, "describe" with a tool for its signature, "call" with tool and arguments.'
_ACTIONS = ("list", "describe", "call")


def list_tools(material: Material) -> bytes:
    """A definition for each server as a JSON array."""
    return dumps([_definition(server) for server in material.servers])


def plan_call(material: Material, name: str, params: Mapping[str, Raw]) -> Plan:
    """What a call of a server's tool comes to."""
    entries = material.find_server(name)
    if not entries:
        return Unknown(name)
    given = calling.read_given(params)
    tool, action = given.get("tool", given.get("name")), given.get("action")
    if action is None:
        # A model that names a tool means to call it; one that names nothing wants to look around.
        action = "list" if tool is None else "call"
    match action:
        case "list":
            return calling.search(material, entries[0].ref.server, calling.MOST_HITS)
        case "describe":
            names = calling.read_names({"names": given.get("names", tool)})
            return calling.describe(material, [_full(entries, one) for one in names])
        case "call" if isinstance(tool, str) and tool:
            full = _full(entries, tool)
            members = read_members(params.get("arguments"))
            return calling.call(material, _own(material, entries, full), full, members, params)
        case "call":
            return calling.error_reply('tool: give the name of a tool; action "list" names them.')
        case _:
            return calling.error_reply(f"action: expected one of {', '.join(_ACTIONS)}.")


def _full(entries: Sequence[Entry], name: str) -> str:
    """The reference of a tool that may be named without its server."""
    bare = {entry.ref.tool.casefold(): str(entry.ref) for entry in entries}
    return bare.get(name.casefold(), name)


def _own(material: Material, entries: Sequence[Entry], name: str) -> Entry | None:
    """The tool meant, if it is one of this server's."""
    entry = material.view.find(name)
    return entry if entry is not None and entry.ref.server == entries[0].ref.server else None


def _definition(server: ServerLine) -> dict[str, Any]:
    noun = "tool" if server.tool_count == 1 else "tools"
    purpose = f"{server.purpose.rstrip('.')}. " if server.purpose else ""
    properties = {
        "action": {"type": "string", "enum": list(_ACTIONS)},
        "tool": {"type": "string", "description": "Which tool, for describe and call."},
        "arguments": {"type": "object", "description": "The tool's arguments, for call."},
    }
    return {
        "name": server.name,
        "description": f"{purpose}{rounded(server.tool_count)} {noun} of the server {server.name}. {_HOW}",
        "inputSchema": {"type": "object", "properties": properties, "required": ["action"]},
    }
