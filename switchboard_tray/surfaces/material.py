"""What every surface works on: a profile's view, its servers in a line each, the search index. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from switchboard_tray.profiles.view import Entry, View
from switchboard_tray.surfaces.topics import find_topics

if TYPE_CHECKING:
    from switchboard_tray.search.index import Document, Index
    from switchboard_tray.typescript.shapes import Shape

PURPOSE_CHARS = 200
_STEPS = (1000, 500, 200, 100, 50, 20, 10)


@dataclass(frozen=True, slots=True)
class ServerLine:
    """A server of the profile, as a manifest names it."""

    name: str
    tool_count: int
    purpose: str
    """What it is for: the user's line, else the server's instructions, else its tools."""


@dataclass(frozen=True)
class Material:
    """A profile's tools and servers. Servers that give it no tool are not among `servers`."""

    view: View
    servers: tuple[ServerLine, ...]
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    """What results looked like when this was made, by reference in lower case."""

    @cached_property
    def index(self) -> Index:
        """The tools, to be searched. Takes a tenth of a second for 500 of them, so it is built when first needed."""
        # Brings numpy with it, which a gateway whose profiles are all listed flat never needs.
        from switchboard_tray.search.index import build_index

        purposes = {server.name: server.purpose for server in self.servers}
        return build_index([_document(entry, purposes[entry.ref.server]) for entry in self.view.entries])

    @cached_property
    def by_server(self) -> Mapping[str, tuple[Entry, ...]]:
        """The entries of each server, by its name in lower case."""
        groups: dict[str, list[Entry]] = {}
        for entry in self.view.entries:
            groups.setdefault(entry.ref.server.casefold(), []).append(entry)
        return {name: tuple(entries) for name, entries in groups.items()}

    @cached_property
    def _by_any_server_name(self) -> Mapping[str, tuple[Entry, ...]]:
        by_code = {entries[0].code_name.server.casefold(): entries for entries in self.by_server.values()}
        return {**by_code, **self.by_server}

    def find_server(self, name: str) -> tuple[Entry, ...]:
        """The entries of the server meant by `name`, its own or the one in code, in any letter case; else none."""
        return self._by_any_server_name.get(name.casefold(), ())

    def near(self, text: str) -> list[Entry]:
        """The tools of this profile that may be meant by `text`, at most five."""
        return [self.view.by_ref[hit.ref] for hit in self.index.search(text, 5)]


def text_of(entry: Entry) -> str:
    """What a model is told of a tool: the profile's own words, else the server's."""
    return entry.tool.description if entry.description is None else entry.description


def summary(text: str, limit_chars: int) -> str:
    """The first sentence of `text`, on one line, cut where it is longer than `limit_chars`."""
    line = " ".join(text.split())
    for end in (". ", "! ", "? "):
        head, found, _ = line.partition(end)
        if found and len(head) >= 20:
            line = head + end.strip()
            break
    if len(line) <= limit_chars:
        return line
    cut = line[: limit_chars - 3]
    # At the end of a word, unless that would leave little.
    whole = cut.rpartition(" ")[0] if line[len(cut)] != " " else cut
    return (whole if len(whole) > limit_chars // 2 else cut).rstrip(" ,;:") + "..."


def rounded(count: int) -> str:
    """A count that seldom changes, so that a list that names it seldom does: 9, 10+, 20+, 50+, 100+."""
    return next((f"{step}+" for step in _STEPS if count >= step), str(count))


def purpose_of(server: str, description: str, instructions: str, tool_names: Sequence[str]) -> str:
    """What a server is for, in a line: the user's own, else what it says of itself, else what its tools deal with."""
    for text in (description, instructions):
        if text.strip():
            return summary(text, PURPOSE_CHARS)
    return summary(", ".join(find_topics(server, tool_names) or tool_names), PURPOSE_CHARS)


def _document(entry: Entry, purpose: str) -> Document:
    from switchboard_tray.search.index import Document

    definition = entry.tool.definition
    properties = definition["inputSchema"].get("properties", {})
    return Document(
        ref=entry.ref,
        name=entry.override_name or entry.ref.tool,
        title=str(definition.get("title", "")),
        description=text_of(entry),
        parameters=tuple(properties),
        server_purpose=purpose,
    )
