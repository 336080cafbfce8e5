"""Config + catalog -> one immutable snapshot, from which every request is answered. Pure.

A profile that did not change keeps its offer object, so what was computed for it (rendered lists, look-ups) stays.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType

from msgspec import Raw

from switchboard_tray.catalog.model import Catalog, ServerTools
from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.config.model import Config, Profile
from switchboard_tray.names import ToolRef
from switchboard_tray.profiles.relayed import Relayed, build_relayed
from switchboard_tray.profiles.select import select_tools, servers_of
from switchboard_tray.profiles.view import View, build_view
from switchboard_tray.protocol.eras import PROMPTS_CHANGED, RESOURCES_CHANGED, TOOLS_CHANGED
from switchboard_tray.surfaces import instructions, passthrough
from switchboard_tray.surfaces.plan import Plan


@dataclass(frozen=True)
class Offer:
    """What one profile presents now."""

    profile: Profile
    view: View
    servers: tuple[tuple[str, ServerTools | None], ...]
    """The servers that may give it a tool; None for one that was never listed."""
    inputs: tuple[object, ...] = field(repr=False)
    """Everything this offer was made from: equal inputs, same offer."""

    @cached_property
    def tools(self) -> bytes:
        """The listed tools as a JSON array, rendered once."""
        return passthrough.list_tools(self.view)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal lists: a client need not be told of a change that it cannot see."""
        return sha256(self.tools).hexdigest()

    @cached_property
    def relayed(self) -> Relayed:
        """Its prompts and resources, as far as it passes them on."""
        return build_relayed(self.profile, self.servers)

    @cached_property
    def fingerprints(self) -> Mapping[str, str]:
        """For each kind of change a client can be told of, what it would list now."""
        resources = self.relayed.resources + self.relayed.templates
        return {
            TOOLS_CHANGED: self.fingerprint,
            PROMPTS_CHANGED: sha256(self.relayed.prompts).hexdigest(),
            RESOURCES_CHANGED: sha256(resources).hexdigest(),
        }

    @cached_property
    def instructions(self) -> str:
        """What a client of this profile is told when it connects."""
        relayed = self.relayed
        # A server that gives this profile nothing has nothing to tell it.
        giving = {entry.ref.server for entry in self.view.entries}
        for origins in (relayed.prompt_origins, relayed.resource_origins, relayed.template_origins):
            giving.update(server for server, _ in origins.values())
        said = [(name, listed.instructions) for name, listed in self.servers if listed and name in giving]
        return instructions.write_instructions(instructions.PASSTHROUGH, said)

    @property
    def unlisted(self) -> tuple[str, ...]:
        """Servers of the profile whose tools are not known yet."""
        return tuple(name for name, listed in self.servers if listed is None)

    def plan(self, name: str, params: Mapping[str, Raw]) -> Plan:
        """What a call of the listed tool `name` comes to."""
        return passthrough.plan_call(self.view, name, params)


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


def build_snapshot(config: Config, catalog: Catalog, previous: Snapshot) -> Snapshot:
    """The snapshot of `config` and `catalog`; offers equal to those of `previous` are taken from there."""
    refs = [
        ToolRef(server.name, tool.name)
        for server in config.servers.values()
        if (listed := catalog.of(server))
        for tool in listed.tools
    ]
    wire_names = settle_wire_names(refs)
    offers = {name: _offer(profile, config, catalog, wire_names, previous) for name, profile in config.profiles.items()}
    return Snapshot(config, catalog, MappingProxyType(offers), previous.version + 1)


def _offer(
    profile: Profile, config: Config, catalog: Catalog, wire_names: Mapping[ToolRef, str], previous: Snapshot
) -> Offer:
    servers = tuple((server.name, catalog.of(server)) for server in servers_of(profile, config))
    selected = tuple(select_tools(profile, config, catalog))
    inputs = (
        profile,
        tuple((name, listed.digest if listed else None) for name, listed in servers),
        tuple(wire_names[one.ref] for one in selected),
    )
    former = previous.offers.get(profile.name)
    if former is not None and former.inputs == inputs:
        return former
    return Offer(profile, build_view(profile, selected, wire_names), servers, inputs)
