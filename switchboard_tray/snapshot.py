"""Config + catalog -> one immutable snapshot, from which every request is answered. Pure.

A profile that did not change keeps its offer object, so what was computed for it (rendered lists, look-ups) stays.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from switchboard_tray.catalog.code_names import CodeName, settle_code_names
from switchboard_tray.catalog.model import Catalog, ServerTools
from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.config.model import Config, Profile, ServerConfig
from switchboard_tray.names import ToolRef
from switchboard_tray.profiles.relayed import Relayed, build_relayed
from switchboard_tray.profiles.select import Selected, select_tools, servers_of
from switchboard_tray.profiles.view import View, build_view
from switchboard_tray.protocol.eras import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED
from switchboard_tray.surfaces import instructions
from switchboard_tray.surfaces.auto import choose_surface
from switchboard_tray.surfaces.costs import Cost, surface_costs
from switchboard_tray.surfaces.display import Display
from switchboard_tray.surfaces.material import Material, ServerLine, purpose_of
from switchboard_tray.typescript.shapes import Shape


@dataclass(frozen=True)
class Offer:
    """What one profile presents now."""

    profile: Profile
    view: View
    surface: str
    """The surface in force: never ``auto``."""
    servers: tuple[tuple[ServerConfig, ServerTools | None], ...]
    """The servers that may give it a tool; None for one that was never listed."""
    shapes: Mapping[str, Shape] = field(repr=False)
    """What results of tools looked like when it was made; a change of it alone makes no other offer."""
    inputs: tuple[object, ...] = field(repr=False)
    """Everything this offer was made from: equal inputs, same offer."""

    @cached_property
    def display(self) -> Display:
        """Its surface over its tools."""
        return Display(self.surface, self.material, is_switched=self.profile.surface == "auto")

    @cached_property
    def bundle(self) -> "Offer":
        """All of it, with all tools as they are."""
        return self._flat(self.view, self.servers)

    def of_server(self, server: str) -> "Offer | None":
        """What one server gives it, with all tools as they are; None where the server may not give it anything."""
        if server not in self._by_server:
            own = tuple((one, listed) for one, listed in self.servers if one.name == server)
            self._by_server[server] = self._flat(self.view.of_server(server), own) if own else None
        return self._by_server[server]

    def _flat(self, view: View, servers: "tuple[tuple[ServerConfig, ServerTools | None], ...]") -> "Offer":
        """A slice that was chosen by its address, and so does not change its surface by itself."""
        profile = replace(self.profile, surface="passthrough")
        return replace(self, profile=profile, surface="passthrough", view=view, servers=servers)

    @cached_property
    def _by_server(self) -> "dict[str, Offer | None]":
        return {}

    @cached_property
    def material(self) -> Material:
        """Its tools and servers, as surfaces work on them."""
        return Material(self.view, tuple(self._server_lines()), self.shapes)

    @cached_property
    def costs(self) -> Mapping[str, Cost]:
        """What each surface would cost."""
        return surface_costs(self.material)

    def _server_lines(self) -> Iterator[ServerLine]:
        counts = Counter(entry.ref.server for entry in self.view.entries)
        for server, listed in self.servers:
            if listed is not None and counts[server.name]:
                names = [entry.ref.tool for entry in self.view.entries if entry.ref.server == server.name]
                purpose = purpose_of(server.name, server.description, listed.instructions, names)
                yield ServerLine(server.name, counts[server.name], purpose)

    @cached_property
    def relayed(self) -> Relayed:
        """Its prompts and resources, as far as it passes them on."""
        return build_relayed(self.profile, [(server.name, listed) for server, listed in self.servers])

    @cached_property
    def fingerprints(self) -> Mapping[str, str]:
        """For each kind of change, a text that is equal for equal lists."""
        resources = self.relayed.resources + self.relayed.templates
        lists = {TOOLS_CHANGED: self.display.tools, PROMPTS_CHANGED: self.relayed.prompts, RESOURCES_CHANGED: resources}
        return {kind: sha256(listed).hexdigest() for kind, listed in lists.items()}

    @cached_property
    def instructions(self) -> str:
        """What a client is told when it connects."""
        relayed = self.relayed
        # A server that gives this client nothing has nothing to tell it.
        giving = {line.name for line in self.material.servers}
        for origins in (relayed.prompt_origins, relayed.resource_origins, relayed.template_origins):
            giving.update(server for server, _ in origins.values())
        said = [(one.name, listed.instructions) for one, listed in self.servers if listed and one.name in giving]
        return instructions.write_instructions(instructions.HEADS[self.surface], said)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Servers of the profile whose tools are not known yet."""
        return tuple(server.name for server, listed in self.servers if listed is None)


