"""What each surface of a profile costs a model in every request, so that they can be told apart by it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

import msgspec
from msgspec import Raw

from switchboard_tray.surfaces.display import BUILT_SURFACES, Display
from switchboard_tray.surfaces.material import Material
from switchboard_tray.surfaces.tokens import estimate_tokens

_decode = msgspec.json.Decoder(list[Raw]).decode


@dataclass(frozen=True, slots=True)
class Cost:
    """The definitions of one surface: how many, and about how many tokens they have."""

    tools: int
    tokens: int


def surface_costs(material: Material) -> Mapping[str, Cost]:
    """The cost of each surface there is, by its name. Takes 5 ms for 500 tools."""
    return {surface: _cost(Display(surface, material).tools) for surface in sorted(BUILT_SURFACES)}


def _cost(tools: bytes) -> Cost:
    return Cost(len(_decode(tools)), estimate_tokens(tools.decode()))
