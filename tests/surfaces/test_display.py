"""A surface over a profile: listed once, asked many times."""

import json

import pytest

from switchboard_tray.names import ToolRef
from switchboard_tray.surfaces.display import BUILT_SURFACES, Display
from switchboard_tray.surfaces.material import Surroundings
from switchboard_tray.surfaces.plan import Invoke, Unknown
from tests.surfaces.materials import given, usual


@pytest.mark.parametrize(
    ("surface", "names"),
    [
        ("passthrough", ["github__create_issue", "find_issues", "notes__add_note", "notes__search_notes"]),
        ("meta", ["search_tools", "get_schema", "call_tool"]),
        ("compact", ["search_tools", "call_tool"]),
        ("apps", ["github", "notes"]),
    ],
)
def test_each_surface_lists_its_own_tools(surface: str, names: list[str]) -> None:
    display = Display(surface, usual())

    assert [one["name"] for one in json.loads(display.tools)] == names
    assert display.is_flat is (surface == "passthrough")
    assert display.tools is display.tools and display.fingerprint == Display(surface, usual()).fingerprint


@pytest.mark.parametrize("surface", sorted(BUILT_SURFACES))
def test_name_that_is_not_listed_is_unknown(surface: str) -> None:
    assert Display(surface, usual()).plan("nothing", {}, Surroundings()) == Unknown("nothing")


def test_listed_tool_is_called_on_the_flat_surface() -> None:
    planned = Display("passthrough", usual()).plan("notes__add_note", given(x=1), Surroundings())

    assert isinstance(planned, Invoke) and planned.ref == ToolRef("notes", "add_note")
