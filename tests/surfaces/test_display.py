"""A surface over a profile: listed once, asked many times."""

import json

import pytest
from msgspec import Raw

from switchboard_tray.names import ToolRef
from switchboard_tray.surfaces.display import BUILT_SURFACES, Display
from switchboard_tray.surfaces.plan import Invoke, Unknown
from tests.surfaces.materials import answer, given, is_error, text, usual

CREATE = ToolRef("github", "create_issue")


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
    assert display.tools is display.tools


def test_name_that_is_not_listed_is_unknown() -> None:
    assert Display("passthrough", usual()).plan("nothing", {}) == Unknown("nothing")


@pytest.mark.parametrize("surface", sorted(BUILT_SURFACES - {"passthrough"}))
def test_name_of_nothing_is_told_to_the_model_where_tools_are_not_listed(surface: str) -> None:
    said = text(Display(surface, usual()).plan("add_not", {}))

    assert said.startswith("Unknown tool: add_not. Did you mean: notes.add_note")


def test_listed_tool_is_called_on_the_flat_surface() -> None:
    planned = Display("passthrough", usual()).plan("notes__add_note", given(x=1))

    assert isinstance(planned, Invoke) and planned.ref == ToolRef("notes", "add_note")


@pytest.mark.parametrize("surface", ["meta", "compact", "apps"])
@pytest.mark.parametrize("name", ["github__create_issue", "github.create_issue", "mcp__x__github__create_issue"])
def test_tool_that_is_called_by_its_own_name_is_understood_where_it_is_not_listed(surface: str, name: str) -> None:
    display = Display(surface, usual())

    assert display.plan(name, given(title="x")) == Invoke(CREATE, {"arguments": Raw(b'{"title": "x"}')})
    assert "title: it is required and missing" in text(display.plan(name, {}))
    assert is_error(answer(display.plan("github__delete_repository", {})))


@pytest.mark.parametrize("surface", ["meta", "compact"])
def test_arguments_of_our_own_tools_may_come_as_text(surface: str) -> None:
    as_text = {"arguments": Raw(json.dumps('{"name": "github.create_issue", "arguments": {"title": "x"}}').encode())}

    assert isinstance(Display(surface, usual()).plan("call_tool", as_text), Invoke)
    assert "The servers are these." in text(Display(surface, usual()).plan("search_tools", {"arguments": Raw(b'""')}))
    assert is_error(answer(Display(surface, usual()).plan("call_tool", {"arguments": Raw(b'"no json"')})))


@pytest.mark.parametrize("shown", ["passthrough", "meta", "apps", "compact"])
def test_client_that_did_not_notice_a_switch_is_understood_for_what_it_was_listed_before(shown: str) -> None:
    display = Display(shown, usual(), is_switched=True)
    calling = given(name="github.create_issue", action="call", tool="create_issue", arguments={"title": "x"})

    assert isinstance(display.plan("github__create_issue", given(title="x")), Invoke)
    assert isinstance(display.plan("call_tool", calling), Invoke)
    assert isinstance(display.plan("github", calling), Invoke)
    assert "create_issue" in text(display.plan("search_tools", given(query="create issue")))
    assert "title: string" in text(display.plan("get_schema", given(names=["github.create_issue"])))
    assert is_error(answer(display.plan("call_tool", given(name="github.delete_repository"))))


def test_surface_that_was_chosen_by_hand_has_its_own_tools_alone() -> None:
    assert Display("passthrough", usual()).plan("call_tool", given(name="notes.add_note")) == Unknown("call_tool")
    assert is_error(answer(Display("compact", usual()).plan("get_schema", {})))
