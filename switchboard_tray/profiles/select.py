"""The tools of a profile: its servers, plus `include`, minus `exclude`. Pure."""

from collections.abc import Iterator
from dataclasses import dataclass

from switchboard_tray.catalog.model import Catalog, Tool
from switchboard_tray.config.model import Config, Profile, ServerConfig
from switchboard_tray.names import ToolRef, matches, matches_ref


@dataclass(frozen=True, slots=True)
class Selected:
    """A tool that belongs to a profile."""

    ref: ToolRef
    tool: Tool


def select_tools(profile: Profile, config: Config, catalog: Catalog) -> Iterator[Selected]:
    """The tools of `profile`, servers in the order of the config, tools in the order of their server.

    A disabled server gives none. `exclude` always wins.

    Source: docs/profiles.md.
    """
    for server in servers_of(profile, config):
        listed = catalog.of(server)
        is_whole = server.name in profile.servers
        for tool in listed.tools if listed else ():
            ref = ToolRef(server.name, tool.name)
            if (is_whole or _fits(profile.include, ref)) and not _fits(profile.exclude, ref):
                yield Selected(ref, tool)


def servers_of(profile: Profile, config: Config, *, enabled: bool = True) -> Iterator[ServerConfig]:
    """The servers that may give `profile` a tool, or could if they were not disabled."""
    for server in config.servers.values():
        is_named = server.name in profile.servers or any(
            matches(pattern.partition(".")[0], server.name) for pattern in profile.include
        )
        if server.enabled is enabled and is_named:
            yield server


def _fits(patterns: tuple[str, ...], ref: ToolRef) -> bool:
    return any(matches_ref(pattern, ref) for pattern in patterns)
