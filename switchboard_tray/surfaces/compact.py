"""Two tools for any number: a search that answers with signatures, so that nothing else need be asked. Pure."""

from collections.abc import Mapping

from msgspec import Raw

from switchboard_tray.protocol.messages import dumps
from switchboard_tray.surfaces import calling, meta
from switchboard_tray.surfaces.manifest import write_manifest
from switchboard_tray.surfaces.material import Material
from switchboard_tray.surfaces.plan import Plan, Unknown

HITS = 5
SIGNATURE_CHARS = 400
_SEARCH = (
    "Find tools of the servers below by what they do. Answers their TypeScript signatures, ready to be called with "
    "call_tool. Search before you conclude that something cannot be done. "
    "A server's name as the query lists its tools; an empty query lists the servers."
)
_CALL = (
    "Call a tool that search_tools found, and get its own result. "
    "Search before you conclude that something cannot be done.\nServers:"
)


def list_tools(material: Material) -> bytes:
    """The two definitions as a JSON array; both name the profile's servers."""
    call = meta.call_definition(write_manifest(_CALL, material.servers))
    return dumps([meta.search_definition(_SEARCH, material, HITS), call])


def plan_call(material: Material, name: str, params: Mapping[str, Raw]) -> Plan:
    """What a call of one of the two comes to."""
    given = calling.read_given(params)
    match name:
        case "search_tools":
            limit = calling.read_limit(given, HITS)
            return calling.search(material, calling.read_query(given), limit, SIGNATURE_CHARS)
        case "call_tool":
            return meta.plan_call_tool(material, given, params)
        case _:
            return Unknown(name)
