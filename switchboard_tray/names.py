"""The three names of a tool, and patterns over them. Pure.

A *reference* is ``server.tool`` (split at the first dot), a *wire name* what clients see (``server__tool``). Clashes
are not settled here: `catalog.names` does that, once for the whole catalog.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256

WIRE_NAME_CHARS = 64
HASH_CHARS = 8
SERVER_NAME = re.compile(r"(?!-)[A-Za-z0-9_-]{1,32}\Z")
OVERRIDE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
RESERVED_SERVERS = frozenset({"script", "catalog"})
_NOT_WIRE = re.compile(r"[^A-Za-z0-9_-]")


@dataclass(frozen=True, slots=True, order=True)
class ToolRef:
    """A tool of a server, spelled as the config and the server spell them."""

    server: str
    tool: str

    def __str__(self) -> str:
        return f"{self.server}.{self.tool}"

    @classmethod
    def parse(cls, text: str) -> "ToolRef | None":
        """The reference in `text`, split at its first dot; None where there is no dot or a side is empty."""
        server, dot, tool = text.partition(".")
        return cls(server, tool) if dot and server and tool else None

    @property
    def folded(self) -> str:
        """The reference for comparison without regard to case."""
        return str(self).casefold()


def wire_name(ref: ToolRef) -> str:
    """Name a client sees for `ref`: ``github__create_issue``.

    At most 64 characters of [A-Za-z0-9_-]. Longer names end in ``_`` and 8 hex digits of the reference's SHA-256, so
    they stay the same over restarts. Not unique by itself: `catalog.names` settles clashes.

    Source: docs/profiles.md, "Names that clients see".
    """
    plain = _NOT_WIRE.sub("_", f"{ref.server}__{ref.tool}")
    return plain if len(plain) <= WIRE_NAME_CHARS else hashed_name(ref)


def hashed_name(ref: ToolRef) -> str:
    """The wire name of `ref` with a hash of the reference at its end, at most 64 characters."""
    plain = _NOT_WIRE.sub("_", f"{ref.server}__{ref.tool}")
    digest = sha256(str(ref).encode(errors="surrogatepass")).hexdigest()
    return f"{plain[: WIRE_NAME_CHARS - HASH_CHARS - 1]}_{digest[:HASH_CHARS]}"


def matches(pattern: str, text: str) -> bool:
    """Whether `text` as a whole fits `pattern`; ``*`` stands for any characters, also none, and case is ignored."""
    first, *others = pattern.casefold().split("*")
    folded = text.casefold()
    if not others:
        return folded == first
    *middle, last = others
    if not folded.startswith(first) or not folded.endswith(last) or len(folded) < len(first) + len(last):
        return False
    # Leftmost placement of each part in turn: linear, where a regular expression with many stars is not.
    at, end = len(first), len(folded) - len(last)
    for part in middle:
        at = folded.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True


def matches_ref(pattern: str, ref: ToolRef) -> bool:
    """Whether `ref` fits a ``server.tool`` pattern; a ``*`` never reaches across the dot between the two parts."""
    server, _, tool = pattern.partition(".")
    return matches(server, ref.server) and matches(tool, ref.tool)


def near(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The names in `known` a person may have meant by `name`, best first, at most `limit`."""
    wanted = name.casefold()
    scored = []
    for candidate in known:
        other = candidate.casefold()
        score = SequenceMatcher(None, wanted, other).ratio()
        if len(wanted) >= 3 and (wanted in other or other in wanted):
            score = max(score, 0.8)
        if score >= 0.6:
            scored.append((-score, candidate))
    return [candidate for _, candidate in sorted(scored)[:limit]]


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question that names the nearest known names, or an empty string where none is near."""
    found = near(name, known)
    return f"Did you mean {' or '.join(found)}?" if found else ""
