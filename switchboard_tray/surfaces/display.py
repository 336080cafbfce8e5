"""A surface over a profile's tools: listed once and asked many times. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from msgspec import Raw

from switchboard_tray.protocol.messages import read_text
from switchboard_tray.surfaces import apps, code, compact, meta, passthrough
from switchboard_tray.surfaces.calling import call
from switchboard_tray.surfaces.material import Material
from switchboard_tray.surfaces.plan import Plan, Unknown

_List = Callable[[Material], bytes]
_PlanCall = Callable[[Material, str, Mapping[str, Raw]], Plan]
_FLAT = "passthrough"
_OTHERS: Mapping[str, tuple[_List, _PlanCall]] = {
    "meta": (meta.list_tools, meta.plan_call),
    "apps": (apps.list_tools, apps.plan_call),
    "compact": (compact.list_tools, compact.plan_call),
    "code": (code.list_tools, code.plan_call),
}
_AUTO = ("meta", "apps", "compact")
BUILT_SURFACES = frozenset({_FLAT, *_OTHERS})


@dataclass(frozen=True)
class Display:
    """One of the surfaces that are built; ``auto`` is settled before."""

    surface: str
    material: Material
    is_switched: bool = False
    """Whether ``auto`` chose the surface: a client may not have noticed that it is another than before."""

    @property
    def is_flat(self) -> bool:
        """Whether the tools of servers are listed themselves."""
        return self.surface == _FLAT

    @cached_property
    def tools(self) -> bytes:
        """The listed tools as a JSON array, rendered once."""
        if self.is_flat:
            return passthrough.list_tools(self.material.view)
        return _OTHERS[self.surface][0](self.material)

    def plan(self, name: str, params: Mapping[str, Raw]) -> Plan:
        """What a call of the tool `name` comes to."""
        if not self.is_flat:
            return self._plan_behind(name, _with_object(params))
        planned = passthrough.plan_call(self.material.view, name, params)
        if isinstance(planned, Unknown) and self.is_switched:
            return self._plan_by(_AUTO, name, _with_object(params))
        return planned

    def _plan_behind(self, name: str, params: Mapping[str, Raw]) -> Plan:
        surfaces = _AUTO if self.is_switched else ()
        planned = self._plan_by((self.surface, *surfaces), name, params)
        if isinstance(planned, Unknown) and planned.explain is None:
            # Models also call what a search found by its own name, and tools that they knew before.
            entry = self.material.view.find(name)
            given = {"arguments": params["arguments"]} if "arguments" in params else {}
            return call(self.material, entry, name, given, params)
        return planned

    def _plan_by(self, surfaces: tuple[str, ...], name: str, params: Mapping[str, Raw]) -> Plan:
        """What the first of `surfaces` makes of it that lists a tool of this name."""
        planned: Plan = Unknown(name)
        for surface in surfaces:
            planned = _OTHERS[surface][1](self.material, name, params)
            if not isinstance(planned, Unknown) or planned.explain is not None:
                break
        return planned


def _with_object(params: Mapping[str, Raw]) -> Mapping[str, Raw]:
    """`params` with its arguments as an object, also where they came as JSON text."""
    text = read_text(params.get("arguments"))
    return params if text is None else {**params, "arguments": Raw((text.strip() or "{}").encode())}
