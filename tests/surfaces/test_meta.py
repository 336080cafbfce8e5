"""Three tools for any number of tools: they find, describe and call what the profile has, and nothing else."""

import json
from typing import Any

import pytest
from msgspec import Raw

from switchboard_tray.names import ToolRef
from switchboard_tray.surfaces import meta
from switchboard_tray.surfaces.plan import Invoke, Plan, ServerTrouble, Surroundings, Unknown
from tests.surfaces import materials
from tests.surfaces.materials import GITHUB, answer, given, is_error, material_of, tool, usual

CREATE = ToolRef("github", "create_issue")


def plan(name: str, params: dict[str, Raw] | None = None) -> Plan:
    return meta.plan_call(usual(), name, params or {})


def text(called: str, **arguments: Any) -> str:
    return materials.text(plan(called, given(**arguments)))


def test_three_tools_are_listed_and_name_the_servers_of_the_profile() -> None:
    tools = json.loads(meta.list_tools(usual()))

    assert [one["name"] for one in tools] == ["search_tools", "get_schema", "call_tool"]
    assert "- github (2 tools): All about github." in tools[0]["description"]
    assert "- notes (2 tools): All about notes." in tools[0]["description"]
    assert all("before you conclude" in tools[at]["description"] for at in (0, 2))


def test_definitions_are_no_longer_for_five_hundred_tools_than_for_twenty() -> None:
    small = material_of({"s": [tool(f"t{i}") for i in range(20)]})
    large = material_of({"s": [tool(f"t{i}") for i in range(500)]})

    assert abs(len(meta.list_tools(large)) - len(meta.list_tools(small))) < 10


def test_search_answers_a_line_for_each_hit_with_the_profiles_own_words() -> None:
    assert text("search_tools", query="create an issue").splitlines()[0] == (
        "github.create_issue - Create a new issue in a repository."
    )
    assert "github.list_issues - Search issues in the acme org." in text("search_tools", query="find_issues")


@pytest.mark.parametrize("query", ["github", "GitHub", "github.*"])
def test_servers_name_lists_its_tools(query: str) -> None:
    assert [line.split(" - ")[0] for line in text("search_tools", query=query).splitlines()] == [
        "github.create_issue",
        "github.list_issues",
    ]


def test_list_of_a_large_server_says_how_many_more_there_are() -> None:
    material = material_of({"big": [tool(f"t{i}") for i in range(60)]})
    planned = meta.plan_call(material, "search_tools", given(query="big"))

    lines = materials.text(planned).splitlines()
    assert (len(lines), lines[-1]) == (51, "... and 10 more; search for what you need.")


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": "  "}, {"query": None}])
def test_empty_query_lists_the_servers(arguments: dict[str, Any]) -> None:
    assert "- notes (2 tools): All about notes." in text("search_tools", **arguments)


def test_miss_says_what_was_searched_and_which_servers_could_not_be() -> None:
    around = Surroundings((ServerTrouble("jira", "it is switched off"),))
    said = materials.text(plan("search_tools", given(query="qqqqqq zzzzzz")), around)

    assert said.startswith("No match for 'qqqqqq zzzzzz' among 4 tools of 2 servers.")
    assert "Servers: github, notes" in said
    assert "Not searched: jira (it is switched off)" in said


@pytest.mark.parametrize(("limit", "hits"), [(1, 1), (0, 1), (-5, 1), (10**9, 4), ("many", 4), (True, 4), (1.0, 1)])
def test_limit_is_held_to_what_can_be_answered(limit: Any, hits: int) -> None:
    assert len(text("search_tools", query="issues notes issue note", limit=limit).splitlines()) == hits


def test_schema_answers_unknown_names_beside_known_ones() -> None:
    said = text("get_schema", names=["github.create_issue", "github.nope", "github.delete_repository"])

    assert "github.create_issue(" in said and "title: string" in said
    assert "Unknown tool: github.nope." in said
    assert "Unknown tool: github.delete_repository." in said


def test_schema_takes_one_name_alone_and_answers_twenty_at_most() -> None:
    assert "notes.add_note(" in text("get_schema", names="notes.add_note")
    assert "notes.add_note(" in text("get_schema", name="notes.add_note")
    assert "Only the first 20 of 21 names" in text("get_schema", names=["notes.add_note"] * 21)
    assert "give the names" in text("get_schema", names=[1, None])
    assert "give the names" in text("get_schema")


@pytest.mark.parametrize(
    "name",
    [
        "github.create_issue",
        "GitHub.Create_Issue",
        "github__create_issue",
        "mcp__switchboard__github__create_issue",
        "mcp__my__gateway__github__create_issue",
    ],
)
def test_tool_is_called_by_any_spelling_of_its_name(name: str) -> None:
    assert plan("call_tool", given(name=name, arguments={"title": "x"})) == Invoke(
        CREATE, {"arguments": Raw(b'{"title": "x"}')}
    )


