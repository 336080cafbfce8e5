"""What one address of a profile presents: a surface over its tools, listed once and asked many times. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from msgspec import Raw

from switchboard_tray.surfaces import apps, compact, meta, passthrough
from switchboard_tray.surfaces.material import Material, Surroundings
from switchboard_tray.surfaces.plan import Plan

_List = Callable[[Material], bytes]
_PlanCall = Callable[[Material, str, Mapping[str, Raw], Surroundings], Plan]
_SURFACES: Mapping[str, tuple[_List, _PlanCall]] = {
    "passthrough": (
        lambda material: passthrough.list_tools(material.view),
        lambda material, name, params, around: passthrough.plan_call(material.view, name, params),
    ),
    "meta": (meta.list_tools, meta.plan_call),
    "apps": (apps.list_tools, apps.plan_call),
    "compact": (compact.list_tools, compact.plan_call),
}
BUILT_SURFACES = frozenset(_SURFACES)


@dataclass(frozen=True)
class Display:
    """A surface, one of those that are built; ``auto`` is settled before."""

    surface: str
    material: Material

    @property
    def is_flat(self) -> bool:
        """Whether the tools of servers are listed themselves."""
        return self.surface == "passthrough"

    @cached_property
    def tools(self) -> bytes:
        """The listed tools as a JSON array, rendered once."""
        return _SURFACES[self.surface][0](self.material)

    @cached_property
    def fingerprint(self) -> str:
        """Equal for equal lists: a client need not be told of a change that it cannot see."""
        return sha256(self.tools).hexdigest()

    def plan(self, name: str, params: Mapping[str, Raw], around: Surroundings) -> Plan:
        """What a call of the listed tool `name` comes to."""
        return _SURFACES[self.surface][1](self.material, name, params, around)
