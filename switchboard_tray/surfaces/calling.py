"""Search, describe and call: what surfaces that list no tools of servers have in common. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Raw

from switchboard_tray.profiles.view import Entry
from switchboard_tray.protocol.messages import dumps, read_members, read_text, tool_error
from switchboard_tray.surfaces.arguments import find_faults, read_arguments
from switchboard_tray.surfaces.manifest import write_manifest
from switchboard_tray.surfaces.material import Material, Surroundings, summary, text_of
from switchboard_tray.surfaces.plan import Invoke, Plan, Reply
from switchboard_tray.typescript.render import signature

SUMMARY_CHARS = 160
SHOWN_CHARS = 200
MOST_HITS = 50
MOST_SCHEMAS = 20
OWN_NAMES = frozenset({"name", "tool", "action", "arguments"})
_SERVERS = "The servers are these. Give a query, or a server's name to list its tools."


def text_reply(text: str) -> Reply:
    """A result that says `text`."""
    return Reply(dumps({"content": [{"type": "text", "text": text}]}))


def error_reply(text: str) -> Reply:
    """A result that tells a model what went wrong."""
    return Reply(tool_error(text))


# -- search ------------------------------------------------------------------------------------------------------------


def search(
    material: Material, query: str, limit: int, around: Surroundings, signature_chars: int | None = None
) -> Reply:
    """The tools that fit `query`, best first; with `signature_chars` each with its signature."""
    wanted = query.strip()
    if not wanted:
        return text_reply(write_manifest(_SERVERS, material.servers))
    entries = material.by_server.get(wanted.removesuffix(".*").casefold())
    if entries is not None:
        return text_reply(_server_list(entries, signature_chars))
    hits = [material.view.by_ref[hit.ref] for hit in material.index.search(wanted, limit, around.vectors)]
    if not hits:
        return text_reply(_miss(material, wanted, around))
    return text_reply("\n".join(_hit(entry, signature_chars) for entry in hits))


def _server_list(entries: Sequence[Entry], signature_chars: int | None) -> str:
    lines = [_hit(entry, signature_chars) for entry in entries[:MOST_HITS]]
    if (more := len(entries) - MOST_HITS) > 0:
        lines.append(f"... and {more} more; search for what you need.")
    return "\n".join(lines)


def _hit(entry: Entry, signature_chars: int | None) -> str:
    if signature_chars is not None:
        return signature(str(entry.ref), entry.tool, signature_chars)
    said = summary(text_of(entry), SUMMARY_CHARS)
    return f"{entry.ref} - {said}" if said else str(entry.ref)


def _miss(material: Material, query: str, around: Surroundings) -> str:
    """Why nothing was found: a model must not take a server that is off for a thing that cannot be done."""
    count = len(material.view.entries)
    lines = [f"No match for {query[:SHOWN_CHARS]!r} among {count} tools of {len(material.servers)} servers."]
    if near := material.index.near_names(query, 5):
        lines.append(f"Near names: {', '.join(str(ref) for ref in near)}")
    if material.servers:
        lines.append(f"Servers: {', '.join(server.name for server in material.servers)}")
    lines += [f"Not searched: {trouble.name} ({trouble.why})" for trouble in around.troubles]
    return "\n".join(lines)


# -- schemas -----------------------------------------------------------------------------------------------------------


def describe(material: Material, names: Sequence[str]) -> Reply:
    """The signatures of the named tools, at most 20; unknown names are answered beside known ones."""
    if not names:
        return error_reply(f"names: give the names of up to {MOST_SCHEMAS} tools, as a search answers them.")
    parts = [_described(material, name) for name in names[:MOST_SCHEMAS]]
    if len(names) > MOST_SCHEMAS:
        parts.append(f"Only the first {MOST_SCHEMAS} of {len(names)} names are answered; ask for the others apart.")
    return text_reply("\n\n".join(parts))


def _described(material: Material, name: str) -> str:
    entry = material.view.find(name)
    return signature(str(entry.ref), entry.tool) if entry else unknown_tool(material, name)


def unknown_tool(material: Material, name: str) -> str:
    """That there is no such tool, with the nearest that there are: of this profile alone."""
    near = ", ".join(str(ref) for ref in material.near(name))
    way = f"Did you mean: {near}?" if near else "Search for what you need."
    return f"Unknown tool: {name[:SHOWN_CHARS]}. {way}"


# -- calls -------------------------------------------------------------------------------------------------------------


def call(material: Material, entry: Entry | None, name: str, params: Mapping[str, Raw]) -> Plan:
    """The call of `entry` with the arguments a model gave, or what is wrong with it."""
    if entry is None:
        return error_reply(unknown_tool(material, name))
    arguments = read_arguments(read_members(params.get("arguments")), OWN_NAMES)
    if arguments is None:
        return error_reply(f"arguments: expected an object.\n\n{signature(str(entry.ref), entry.tool)}")
    if faults := find_faults(entry.tool, arguments):
        listed = "\n".join(f"- {fault}" for fault in faults)
        return error_reply(f"{entry.ref} was not called:\n{listed}\n\n{signature(str(entry.ref), entry.tool)}")
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
