"""All tools of a profile as they are, under their wire names or overrides. Pure."""

from collections.abc import Mapping

from msgspec import Raw

from switchboard_tray.profiles.view import Entry, View
from switchboard_tray.protocol.messages import dumps
from switchboard_tray.surfaces.plan import Invoke, Plan, Unknown


def list_tools(view: View) -> bytes:
    """The tools as a JSON array: each definition as its server wrote it, but for its name and an overridden text."""
    return b"[" + b",".join(_definition(entry) for entry in view.entries) + b"]"


def plan_call(view: View, name: str, params: Mapping[str, Raw]) -> Plan:
    """The tool that `name` stands for; wire and override names alone are understood here."""
    entry = view.by_wire.get(name)
    return Invoke(entry.ref, params) if entry else Unknown(name)


def _definition(entry: Entry) -> bytes:
    changed: dict[str, object] = {**entry.tool.members, "name": entry.wire_name}
    if entry.description is not None:
        changed["description"] = entry.description
    return dumps(changed)