@dataclass(frozen=True)
class Snapshot:
    """The state of intent and knowledge that requests are answered from."""

    config: Config = field(default_factory=Config)
    catalog: Catalog = field(default_factory=Catalog)
    offers: Mapping[str, Offer] = field(default_factory=lambda: MappingProxyType({}))
    """By profile name, as the config spells it."""
    version: int = 0

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the config asks for and the present tool lists do not allow."""
        unmatched = (text for profile in self.config.profiles.values() for text in self._unknown_overrides(profile))
        return (*(text for offer in self.offers.values() for text in offer.view.warnings), *unmatched)

    def _unknown_overrides(self, profile: Profile) -> list[str]:
        """Overrides of tools that a listed server does not have."""
        listed = {
            server.name.casefold(): {ToolRef(server.name, tool.name).folded for tool in tools.tools}
            for server in self.config.servers.values()
            if (tools := self.catalog.of(server))
        }
        return [
            f"Profile {profile.name}: the override of {ref} is for a tool that its server does not have."
            for ref in profile.overrides
            if (known := listed.get(ref.partition(".")[0])) is not None and ref not in known
        ]


class _Names(NamedTuple):
    wire: Mapping[ToolRef, str]
    code: Mapping[ToolRef, CodeName]


def build_snapshot(
    config: Config,
    catalog: Catalog,
    previous: Snapshot,
    held: frozenset[str] = frozenset(),
    shapes: Mapping[str, Shape] = MappingProxyType({}),
) -> Snapshot:
    """The snapshot of `config` and `catalog`; offers equal to those of `previous` are taken from there.

    The profiles named in `held` keep the surface they have now, so that none flickers between two.
    """
    refs = [
        ToolRef(server.name, tool.name)
        for server in config.servers.values()
        if (listed := catalog.of(server))
        for tool in listed.tools
    ]
    names = _Names(settle_wire_names(refs), settle_code_names(refs))
    offers = {}
    for name, profile in config.profiles.items():
        former = previous.offers.get(name)
        is_held = former is not None and name in held and former.profile == profile
        kept = former.surface if former is not None and is_held else None
        offers[name] = _offer(profile, config, catalog, names, former, kept, shapes)
    return Snapshot(config, catalog, MappingProxyType(offers), previous.version + 1)


def _offer(
    profile: Profile,
    config: Config,
    catalog: Catalog,
    names: _Names,
    former: Offer | None,
    kept_surface: str | None,
    shapes: Mapping[str, Shape],
) -> Offer:
    servers = tuple((server, catalog.of(server)) for server in servers_of(profile, config))
    selected = tuple(select_tools(profile, config, catalog))
    surface = kept_surface or _surface_by_size(profile, selected)
    inputs = (
        profile,
        surface,
        tuple((server.name, server.description, listed.digest if listed else None) for server, listed in servers),
        tuple((names.wire[one.ref], names.code[one.ref]) for one in selected),
    )
    if former is not None and former.inputs == inputs:
        return former
    return Offer(profile, build_view(profile, selected, names.wire, names.code), surface, servers, shapes, inputs)


def _surface_by_size(profile: Profile, selected: Sequence[Selected]) -> str:
    """The surface that the profile has, by its size where it is ``auto``."""
    giving = {one.ref.server for one in selected}
    return choose_surface(profile.surface, profile.auto_threshold, profile.auto_above, len(selected), len(giving))
