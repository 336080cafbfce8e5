"""Our values as the admin API's JSON: camelCase, secrets redacted. Pure."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import Profile, ServerConfig
from switchboard_tray.config.problems import Problem
from switchboard_tray.errors import NotFound
from switchboard_tray.names import ToolRef, did_you_mean, matches_ref
from switchboard_tray.redact import REDACTED
from switchboard_tray.sandbox.model import Outcome
from switchboard_tray.servers.status import ServerStatus
from switchboard_tray.snapshot import Offer, Snapshot
from switchboard_tray.surfaces.calling import SUMMARY_CHARS, explain_miss, find_entries
from switchboard_tray.surfaces.material import summary, text_of
from switchboard_tray.surfaces.plan import Surroundings
from switchboard_tray.typescript.render import signature

_REFERENCE = re.compile(r"\$\{(?:secret|env):[^}]*\}")
_SECRET_WORD = r"[\w-]*(?:token|secret|passw|api-?_?key|credential)[\w-]*"
_SECRET_FLAG = re.compile(rf"--?{_SECRET_WORD}", re.IGNORECASE)
_SECRET_OPTION = re.compile(rf"((?:--?)?{_SECRET_WORD}[=:]).+", re.IGNORECASE | re.DOTALL)
_SECRET_PARAMETER = re.compile(rf"([?&]{_SECRET_WORD}=)[^&#]+", re.IGNORECASE)
_USER_INFO = re.compile(r"(://)[^/@]+@")
_SECRET_MAPS = ("env", "headers")
# What stands under these is called as people like, also "env".
_NAMED = ("servers", "profiles", "accounts")


def problem_view(problem: Problem) -> dict[str, Any]:
    """A fault in the config."""
    return {
        "pointer": problem.pointer,
        "message": problem.message,
        "hint": problem.hint,
        "line": problem.line,
        "column": problem.column,
    }


def redacted(document: Any) -> Any:
    """A config document, or a part of it, with the values of env and headers hidden; references to secrets stay."""
    if isinstance(document, Mapping):
        return {key: _redacted_member(key, value) for key, value in document.items()}
    return [redacted(item) for item in document] if isinstance(document, list) else document


def _redacted_member(key: str, value: Any) -> Any:
    if key in _SECRET_MAPS:
        return _hidden(value)
    if key in _NAMED and isinstance(value, Mapping):
        return {name: redacted(member) for name, member in value.items()}
    if key == "args" and isinstance(value, list):
        return list(_redacted_args(value))
    if key == "url" and isinstance(value, str):
        return _SECRET_PARAMETER.sub(rf"\1{REDACTED}", _USER_INFO.sub(rf"\1{REDACTED}@", value))
    return redacted(value)


def _redacted_args(args: list[Any]) -> Iterable[Any]:
    """A command's arguments, without the values of options that are called like secrets."""
    is_secret = False
    for arg in args:
        text = arg if isinstance(arg, str) and "${" not in arg else ""
        yield REDACTED if is_secret and text else _SECRET_OPTION.sub(rf"\1{REDACTED}", text) or redacted(arg)
        is_secret = _SECRET_FLAG.fullmatch(text) is not None


def _hidden(values: Any) -> Any:
    if isinstance(values, Mapping):
        return {key: value if _is_reference(value) else REDACTED for key, value in values.items()}
    return REDACTED


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and _REFERENCE.fullmatch(value) is not None


def server_view(
    server: ServerConfig,
    document: Mapping[str, Any],
    listed: ServerTools | None,
    status: ServerStatus | None,
    memory: Mapping[int, int] = MappingProxyType({}),
) -> dict[str, Any]:
    """A server: its entry in the config, what it listed, how it is.

    `status` is None where no gateway runs; `memory` has the bytes of process trees, by pid.
    """
    status = status or ServerStatus(server.name, "stopped" if server.enabled else "disabled")
    entry = document.get("servers", {}).get(server.name, {})
    return {
        "name": server.name,
        "enabled": server.enabled,
        "state": status.state,
        "description": server.description,
        "pid": status.pid,
        "memoryBytes": memory.get(status.pid or 0),
        "uptimeSec": status.uptime_s,
        "calls": status.calls,
        "inFlight": status.in_flight,
        "tools": len(listed.tools) if listed else None,
        "toolNames": [tool.name for tool in listed.tools] if listed else [],
        "repaired": [{"name": tool.name, "repairs": list(tool.repairs)} for tool in listed.tools if tool.repairs]
        if listed
        else [],
        "quarantined": [{"name": one.name, "reason": one.reason} for one in listed.quarantined] if listed else [],
        "lastError": status.fault,
        "retryInSec": status.retry_in_s,
        "junkLines": status.junk_lines,
        "firstJunk": status.first_junk,
        "lastStderr": status.last_stderr,
        "config": redacted(entry),
        "otherProcesses": [
            {
                "for": other.scope,
                "state": other.state,
                "pid": other.pid,
                "memoryBytes": memory.get(other.pid or 0),
                "calls": other.calls,
                "inFlight": other.in_flight,
            }
            for other in status.others
        ],
    }


