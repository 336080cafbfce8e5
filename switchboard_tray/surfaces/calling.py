"""Search, describe and call: what surfaces that list no tools of servers have in common. Pure."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.profiles.view import Entry
from switchboard_tray.protocol.messages import dumps, read_members, read_text, tool_error
from switchboard_tray.surfaces.arguments import find_faults, read_arguments
from switchboard_tray.surfaces.manifest import write_manifest
from switchboard_tray.surfaces.material import Material, summary, text_of
from switchboard_tray.surfaces.plan import Invoke, Plan, Reply, Search, Surroundings, Unknown
from switchboard_tray.typescript.render import signature

HITS = 10
SUMMARY_CHARS = 160
SHOWN_CHARS = 200
MOST_HITS = 50
MOST_SCHEMAS = 20
MOST_SIGNATURES = 10
"""A list of more tools would be long with the signature of each."""
OWN_NAMES = frozenset({"name", "tool", "action", "arguments"})
Named = Callable[[Entry], str]
_SERVERS = "The servers are these. Give a query, or a server's name to list its tools."


def text_result(text: str) -> bytes:
    """A result that says `text`."""
    return dumps({"content": [{"type": "text", "text": text}]})


def error_reply(text: str) -> Reply:
    """A result that tells a model what went wrong."""
    return Reply(tool_error(text))


# -- search ------------------------------------------------------------------------------------------------------------


def by_reference(entry: Entry) -> str:
    """How a tool is named to a model, but for code."""
    return str(entry.ref)


def search(
    material: Material, query: str, limit: int, signature_chars: int | None = None, named: Named = by_reference
) -> Plan:
    """The tools that fit `query`, best first; with `signature_chars` each with its signature."""
    wanted = query.strip()
    if not wanted:
        return Reply(text_result(write_manifest(_SERVERS, material.servers)))
    if entries := _tools_of_server(material, wanted):
        return Reply(text_result(_server_list(entries, signature_chars, named)))

    def find(around: Surroundings) -> bytes:
        found = find_entries(material, wanted, limit, around)
        lines = "\n".join(_hit(entry, signature_chars, named) for entry in found)
        return text_result(lines or explain_miss(material, wanted, around, named))

    return Search(find)


def find_entries(material: Material, query: str, limit: int | None, around: Surroundings) -> Sequence[Entry]:
    """The tools that fit `query`, best first, at most `limit`: where none is given ten, or all of a server it names."""
    if entries := _tools_of_server(material, query.strip()):
        return entries[:limit]
    hits = material.index.search(query, HITS if limit is None else limit, around.load_vectors())
    return [material.view.by_ref[hit.ref] for hit in hits]


def _tools_of_server(material: Material, query: str) -> Sequence[Entry]:
    return material.find_server(query.removesuffix(".*"))


def _server_list(entries: Sequence[Entry], signature_chars: int | None, named: Named) -> str:
    if len(entries) > MOST_SIGNATURES:
        signature_chars = None
    lines = [_hit(entry, signature_chars, named) for entry in entries[:MOST_HITS]]
    if (more := len(entries) - MOST_HITS) > 0:
        lines.append(f"... and {more} more; search for what you need.")
    return "\n".join(lines)


def _hit(entry: Entry, signature_chars: int | None, named: Named) -> str:
    if signature_chars is not None:
        return signature(named(entry), entry.tool, signature_chars)
    said = summary(text_of(entry), SUMMARY_CHARS)
    return f"{named(entry)} - {said}" if said else named(entry)


def explain_miss(material: Material, query: str, around: Surroundings, named: Named = by_reference) -> str:
    """Why `query` found nothing: a model must not take a server that is off for a thing that cannot be done."""
    tools, servers = _counted(len(material.view.entries), "tool"), _counted(len(material.servers), "server")
    lines = [f"No match for {query[:SHOWN_CHARS]!r} among {tools} of {servers}."]
    if near := material.index.near_names(query, 5):
        lines.append(f"Near names: {', '.join(named(material.view.by_ref[ref]) for ref in near)}")
    if material.by_server:
        servers_named = (named(entries[0]).partition(".")[0] for entries in material.by_server.values())
        lines.append(f"Servers: {', '.join(servers_named)}")
    lines += [f"Not searched: {trouble.name} ({trouble.why})" for trouble in around.troubles]
    return "\n".join(lines)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


# -- schemas -----------------------------------------------------------------------------------------------------------


def describe(material: Material, names: Sequence[str], named: Named = by_reference) -> Plan:
    """The signatures of the named tools, at most 20; unknown names are answered beside known ones."""
    if not names:
        return error_reply(f"names: give the names of up to {MOST_SCHEMAS} tools, as a search answers them.")
    return Search(lambda around: text_result(described(material, names, around, named)))


def described(material: Material, names: Sequence[str], around: Surroundings, named: Named = by_reference) -> str:
    """The signatures of the named tools, and near names of those that there are not."""
    parts = []
    for name in names[:MOST_SCHEMAS]:
        entry = material.view.find(name)
        if entry is None:
            parts.append(_unknown_tool(material, name, named))
        else:
            parts.append(signature(named(entry), entry.tool, shape=around.shape_of(entry.ref)))
    if len(names) > MOST_SCHEMAS:
        parts.append(f"Only the first {MOST_SCHEMAS} of {len(names)} names are answered; ask for the others apart.")
    return "\n\n".join(parts)


def _signature(entry: Entry) -> str:
    return signature(str(entry.ref), entry.tool)


def _unknown_tool(material: Material, name: str, named: Named = by_reference) -> str:
    """That there is no such tool, with the nearest that there are: of this profile alone."""
    near = ", ".join(named(entry) for entry in material.near(name))
    way = f"Did you mean: {near}?" if near else "Search for what you need."
    return f"Unknown tool: {name[:SHOWN_CHARS]}. {way}"


# -- calls -------------------------------------------------------------------------------------------------------------


def call(
    material: Material, entry: Entry | None, name: str, given: Mapping[str, Raw], params: Mapping[str, Raw]
) -> Plan:
    """The call of `entry` with the arguments in `given`, or what is wrong with it."""
    if entry is None:
        return Unknown(name, lambda around: tool_error(_unknown_tool(material, name)))
    arguments = read_arguments(given, OWN_NAMES)
    if arguments is None:
        return error_reply(f"arguments: expected an object.\n\n{_signature(entry)}")
    if faults := find_faults(entry.tool, arguments):
        listed = "\n".join(f"- {fault}" for fault in faults)
        return error_reply(f"{entry.ref} was not called:\n{listed}\n\n{_signature(entry)}")
    return Invoke(entry.ref, {**params, "arguments": arguments})


def read_given(params: Mapping[str, Raw]) -> Mapping[str, Any]:
    """The arguments of one of our own tools as plain values; empty where they are no object."""
    raw = params.get("arguments")
    try:
        given = msgspec.json.decode(raw) if raw is not None else {}
    except (msgspec.MsgspecError, RecursionError):
        # What msgspec cannot read (half of a character) is at most in the tool's own arguments, which stay raw.
        given = {key: read_text(value) for key, value in read_members(raw).items()}
    return given if isinstance(given, dict) else {}


def read_query(given: Mapping[str, Any]) -> str:
    """The query; empty where it is no text."""
    query = given.get("query")
    return query if isinstance(query, str) else ""


def read_limit(given: Mapping[str, Any], default: int) -> int:
    """The number of hits asked for, held to 1 to 50."""
    limit = given.get("limit", default)
    is_number = isinstance(limit, int | float) and not isinstance(limit, bool)
    return max(1, min(MOST_HITS, int(limit))) if is_number else default


def read_names(given: Mapping[str, Any]) -> list[str]:
    """The names asked for, also where one stands alone."""
    names = given.get("names", given.get("name", given.get("tool")))
    names = [names] if isinstance(names, str) else names
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
