"""Wire names, settled once over the whole catalog: one tool, one name, in every profile and after a restart. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from switchboard_tray.names import ToolRef, hashed_name, wire_name


def settle_wire_names(refs: Iterable[ToolRef]) -> Mapping[ToolRef, str]:
    """A wire name for each reference, no two the same.

    A name that needed no change is kept. Where several references come to the same name, those that had to be changed
    get a hash of their reference instead, so that the outcome does not depend on any order.

    Source: docs/profiles.md, "Names that clients see".
    """
    wanted = {ref: wire_name(ref) for ref in refs}
    count = Counter(wanted.values())
    settled: dict[ToolRef, str] = {}
    taken = {name for ref, name in wanted.items() if _keeps(ref, name, count[name])}
    for ref, name in wanted.items():
        settled[ref] = name if _keeps(ref, name, count[name]) else hashed_name(ref)
    for ref in sorted(ref for ref, name in settled.items() if not _keeps(ref, wanted[ref], count[wanted[ref]])):
        # A tool may be named like another one's hashed name; 32 bits more tell them apart.
        while settled[ref] in taken:
            settled[ref] = hashed_name(ToolRef(ref.server, settled[ref]))
        taken.add(settled[ref])
    return MappingProxyType(settled)


def _keeps(ref: ToolRef, name: str, contenders: int) -> bool:
    """Whether `ref` may have `name`: it is alone, or it is the reference the name spells out.

    ``a_`` + ``b`` and ``a`` + ``_b`` both spell ``a___b``; the server without the underscore at its end has it.
    """
    spelled_out = name == f"{ref.server}__{ref.tool}" and not ref.server.endswith("_")
    return contenders == 1 or spelled_out
