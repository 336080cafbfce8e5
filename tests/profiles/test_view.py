"""The names a profile's tools go by, and every way to look one up."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.catalog.code_names import settle_code_names
from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.config.model import Override, Profile
from switchboard_tray.names import ToolRef
from switchboard_tray.profiles.select import Selected
from switchboard_tray.profiles.view import View, build_view
from tests.profiles.samples import tool_of
from tests.surfaces.materials import usual


def view_of(*refs: str, **names: str) -> View:
    """A view of tools; `names` are their overrides, with ``__`` for the dot of the reference."""
    overrides = {ref.replace("__", "."): Override(name) for ref, name in names.items()}
    return build(refs, overrides)


def build(refs: Any, overrides: dict[str, Override]) -> View:
    parsed = [ToolRef(*ref.split(".", 1)) for ref in refs]
    return build_view(
        Profile("work", overrides=overrides),
        [Selected(ref, tool_of(ref.tool)) for ref in parsed],
        settle_wire_names(parsed),
        settle_code_names(parsed),
    )


def names(view: View) -> dict[str, str]:
    return {str(entry.ref): entry.wire_name for entry in view.entries}


def test_without_overrides_tools_have_the_names_of_the_catalog() -> None:
    view = view_of("github.search", "notion.search")

    assert names(view) == {"github.search": "github__search", "notion.search": "notion__search"}
    assert view.warnings == ()


def test_an_override_replaces_the_whole_name_in_any_letter_case_of_its_key() -> None:
    view = build(["GitHub.Search"], {"github.search": Override("find", "Finds it.")})

    assert names(view) == {"GitHub.Search": "find"}
    assert view.entries[0].description == "Finds it."


def test_an_override_of_the_description_alone_leaves_the_name() -> None:
    view = build(["github.search"], {"github.search": Override(description="")})

    assert names(view) == {"github.search": "github__search"}
    assert view.entries[0].description == ""


def test_overrides_may_swap_two_names() -> None:
    view = view_of("a.x", "a.y", a__x="a__y", a__y="a__x")

    assert names(view) == {"a.x": "a__y", "a.y": "a__x"}
    assert view.warnings == ()


def test_an_override_may_take_the_name_that_another_tool_gave_up() -> None:
    view = view_of("a.x", "a.y", a__x="a__y", a__y="other")

    assert names(view) == {"a.x": "a__y", "a.y": "other"}


def test_an_override_may_say_the_name_the_tool_has_anyway() -> None:
    view = view_of("a.x", a__x="a__x")

    assert names(view) == {"a.x": "a__x"}
    assert view.warnings == ()


def test_an_override_with_the_name_of_another_tool_is_dropped_and_said() -> None:
    view = view_of("a.x", "a.y", a__x="a__y")

    assert names(view) == {"a.x": "a__x", "a.y": "a__y"}
    assert view.warnings == ("Profile work: a.x keeps its own name, since a.y is called a__y.",)


def test_of_two_overrides_with_one_name_the_first_tool_has_it() -> None:
    view = view_of("a.x", "a.y", a__x="same", a__y="same")

    assert names(view) == {"a.x": "same", "a.y": "a__y"}
    assert len(view.warnings) == 1


def test_an_override_for_two_tools_that_differ_in_letter_case_names_the_first() -> None:
    assert names(build(["a.X", "a.x"], {"a.x": Override("same")})) == {"a.X": "same", "a.x": "a__x"}


def test_names_that_are_lost_in_a_chain_all_come_back() -> None:
    # d keeps its name, so c cannot have it and takes its own back, which b wanted, and so on.
    view = view_of("s.a", "s.b", "s.c", "s.d", s__a="s__b", s__b="s__c", s__c="s__d")

    assert names(view) == {"s.a": "s__a", "s.b": "s__b", "s.c": "s__c", "s.d": "s__d"}
    assert len(view.warnings) == 3


def test_a_name_of_a_tool_outside_the_profile_is_free() -> None:
    refs = [ToolRef("a", "x"), ToolRef("a", "y")]
    profile = Profile("work", overrides={"a.x": Override("a__y")})

    view = build_view(profile, [Selected(refs[0], tool_of("x"))], settle_wire_names(refs), settle_code_names(refs))

    assert names(view) == {"a.x": "a__y"}


REFS = ["a.x", "a.y", "a.z", "b.x", "B.x", "a._x", "a_.x"]
NAMES = st.sampled_from(["a__x", "a__y", "a__z", "b__x", "one", "two", "a___x"])


@given(
    st.lists(st.sampled_from(REFS), unique=True),
    st.dictionaries(st.sampled_from(REFS).map(str.casefold), st.builds(Override, st.none() | NAMES)),
)
def test_whatever_the_overrides_no_two_tools_share_a_name(refs: list[str], overrides: dict[str, Override]) -> None:
    view = build(refs, overrides)
    own = settle_wire_names([entry.ref for entry in view.entries])

    assert [str(entry.ref) for entry in view.entries] == refs
    assert len(view.by_wire) == len(view.by_ref) == len(refs)
    dropped = 0
    for entry in view.entries:
        wanted = (overrides.get(entry.ref.folded) or Override()).name
        assert entry.wire_name in (wanted, own[entry.ref])
        dropped += wanted is not None and entry.wire_name != wanted
    assert len(view.warnings) == dropped


@pytest.mark.parametrize("text", ["GitHub.issues.get", "github.ISSUES.GET", "GitHub__issues_get"])
def test_a_tool_is_found_by_reference_in_any_letter_case_and_by_its_wire_name(text: str) -> None:
    found = view_of("GitHub.issues.get", "GitHub.issues").find(text)

    assert found is not None and str(found.ref) == "GitHub.issues.get"


def test_a_tool_is_found_by_its_reference_and_by_the_name_of_its_override() -> None:
    view = view_of("a.x", a__x="find")

    assert view.find("find") is view.find("a.x") is view.entries[0]
    assert view.find("a__x") is None


def test_of_two_tools_that_differ_in_letter_case_the_exact_one_is_found() -> None:
    view = view_of("a.Get", "a.get")

    assert [str(found.ref) for text in ("a.get", "a.Get", "A.GET") if (found := view.find(text))] == [
        "a.get",
        "a.Get",
        "a.Get",
    ]


@pytest.mark.parametrize("text", ["", ".", "a", "a.", "a.y", "b.x", "A__X", "\ud800.x", "x" * 100_000])
def test_what_the_profile_does_not_have_is_not_found(text: str) -> None:
    assert view_of("a.x").find(text) is None


def test_view_of_one_server_keeps_its_tools_under_the_same_names() -> None:
    view = usual().view

    assert [entry.wire_name for entry in view.of_server("github").entries] == ["github__create_issue", "find_issues"]
    assert view.of_server("nobody").entries == ()


def test_names_with_a_clients_prefix_are_understood() -> None:
    view = usual().view

    for name in ("mcp__x__find_issues", "find_issues", "a__b__c__notes__add_note", "GITHUB.LIST_ISSUES"):
        assert view.find(name) is not None
    assert view.find("mcp__x__nothing") is None and view.find("__") is None


def test_tool_is_found_by_the_name_that_javascript_calls_it() -> None:
    view = view_of("my-server.get.it")

    assert view.entries[0].code_name == ("my_server", "get_it")
    assert view.find("my_server.get_it") is view.entries[0]
    assert view.find("my_server.get_other") is None
