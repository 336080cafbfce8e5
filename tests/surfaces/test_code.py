"""One tool that runs JavaScript: what it declares, and what stands beside it when that is too long."""

import json
from typing import Any

from switchboard_tray.surfaces import code
from switchboard_tray.surfaces.plan import Execute, Plan, Unknown
from tests.surfaces.materials import answer, given, is_error, material_of, text, tool, usual

MANY = {"my-server": [tool(f"tool-{number}", f"Does thing {number}. " * 9) for number in range(120)]}


def plan(name: str, **arguments: Any) -> Plan:
    return code.plan_call(usual(), name, given(**arguments))


def test_short_declarations_stand_in_the_description() -> None:
    (execute,) = json.loads(code.list_tools(usual()))

    assert "declare const github: {" in execute["description"] and "declare const notes: {" in execute["description"]
    assert "delete_repository" not in execute["description"]
    assert execute["inputSchema"]["required"] == ["code"]


def test_long_declarations_give_way_to_tools_that_find() -> None:
    execute, search, schema = json.loads(code.list_tools(material_of(MANY)))

    assert [execute["name"], search["name"], schema["name"]] == ["execute", "search_tools", "get_schema"]
    assert "- my_server (100+ tools)" in execute["description"] and "- my_server (100+ tools)" in search["description"]
    assert "declare const" not in execute["description"]


def test_so_many_tools_that_they_cannot_fit_are_not_tried() -> None:
    crowd = material_of({"s": [tool(f"t{number}") for number in range(1000)]})

    assert len(json.loads(code.list_tools(crowd))) == 3


def test_profile_without_tools_lists_execute_alone() -> None:
    (execute,) = json.loads(code.list_tools(material_of({})))

    assert "declare" not in execute["description"]


def test_code_is_taken_by_its_usual_names_and_nothing_else_is_run() -> None:
    assert plan("execute", code="1") == Execute("1")
    assert plan("execute", source="1") == Execute("1")
    for arguments in ({}, {"code": 5}, {"code": " "}):
        assert is_error(answer(plan("execute", **arguments)))
    assert plan("call_tool") == Unknown("call_tool")


def test_search_and_schema_name_tools_as_code_does() -> None:
    material = material_of(MANY)

    found = text(code.plan_call(material, "search_tools", given(query="thing 7", limit=1)))
    assert found.startswith("my_server.tool_7 - ")
    assert "my_server.tool_7(" in text(code.plan_call(material, "get_schema", given(names=["my_server.tool_7"])))
    assert text(code.plan_call(material, "search_tools", given(query="my-server"))).startswith("my_server.tool_0 - ")


def test_server_is_listed_by_the_name_that_code_has_for_it_too() -> None:
    material = material_of({"my-server": [tool("tool-1", "Does a thing."), tool("tool-2")], "other": [tool("x")]})

    for query in ("my-server", "my_server", "MY_SERVER.*"):
        assert text(code.plan_call(material, "search_tools", given(query=query))).splitlines() == [
            "my_server.tool_1 - Does a thing.",
            "my_server.tool_2",
        ]


def test_near_names_and_servers_of_a_miss_are_those_of_code() -> None:
    material = material_of({"my-server": [tool("add-note", "Does a thing.")]})

    missed = text(code.plan_call(material, "search_tools", given(query="qqq adnote")))
    assert "Near names: my_server.add_note" in missed and "Servers: my_server" in missed
    unknown = text(code.plan_call(material, "get_schema", given(names=["add_nota"])))
    assert "Did you mean: my_server.add_note?" in unknown
