"""Tools by a name that somebody typed, in whatever spelling. Pure.

References, wire names and bare names, with or without a client's prefix, in camel, snake or kebab case or with spaces.
"""

from collections.abc import Iterable, Iterator, Sequence

from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.search import words

# What people and models put around a name.
_AROUND = " \t\r\n`'\"\u201c\u201d\u2018\u2019()<>,;"
_GRAM = 3
_NEAR_CHARS = 64
_NEAR_ENOUGH = 0.4


class TypedNames:
    """The names of some tools; tools are given and answered as their places in the sequence."""

    def __init__(self, refs: Sequence[ToolRef], names: Sequence[str]) -> None:
        self._refs = refs
        # From the surest to the vaguest.
        self._full: dict[str, list[int]] = {}
        self._full_folded: dict[str, list[int]] = {}
        self._bare: dict[str, list[int]] = {}
        self._bare_joined: dict[str, list[int]] = {}
        self._full_joined: dict[str, list[int]] = {}
        self._short_joined: dict[str, list[int]] = {}
        for place, (ref, name) in enumerate(zip(refs, names, strict=True)):
            self._add(place, ref, name)

    def _add(self, place: int, ref: ToolRef, name: str) -> None:
        for full in {str(ref), wire_name(ref)}:
            self._full.setdefault(full, []).append(place)
        for full in {ref.folded, wire_name(ref).casefold()}:
            self._full_folded.setdefault(full, []).append(place)
        server = words.joined(ref.server)
        for bare in {ref.tool, name}:
            joined = words.joined(bare)
            self._bare.setdefault(bare, []).append(place)
            self._bare_joined.setdefault(joined, []).append(place)
            self._full_joined.setdefault(server + joined, []).append(place)
            if joined.startswith(server) and joined != server:
                self._short_joined.setdefault(joined.removeprefix(server), []).append(place)

    def find(self, text: str) -> list[int]:
        """The tools that `text` names, the surest first; a full name in its own spelling names that tool alone."""
        typed = text.strip(_AROUND)
        for full in _without_client(typed):
            known = self._full.get(full) or self._full_folded.get(full.casefold())
            if known:
                return list(known)
        found: dict[int, None] = dict.fromkeys(self._bare.get(typed, ()))
        for full in _without_client(typed):
            joined = words.joined(full)
            tables = [self._bare_joined, self._full_joined, self._short_joined]
            if "." in full or "__" in full:
                tables.insert(0, tables.pop(1))
            for table in tables if joined else ():
                found |= dict.fromkeys(table.get(joined, ()))
        return list(found)

    def near(self, text: str, limit: int) -> list[int]:
        """The tools whose names look like `text`, the nearest first, at most `limit`."""
        typed = list(_without_client(text.strip(_AROUND)[: 2 * _NEAR_CHARS]))[-1]
        wanted = _grams(words.joined(typed))
        if not wanted:
            return []
        has_server = "." in typed or "__" in typed
        scored: list[tuple[float, int]] = []
        for place, ref in enumerate(self._refs):
            grams = _grams(words.joined(str(ref) if has_server else ref.tool))
            likeness = 2 * len(wanted & grams) / (len(wanted) + len(grams))
            if likeness >= _NEAR_ENOUGH:
                scored.append((-likeness, place))
        return [place for _, place in sorted(scored)[: max(limit, 0)]]


def _without_client(typed: str) -> Iterator[str]:
    """`typed`, and what is left of ``mcp__client__server__tool`` without one or more of the parts in front."""
    yield typed
    if typed[:5].casefold() == "mcp__":
        parts = typed.split("__")
        yield from ("__".join(parts[at:]) for at in range(1, min(len(parts) - 1, 4)))


def _grams(joined: str) -> frozenset[str]:
    padded = f" {joined[:_NEAR_CHARS]} " if joined else ""
    return frozenset(_windows(padded))


def _windows(text: str) -> Iterable[str]:
    return (text[at : at + _GRAM] for at in range(len(text) - _GRAM + 1))
