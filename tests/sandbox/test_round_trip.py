"""Whatever a tool gives, a script can hand to another one and return."""

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard_tray.sandbox.model import Script
from switchboard_tray.sandbox.pool import SandboxPool
from tests.sandbox.host import SERVERS, EchoHost, said, value_of

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(-(2.0**53), 2.0**53) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=10,
)


@settings(max_examples=25, deadline=None)
@given(st.lists(JSON_VALUES, min_size=8, max_size=8))
def test_any_json_comes_back_from_a_tool_as_it_went(values: list[Any]) -> None:
    async def round_trip() -> Any:
        async with SandboxPool() as pool:
            host = EchoHost(b'{"content":[],"structuredContent":' + json.dumps({"v": values}).encode() + b"}")
            outcome = await pool.run(Script("async () => s.echo(await s.raw())", SERVERS), host)
            assert outcome.kind == "ok", said(outcome.result)
            (_, _, sent) = host.calls[1]
            return json.loads(sent)["v"], value_of(outcome.result)["v"]

    sent, returned = asyncio.run(round_trip())
    assert as_javascript(sent) == as_javascript(returned) == as_javascript(values)


def as_javascript(value: Any) -> Any:
    """`value` without what JavaScript does not tell apart: 1.0 and 1, the order of keys that are numbers."""
    match value:
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)
        case float():
            return float(repr(value))
        case list():
            return [as_javascript(one) for one in value]
        case dict():
            return {key: as_javascript(one) for key, one in value.items()}
        case _:
            return value
