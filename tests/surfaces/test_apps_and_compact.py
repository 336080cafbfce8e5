"""One tool for each server, or two for all: the same finding, describing and calling behind other names."""

import json
from typing import Any

import pytest
from msgspec import Raw

from switchboard_tray.names import ToolRef
from switchboard_tray.surfaces import apps, compact
from switchboard_tray.surfaces.plan import Invoke, Plan, Unknown
from tests.surfaces.materials import answer, given, is_error, text, usual

CREATE = ToolRef("github", "create_issue")


def app(name: str, **arguments: Any) -> Plan:
    return apps.plan_call(usual(), name, given(**arguments))


def test_each_server_is_a_tool_that_says_what_it_is_for_and_how_many_tools_it_has() -> None:
    tools = json.loads(apps.list_tools(usual()))

    assert [one["name"] for one in tools] == ["github", "notes"]
    assert tools[0]["description"].startswith("All about github. 2 tools of the server github. Use action")


@pytest.mark.parametrize("arguments", [{"action": "list"}, {}])
def test_list_names_the_tools_of_that_server_alone(arguments: dict[str, Any]) -> None:
    assert [line.split(" - ")[0] for line in text(app("notes", **arguments)).splitlines()] == [
        "notes.add_note",
        "notes.search_notes",
    ]


@pytest.mark.parametrize("name", ["create_issue", "Create_Issue", "github.create_issue", "github__create_issue"])
def test_tool_is_described_and_called_with_or_without_its_server(name: str) -> None:
    assert "github.create_issue(" in text(app("github", action="describe", tool=name))
    planned = app("github", action="call", tool=name, arguments={"title": "x"})
    assert planned == Invoke(CREATE, {"arguments": Raw(b'{"title": "x"}')})


def test_action_may_be_left_out_where_a_tool_is_named() -> None:
    assert isinstance(app("github", tool="create_issue", arguments={"title": "x"}), Invoke)


def test_tool_of_another_server_is_unknown_here() -> None:
    assert text(app("github", action="call", tool="notes.add_note")).startswith("Unknown tool: notes.add_note.")


def test_call_without_a_tool_and_an_unknown_action_are_told() -> None:
    for arguments in ({"action": "call"}, {"action": "call", "tool": 5}, {"action": "eat"}, {"action": 5}):
        assert is_error(answer(app("github", **arguments)))


def test_name_of_no_server_is_unknown() -> None:
    assert app("jira", action="list") == Unknown("jira")


def test_compact_lists_two_tools_that_both_name_the_servers() -> None:
    tools = json.loads(compact.list_tools(usual()))

    assert [one["name"] for one in tools] == ["search_tools", "call_tool"]
    assert all("- notes (2 tools): All about notes." in one["description"] for one in tools)


def test_compact_search_answers_signatures_that_are_short_enough() -> None:
    planned = compact.plan_call(usual(), "search_tools", given(query="create issue"))

    assert "github.create_issue(" in text(planned)
    assert isinstance(compact.plan_call(usual(), "call_tool", given(name="notes.add_note")), Invoke)
    assert compact.plan_call(usual(), "get_schema", {}) == Unknown("get_schema")
