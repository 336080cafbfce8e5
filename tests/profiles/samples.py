"""Configs and catalogs in a few words, for tests of what follows from them."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from switchboard_tray.catalog.model import Catalog, ServerTools, Tool, server_key
from switchboard_tray.config.model import Config
from switchboard_tray.config.parse import parse_config


def config_of(**document: Any) -> Config:
    """The config that a document spells; a server given as None runs a command of its own name."""
    servers = {name: entry or {"command": name} for name, entry in document.pop("servers", {}).items()}
    parsed = parse_config({"servers": servers, **document})
    assert parsed.config is not None, parsed.problems
    return parsed.config


def tool_of(name: str, **members: Any) -> Tool:
    """A tool as it passes the check."""
    return Tool(name, json.dumps({"name": name, "inputSchema": {"type": "object"}, **members}).encode())


def catalog_of(
    config: Config, tools: Mapping[str, Iterable[str | Tool]], said: Mapping[str, str] | None = None
) -> Catalog:
    """The lists of some servers, and what they say of themselves."""
    catalog = Catalog()
    for server, listed in tools.items():
        made = tuple(one if isinstance(one, Tool) else tool_of(one) for one in listed)
        key = server_key(config.servers[server])
        catalog = catalog.with_list(key, ServerTools(made, instructions=(said or {}).get(server, "")))
    return catalog
