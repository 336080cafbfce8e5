"""The flat surface: definitions as their servers wrote them, under the names of the profile."""

import json

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import ListToolsResult
from msgspec import Raw

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.code_names import settle_code_names
from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.config.model import Override, Profile
from switchboard_tray.names import ToolRef
from switchboard_tray.profiles.select import Selected
from switchboard_tray.profiles.view import View, build_view
from switchboard_tray.surfaces.passthrough import list_tools, plan_call
from switchboard_tray.surfaces.plan import Invoke, Unknown
from tests.catalog.definitions import DEFINITIONS

RAW = (
    b'{"x":[1e3, -0.0, 1180591620717411303424],\n "name":"issues.get", "description":"Gets.",'
    b'"inputSchema":{ "type":"object" },"_meta":{"a":"\\u00fc"}}'
)


def view_of(*definitions: bytes, server: str = "github", **overrides: Override) -> View:
    tools, unfit = check_tools(definitions)
    assert not unfit
    refs = [ToolRef(server, tool.name) for tool in tools]
    selected = [Selected(ref, tool) for ref, tool in zip(refs, tools, strict=True)]
    profile = Profile("p", overrides={key.replace("__", "."): one for key, one in overrides.items()})
    return build_view(profile, selected, settle_wire_names(refs), settle_code_names(refs))


def test_an_empty_profile_lists_no_tools() -> None:
    assert list_tools(view_of()) == b"[]"


def test_a_definition_is_listed_as_it_came_but_for_its_name() -> None:
    [listed] = json.loads(list_tools(view_of(RAW)))

    assert listed == {**json.loads(RAW), "name": "github__issues_get"}
    assert list(listed) == ["x", "name", "description", "inputSchema", "_meta"]
    assert b'{ "type":"object" }' in list_tools(view_of(RAW))
    assert b"1180591620717411303424" in list_tools(view_of(RAW))


def test_an_override_replaces_name_and_description() -> None:
    view = view_of(RAW, github__issues__get=Override("get", 'Says "hi".'))

    [listed] = json.loads(list_tools(view))

    assert (listed["name"], listed["description"]) == ("get", 'Says "hi".')


def test_a_description_is_added_where_the_tool_has_none() -> None:
    view = view_of(b'{"name":"a","inputSchema":{"type":"object"}}', github__a=Override(description="Does it."))

    assert json.loads(list_tools(view))[0]["description"] == "Does it."


@given(st.lists(DEFINITIONS, max_size=4))
def test_the_official_sdk_takes_every_list(definitions: list[bytes]) -> None:
    tools, _ = check_tools(definitions)

    listed = list_tools(view_of(*(tool.raw for tool in tools)))

    result = ListToolsResult.model_validate_json(b'{"tools":' + listed + b"}")
    assert len(result.tools) == len(tools)


def test_a_call_goes_to_the_tool_with_all_that_the_client_sent() -> None:
    params = {"arguments": Raw(b'{"a": 1}'), "_meta": Raw(b"{}")}

    assert plan_call(view_of(RAW), "github__issues_get", params) == Invoke(ToolRef("github", "issues.get"), params)


def test_the_name_of_an_override_is_understood_and_the_one_it_replaced_is_not() -> None:
    view = view_of(RAW, github__issues__get=Override("get"))

    assert isinstance(plan_call(view, "get", {}), Invoke)
    assert plan_call(view, "github__issues_get", {}) == Unknown("github__issues_get")


def test_a_reference_or_another_letter_case_is_an_unknown_tool() -> None:
    view = view_of(RAW)

    for name in ("github.issues.get", "GitHub__issues_get", "issues.get", "", "\ufffd"):
        assert plan_call(view, name, {}) == Unknown(name)
