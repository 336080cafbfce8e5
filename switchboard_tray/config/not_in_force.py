"""Keys that the config already knows and no part obeys yet. Pure; lines leave this table as parts are built.

Source: docs/config.md: "A key whose part is not built yet gives the warning `not in force in this version`".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchboard_tray.pointers import child, pointer_keys

MESSAGE = "not in force in this version"


@dataclass(frozen=True, slots=True)
class NotInForce:
    """Values at `where` (a pointer, ``*`` for any key) that have no effect yet, all but those in `but`."""

    where: str
    but: tuple[str, ...] = ()
    meanwhile: str = ""


_LOCAL = ("stdio", "local")

NOT_IN_FORCE: tuple[NotInForce, ...] = (
    NotInForce("/servers/*/url"),
    NotInForce("/servers/*/headers"),
    NotInForce("/servers/*/transport", but=_LOCAL),
    NotInForce("/servers/*/type", but=_LOCAL),
    NotInForce("/servers/*/toolChanges"),
    NotInForce("/profiles/*/accounts"),
    NotInForce("/profiles/*/confirm/*", meanwhile="Tools that match are refused until it is."),
    NotInForce("/settings/autostart"),
    NotInForce("/settings/theme"),
    NotInForce("/settings/notifications"),
    NotInForce("/settings/shortcuts"),
)


def values_not_in_force(document: object) -> Iterator[tuple[str, str]]:
    """The pointer of each value in `document` that has no effect yet, with what happens meanwhile (may be empty)."""
    for entry in NOT_IN_FORCE:
        for pointer, value in _places(document, pointer_keys(entry.where), ""):
            if not _is_in(value, entry.but):
                yield pointer, entry.meanwhile


def _places(value: object, keys: Sequence[str], pointer: str) -> Iterator[tuple[str, object]]:
    if not keys:
        yield pointer, value
        return
    members: Mapping[str, object] = {}
    if isinstance(value, dict):
        members = value
    elif isinstance(value, list):
        members = {str(index): item for index, item in enumerate(value)}
    for name in members if keys[0] == "*" else members.keys() & {keys[0]}:
        yield from _places(members[name], keys[1:], child(pointer, name))


def _is_in(value: object, words: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in words
