"""A profile's tools and servers for tests of surfaces, made the way the product makes them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Raw

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.config.model import Config, Override, Profile, ServerConfig
from switchboard_tray.snapshot import Snapshot, build_snapshot
from switchboard_tray.surfaces.material import Material, ServerLine, purpose_of
from switchboard_tray.surfaces.plan import Plan, Reply, Search, Surroundings, Unknown

ISSUE = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "description": "Title of the issue."},
        "state": {"type": "string", "enum": ["open", "closed"]},
        "count": {"type": "integer"},
        "labels": {"type": ["array", "null"]},
    },
    "required": ["title"],
}


def tool(name: str, description: str = "", schema: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A definition as a server gives it."""
    return {"name": name, "description": description, "inputSchema": schema or {"type": "object"}}


GITHUB = (
    tool("create_issue", "Create a new issue in a repository. Needs write access.", ISSUE),
    tool("list_issues", "List the issues of a repository."),
    tool("delete_repository", "Delete a repository for good."),
)
NOTES = (tool("add_note", "Write a note down."), tool("search_notes", "Find notes by their words."))


def material_of(servers: Mapping[str, Sequence[Mapping[str, Any]]], **profile: Any) -> Material:
    """What surfaces get of a profile with all these servers."""
    configs = {name: ServerConfig(name, command=name) for name in servers}
    lists = {}
    for name, tools in servers.items():
        accepted, _ = check_tools([json.dumps(one).encode() for one in tools])
        lists[server_key(configs[name])] = ServerTools(accepted)
    config = Config(configs, {"p": Profile("p", servers=tuple(servers), **profile)})
    view = build_snapshot(config, Catalog(lists), Snapshot()).offers["p"].view
    lines = [
        ServerLine(name, len(names), purpose_of(name, "", f"All about {name}.", names))
        for name in servers
        if (names := [entry.ref.tool for entry in view.entries if entry.ref.server == name])
    ]
    return Material(view, tuple(lines))


def usual() -> Material:
    """Two servers; one tool has a name of the profile's own, one is excluded."""
    overrides = {"github.list_issues": Override("find_issues", "Search issues in the acme org.")}
    return material_of({"github": GITHUB, "notes": NOTES}, exclude=("github.delete_*",), overrides=overrides)


def given(**arguments: Any) -> dict[str, Raw]:
    """The parameters of a call with these arguments."""
    return {"arguments": Raw(json.dumps(arguments).encode())}


def answer(planned: Plan, around: Surroundings | None = None) -> bytes:
    """The result that a plan comes to without a server."""
    around = around or Surroundings()
    match planned:
        case Reply(result):
            return result
        case Search(find):
            return find(around)
        case Unknown(_, explain) if explain is not None:
            return explain(around)
    raise AssertionError(planned)


def text(planned: Plan, around: Surroundings | None = None) -> str:
    """The text of that result."""
    return said(answer(planned, around))


def said(result: bytes) -> str:
    """The text of a result."""
    text: str = json.loads(result)["content"][0]["text"]
    return text


def is_error(result: bytes) -> bool:
    """Whether a result says that something went wrong."""
    return bool(json.loads(result).get("isError", False))