def test_tool_is_called_by_the_name_the_profile_gives_it() -> None:
    planned = plan("call_tool", given(name="find_issues"))

    assert isinstance(planned, Invoke) and planned.ref == ToolRef("github", "list_issues")


def test_arguments_come_as_an_object_as_text_or_beside_the_name() -> None:
    ways = (
        given(name=str(CREATE), arguments={"title": "x"}),
        given(name=str(CREATE), arguments='{"title": "x"}'),
        given(name=str(CREATE), title="x"),
        given(tool=str(CREATE), arguments=None, title="x"),
    )
    for params in ways:
        planned = plan("call_tool", params)
        assert isinstance(planned, Invoke)
        assert json.loads(bytes(planned.params["arguments"])) == {"title": "x"}


def test_arguments_reach_the_tool_to_the_letter_and_so_does_what_is_beside_them() -> None:
    raw = b'{"name":"github.create_issue","arguments":{"title":"\\ud83d","count":1180591620717411303424,"x":1e400}}'
    planned = plan("call_tool", {"arguments": Raw(raw), "_meta": Raw(b'{"progressToken":7}')})

    assert isinstance(planned, Invoke)
    assert bytes(planned.params["arguments"]) == b'{"title":"\\ud83d","count":1180591620717411303424,"x":1e400}'
    assert bytes(planned.params["_meta"]) == b'{"progressToken":7}'


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "- title: it is required and missing"),
        ({"title": 5}, "- title: expected string, got 5"),
        ({"title": "x", "state": "done"}, '- state: expected one of "open", "closed", got "done"'),
        ({"title": "x", "count": 1.5}, "- count: expected integer, got 1.5"),
        ({"title": "x", "count": True}, "- count: expected integer, got true"),
        ({"title": "x", "labels": "a" * 100}, f'- labels: expected array or null, got "{"a" * 59}...'),
    ],
)
def test_wrong_arguments_are_told_with_the_signature_and_nothing_is_called(arguments: Any, fault: str) -> None:
    planned = plan("call_tool", given(name=str(CREATE), arguments=arguments))

    said = materials.text(planned)
    assert is_error(answer(planned)) and fault in said.splitlines() and "github.create_issue(" in said


@pytest.mark.parametrize("arguments", [{"title": "x", "count": 2.0}, {"title": "x", "labels": None, "other": [1]}])
def test_nothing_else_is_checked(arguments: Any) -> None:
    assert isinstance(plan("call_tool", given(name=str(CREATE), arguments=arguments)), Invoke)


@pytest.mark.parametrize("arguments", ["no json", "[1]", [1], 5, True])
def test_arguments_that_are_no_object_are_told(arguments: Any) -> None:
    planned = plan("call_tool", given(name=str(CREATE), arguments=arguments))

    assert "arguments: expected an object." in materials.text(planned)


@pytest.mark.parametrize("given_name", [{}, {"name": ""}, {"name": 5}])
def test_call_without_a_name_is_told(given_name: Any) -> None:
    planned = plan("call_tool", given(**given_name))

    assert "give the name of a tool" in materials.text(planned)


def test_excluded_tool_reads_like_one_that_does_not_exist() -> None:
    hidden = plan("call_tool", given(name="github.delete_repository"))
    absent = plan("call_tool", given(name="github.delete_repositoryy"))

    assert answer(hidden).replace(b"delete_repository", b"X") == answer(absent).replace(b"delete_repositoryy", b"X")
    assert b"github.delete_repository" not in answer(hidden).replace(b"Unknown tool: github.delete_repository", b"")


def test_name_of_no_tool_of_ours_is_unknown() -> None:
    assert plan("github__create_issue") == Unknown("github__create_issue")


def test_arguments_that_are_no_json_at_all_count_as_none() -> None:
    planned = plan("search_tools", {"arguments": Raw(b"[1]")})

    assert "The servers are these." in materials.text(planned)


def test_unsound_schema_of_a_tool_checks_nothing() -> None:
    odd = tool("odd", schema={"type": "object", "properties": {"a": {"type": "strange"}, "b": {"type": [5]}}})
    material = material_of({"s": [odd, *GITHUB]})
    planned = meta.plan_call(material, "call_tool", given(name="s.odd", arguments={"a": 1, "b": 2}))

    assert isinstance(planned, Invoke)


def test_miss_gives_near_names_and_a_profile_without_tools_says_so() -> None:
    assert "Near names: notes.add_note" in text("search_tools", query="adnot")
    planned = meta.plan_call(material_of({}), "search_tools", given(query="anything"))

    assert materials.text(planned) == "No match for 'anything' among 0 tools of 0 servers."
