"""What no list of a server can do, whatever JSON it holds."""

import json

from hypothesis import given
from hypothesis import strategies as st
from mcp_types import Tool as SdkTool

from switchboard_tray.catalog.check import NAME_CHARS, check_named, check_tool, check_tools
from switchboard_tray.catalog.model import Tool
from tests.catalog.definitions import DEFINITIONS
from tests.protocol.json_texts import VALUES


@given(st.lists(DEFINITIONS | VALUES.map(str.encode) | st.binary(), max_size=4))
def test_whatever_a_server_lists_each_item_is_accepted_or_set_aside(definitions: list[bytes]) -> None:
    tools, unfit = check_tools(definitions)

    assert len(tools) + len(unfit) == len(definitions)
    assert len({tool.name for tool in tools}) == len(tools)
    assert all(one.name and one.reason and len(one.name) <= NAME_CHARS for one in unfit)
    json.dumps([one.reason for one in unfit] + [tool.repairs for tool in tools]).encode()


@given(DEFINITIONS)
def test_the_official_sdk_takes_every_accepted_tool(raw: bytes) -> None:
    checked = check_tool(raw)

    if isinstance(checked, Tool):
        assert SdkTool.model_validate(json.loads(checked.raw)).name == checked.name
        assert SdkTool.model_validate_json(checked.raw).input_schema["type"] == "object"
        assert checked.definition["inputSchema"]["type"] == "object"


@given(DEFINITIONS)
def test_an_accepted_tool_is_accepted_unchanged_when_it_is_checked_again(raw: bytes) -> None:
    checked = check_tool(raw)

    if isinstance(checked, Tool):
        assert check_tool(checked.raw) == Tool(checked.name, checked.raw)


@given(st.lists(DEFINITIONS | VALUES.map(str.encode) | st.binary(), max_size=4), st.sampled_from(["name", "a"]))
def test_whatever_a_server_lists_what_is_kept_is_kept_again(definitions: list[bytes], key: str) -> None:
    found = check_named(definitions, key)

    assert check_named([one.raw for one in found], key) == found
