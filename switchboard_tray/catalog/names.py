"""Wire names, settled once over the whole catalog: one tool, one name, in every profile and after a restart. Pure."""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from switchboard_tray.names import ToolRef, hashed_name, wire_name


def settle_wire_names(refs: Iterable[ToolRef]) -> Mapping[ToolRef, str]:
    """A wire name for each reference, no two the same.

    A name that needed no change is kept. Where several references come to the same name, those that had to be changed
    get a hash of their reference instead, so that the outcome does not depend on any order.

    Source: docs/profiles.md, "Names that clients see".
    """
    contenders: dict[str, list[ToolRef]] = {}
    for ref in dict.fromkeys(refs):
        contenders.setdefault(wire_name(ref), []).append(ref)
    settled = {owner: name for name, rivals in contenders.items() if (owner := _owner(name, rivals))}
    taken = set(settled.values())
    for ref in sorted(ref for rivals in contenders.values() for ref in rivals if ref not in settled):
        name = hashed_name(ref)
        # A tool may be named like another one's hashed name; 32 bits more tell them apart.
        while name in taken:
            name = hashed_name(ToolRef(ref.server, name))
        settled[ref] = name
        taken.add(name)
    return MappingProxyType(settled)


def _owner(name: str, rivals: Sequence[ToolRef]) -> ToolRef | None:
    """Which of `rivals` has `name`: the only one, or the one that the name spells out.

    ``a`` + ``_b`` and ``a_`` + ``b`` both spell ``a___b``; the shorter server name has it.
    """
    spelled_out = [ref for ref in rivals if name == f"{ref.server}__{ref.tool}"]
    if len(rivals) == 1:
        return rivals[0]
    return min(spelled_out, key=lambda ref: len(ref.server), default=None)