def profile_view(profile: Profile, snapshot: Snapshot) -> dict[str, Any]:
    """A profile, and what it selects now."""
    offer = snapshot.offers[profile.name]
    return {
        "name": profile.name,
        "description": profile.description,
        "servers": list(profile.servers),
        "include": list(profile.include),
        "exclude": list(profile.exclude),
        "surface": profile.surface,
        "surfaceNow": offer.surface,
        "surfaces": {name: {"tools": cost.tools, "tokens": cost.tokens} for name, cost in offer.costs.items()},
        "isDefault": profile.name == snapshot.config.default_profile,
        "tools": len(offer.view.entries),
        "toolRefs": [str(entry.ref) for entry in offer.view.entries],
        "unlisted": list(offer.unlisted),
        "overrides": {
            ref: {key: word for key, word in (("name", one.name), ("description", one.description)) if word is not None}
            for ref, one in profile.overrides.items()
        },
        "warnings": list(offer.view.warnings),
    }


def search_view(offer: Offer, query: str, limit: int | None, around: Surroundings) -> dict[str, Any]:
    """The tools of a profile that fit `query`, best first; `miss` says why there are none."""
    material = offer.material
    found = find_entries(material, query, limit, around)
    tools = [
        {
            "ref": str(entry.ref),
            "wireName": entry.wire_name,
            "summary": summary(text_of(entry), SUMMARY_CHARS),
            "signature": signature(str(entry.ref), entry.tool),
        }
        for entry in found
    ]
    return {"tools": tools, "miss": "" if found else explain_miss(material, query, around)}


def run_view(outcome: Outcome) -> dict[str, Any]:
    """What a run of code used."""
    return {
        "kind": outcome.kind,
        "wallMs": round(outcome.wall_ms, 1),
        "calls": outcome.calls,
        "tools": list(outcome.tools),
        "memoryBytes": outcome.memory_bytes,
    }


def tool_views(offer: Offer, states: Mapping[str, str]) -> list[dict[str, Any]]:
    """The tools of a profile, whatever its surface; `states` are those of the servers, by name."""
    return [
        {
            "ref": str(entry.ref),
            "wireName": entry.wire_name,
            "description": entry.tool.description if entry.description is None else entry.description,
            "inputSchema": entry.tool.definition["inputSchema"],
            "server": entry.ref.server,
            "state": states.get(entry.ref.server, "stopped"),
        }
        for entry in offer.view.entries
    ]


def why_view(snapshot: Snapshot, text: str, profile_name: str) -> dict[str, Any]:
    """Why a tool is in a profile or not. Raises `NotFound` for an unknown profile and for what is no reference."""
    config = snapshot.config
    profile = config.profile(profile_name)
    if profile is None:
        raise NotFound(f"There is no profile {profile_name!r}.", hint=did_you_mean(profile_name, config.profiles))
    entry = snapshot.offers[profile.name].view.find(text)
    ref = entry.ref if entry else ToolRef.parse(text)
    if ref is None:
        message = f"{text!r} is neither a reference nor a name in profile {profile.name}."
        raise NotFound(message, hint="Write SERVER.TOOL.")
    return {
        "ref": str(ref),
        "profile": profile.name,
        "isIncluded": entry is not None,
        "wireName": entry.wire_name if entry else None,
        "reasons": list(_reasons(snapshot, profile, ref)),
    }


def _reasons(snapshot: Snapshot, profile: Profile, ref: ToolRef) -> Iterable[str]:
    server = snapshot.config.server(ref.server)
    if server is None:
        hint = did_you_mean(ref.server, snapshot.config.servers)
        yield f"There is no server {ref.server!r} in the config. {hint}".strip()
        return
    if server.name in profile.servers:
        yield f"The profile has the whole server {server.name}."
    rules = [(f"include pattern {one!r}", one) for one in profile.include]
    rules += [(f"exclude pattern {one!r}, which always wins,", one) for one in profile.exclude]
    fitting = [name for name, pattern in rules if matches_ref(pattern, ref)]
    yield from (f"The {name} fits it." for name in fitting)
    if not fitting and server.name not in profile.servers:
        yield f"Neither server {server.name} nor an include pattern brings it into the profile."
    if not server.enabled:
        yield f"Server {server.name} is disabled, so it gives no tools."
    yield from _listing_reasons(snapshot, server, ref)
    override = profile.overrides.get(ref.folded)
    if override is not None and override.name:
        yield f"An override names it {override.name}."


def _listing_reasons(snapshot: Snapshot, server: ServerConfig, ref: ToolRef) -> Iterable[str]:
    listed = snapshot.catalog.of(server)
    if listed is None:
        yield f"Server {server.name} was never listed: its tools are not known yet."
        return
    names = {tool.name.casefold(): tool for tool in listed.tools}
    tool = names.get(ref.tool.casefold())
    if tool is not None:
        yield from (f"Repaired: {repair}." for repair in tool.repairs)
        return
    for one in listed.quarantined:
        if one.name.casefold() == ref.tool.casefold():
            yield f"It is set aside, since it cannot be offered: {one.reason}."
            return
    hint = did_you_mean(ref.tool, [tool.name for tool in listed.tools])
    yield f"Server {server.name} lists no tool {ref.tool!r}. {hint}".strip()
