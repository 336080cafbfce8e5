"""A profile's tools with the names they go by, and every way to look one up. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from switchboard_tray.catalog.code_names import CodeName
from switchboard_tray.catalog.model import Tool
from switchboard_tray.config.model import Override, Profile
from switchboard_tray.names import ToolRef
from switchboard_tray.profiles.select import Selected


@dataclass(frozen=True, slots=True)
class Entry:
    """A tool as one profile shows it."""

    ref: ToolRef
    tool: Tool
    wire_name: str
    """The name on flat surfaces: the override's, else the catalog's."""
    code_name: CodeName
    """How JavaScript calls it."""
    description: str | None = None
    """The override's description; None where the tool's own stands."""
    override_name: str | None = None
    """The name the profile gives it, where it gives one."""


@dataclass(frozen=True)
class View:
    """The tools of one profile, in the order they are listed."""

    profile: str
    entries: tuple[Entry, ...]
    warnings: tuple[str, ...] = ()

    @cached_property
    def by_ref(self) -> Mapping[ToolRef, Entry]:
        """Entries by exact reference."""
        return {entry.ref: entry for entry in self.entries}

    @cached_property
    def by_wire(self) -> Mapping[str, Entry]:
        """Entries by the name clients see."""
        return {entry.wire_name: entry for entry in self.entries}

    @cached_property
    def by_code(self) -> Mapping[CodeName, Entry]:
        """Entries by the name that JavaScript calls them."""
        return {entry.code_name: entry for entry in self.entries}

    @cached_property
    def _by_folded(self) -> Mapping[str, Entry]:
        folded: dict[str, Entry] = {}
        for entry in self.entries:
            folded.setdefault(entry.ref.folded, entry)
        return folded

    def find(self, text: str) -> Entry | None:
        """The tool meant by a reference in any letter case, or by a wire, override or code name.

        Clients put a prefix of their own before a wire name (``mcp__x__github__create_issue``), which is passed over.
        """
        ref = ToolRef.parse(text)
        exact = self.by_ref.get(ref) if ref else None
        coded = self.by_code.get(CodeName(ref.server, ref.tool)) if ref else None
        by_name = self._by_folded.get(text.casefold()) or self.by_wire.get(text)
        return exact or by_name or coded or self._find_prefixed(text)

    def _find_prefixed(self, text: str) -> Entry | None:
        _, _, rest = text.partition("__")
        while rest:
            if (entry := self.by_wire.get(rest)) is not None:
                return entry
            _, _, rest = rest.partition("__")
        return None

    def of_server(self, server: str) -> View:
        """The view of one server's tools alone, under the same names."""
        return View(self.profile, tuple(entry for entry in self.entries if entry.ref.server == server))


def build_view(
    profile: Profile,
    selected: Iterable[Selected],
    wire_names: Mapping[ToolRef, str],
    code_names: Mapping[ToolRef, CodeName],
) -> View:
    """The view of `profile`. An override's name that another tool of the profile has is dropped, with a warning."""
    chosen = tuple(selected)
    own = {one.ref: wire_names[one.ref] for one in chosen}
    overrides = {ref: name for ref in own if (name := _override(profile, ref).name) and name != own[ref]}
    warnings = []
    # A tool that loses its override takes its own name back, which another override may hold: hence until none loses.
    while losers := _losers(own, overrides):
        for ref, holder in losers.items():
            name = overrides.pop(ref)
            warnings.append(f"Profile {profile.name}: {ref} keeps its own name, since {holder} is called {name}.")
    entries = (
        Entry(
            one.ref,
            one.tool,
            overrides.get(one.ref, own[one.ref]),
            code_names[one.ref],
            _override(profile, one.ref).description,
            overrides.get(one.ref),
        )
        for one in chosen
    )
    return View(profile.name, tuple(entries), tuple(warnings))


def _losers(own: Mapping[ToolRef, str], overrides: Mapping[ToolRef, str]) -> dict[ToolRef, ToolRef]:
    """The references whose override is a name that another tool has, and that other tool."""
    holders = {name: ref for ref, name in own.items() if ref not in overrides}
    return {ref: holder for ref, name in overrides.items() if (holder := holders.setdefault(name, ref)) != ref}


def _override(profile: Profile, ref: ToolRef) -> Override:
    return profile.overrides.get(ref.folded) or Override()
