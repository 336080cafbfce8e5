"""What surfaces cost beside each other."""

from switchboard_tray.surfaces.costs import surface_costs
from switchboard_tray.surfaces.display import BUILT_SURFACES, Display
from switchboard_tray.surfaces.tokens import estimate_tokens
from tests.surfaces.materials import material_of, tool, usual


def test_each_surface_is_counted_as_it_is_listed() -> None:
    costs = surface_costs(usual())

    assert set(costs) == BUILT_SURFACES
    assert {name: costs[name].tools for name in ("passthrough", "meta", "compact", "apps")} == {
        "passthrough": 4,
        "meta": 3,
        "compact": 2,
        "apps": 2,
    }
    assert costs["meta"].tokens == estimate_tokens(Display("meta", usual()).tools.decode())


def test_many_tools_cost_more_as_they_are_than_behind_a_search() -> None:
    costs = surface_costs(material_of({"s": [tool(f"tool_{number}", "Does a thing.") for number in range(200)]}))

    assert costs["passthrough"].tokens > 10 * costs["meta"].tokens > 0


def test_profile_without_tools_costs_almost_nothing_flat() -> None:
    assert surface_costs(material_of({}))["passthrough"].tools == 0
