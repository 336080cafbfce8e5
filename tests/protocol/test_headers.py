"""Headers of the modern era, which repeat what the body says and must agree with it."""

import base64
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.protocol.eras import CAPABILITIES_KEY, VERSION_KEY
from switchboard_tray.protocol.headers import (
    ParamHeader,
    check_param_headers,
    decode_header,
    open_envelope,
    param_headers,
)
from switchboard_tray.protocol.messages import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    UNSUPPORTED_VERSION,
    Frame,
    RpcError,
    read_frame,
)

META = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
HEADERS = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "a__b"}


def frame_of(method: str = "tools/call", **params: Any) -> Frame:
    return read_frame(json.dumps({"id": 1, "method": method, "params": params}).encode())


def refusal(frame: Frame, headers: dict[str, str]) -> tuple[int, str]:
    with pytest.raises(RpcError) as caught:
        open_envelope(frame, headers)
    return caught.value.code, caught.value.message


def test_a_request_whose_headers_agree_is_opened() -> None:
    opened = open_envelope(frame_of(_meta=META, name="a__b", arguments={"x": 1}), HEADERS)

    assert opened.target == "a__b"
    assert bytes(opened.params["arguments"]) == b'{"x": 1}'
    assert set(opened.meta) == set(META)


def test_a_request_about_nothing_needs_no_name() -> None:
    headers = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}

    assert open_envelope(frame_of("tools/list", _meta=META), headers).target is None


@pytest.mark.parametrize("frame", [Frame(method="tools/call"), frame_of(), frame_of(_meta=None), frame_of(_meta=[])])
def test_a_request_must_say_who_asks(frame: Frame) -> None:
    assert refusal(frame, HEADERS) == (INVALID_PARAMS, "params._meta must be an object that says who asks")


@pytest.mark.parametrize("key", [VERSION_KEY, CAPABILITIES_KEY])
def test_what_the_envelope_lacks_is_named(key: str) -> None:
    meta = {other: value for other, value in META.items() if other != key}

    assert refusal(frame_of(_meta=meta), HEADERS) == (INVALID_PARAMS, f"params._meta lacks {key}")


def test_capabilities_must_be_an_object() -> None:
    code, message = refusal(frame_of(_meta={**META, CAPABILITIES_KEY: []}), HEADERS)

    assert (code, message) == (INVALID_PARAMS, f"{CAPABILITIES_KEY} must be an object")


@pytest.mark.parametrize(
    ("params", "headers", "named"),
    [
        ({}, {"mcp-protocol-version": "2025-11-25"}, "MCP-Protocol-Version"),
        ({"_meta": {**META, VERSION_KEY: 7}}, {}, "MCP-Protocol-Version"),
        ({}, {"mcp-method": "tools/list"}, "Mcp-Method"),
        ({}, {"mcp-method": ""}, "Mcp-Method"),
        ({"name": "a__c"}, {}, "Mcp-Name"),
        ({}, {"mcp-name": "=?base64?!?="}, "Mcp-Name"),
    ],
)
def test_a_header_that_does_not_agree_is_named(params: dict[str, Any], headers: dict[str, str], named: str) -> None:
    code, message = refusal(frame_of(**{"_meta": META, "name": "a__b", **params}), {**HEADERS, **headers})

    assert code == HEADER_MISMATCH
    assert message.startswith(f"The {named} header does not agree")


def test_a_revision_nobody_knows_is_refused_last() -> None:
    frame = frame_of(_meta={**META, VERSION_KEY: "2099-01-01"}, name="a__b")

    code, _ = refusal(frame, {**HEADERS, "mcp-protocol-version": "2099-01-01"})

    assert code == UNSUPPORTED_VERSION


# -- texts in headers --------------------------------------------------------------------------------------------------


@given(st.text())
def test_any_text_can_be_sent_encoded(text: str) -> None:
    assert decode_header(f" =?base64?{base64.b64encode(text.encode()).decode()}?=\t") == text


@pytest.mark.parametrize("value", ["", "a__b", "=?base64?", "?=", "=?utf8?YQ==?=", "a =?base64?YQ==?="])
def test_plain_text_is_what_it_says(value: str) -> None:
    assert decode_header(value) == value


@pytest.mark.parametrize(
    "value", [None, "=?base64?YQ?=", "=?base64?YR==?=", "=?base64?!?=", "=?base64?/w==?=", "=?base64?é?="]
)
def test_a_malformed_text_agrees_with_nothing(value: str | None) -> None:
    assert decode_header(value) is None


@given(
    st.text(st.characters(codec="latin-1")) | st.text(st.characters(codec="latin-1")).map(lambda t: f"=?base64?{t}?=")
)
def test_any_header_is_read_or_malformed(value: str) -> None:
    assert decode_header(value) is None or isinstance(decode_header(value), str)


# -- arguments in headers ----------------------------------------------------------------------------------------------

SCHEMA = {
    "type": "object",
    "x-mcp-header": "Root",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "size": {"type": "object", "properties": {"n": {"type": "integer", "x-mcp-header": "N"}}},
        "list": {"type": "array", "x-mcp-header": "List"},
        "bad": {"type": "string", "x-mcp-header": "a b"},
        "odd": {"type": "string", "x-mcp-header": 7},
        "any": True,
    },
}


def test_headers_are_found_below_plain_properties_where_they_are_valid() -> None:
    found = set(param_headers(SCHEMA))

    assert found == {
        ParamHeader(("region",), "mcp-param-region", "string"),
        ParamHeader(("size", "n"), "mcp-param-n", "integer"),
    }


@pytest.mark.parametrize("schema", [None, [], True, {}, {"properties": []}, {"properties": {"a": None}}])
def test_any_other_schema_wants_no_headers(schema: object) -> None:
    assert list(param_headers(schema)) == []


WANTED = [
    ParamHeader(("s",), "mcp-param-s", "string"),
    ParamHeader(("o", "n"), "mcp-param-n", "integer"),
    ParamHeader(("b",), "mcp-param-b", "boolean"),
]


@pytest.mark.parametrize(
    ("arguments", "headers"),
    [
        ({}, {}),
        (None, {}),
        ({"s": None, "o": {}, "b": None}, {}),
        ({"s": "a"}, {"mcp-param-s": "a"}),
        ({"s": "Grüße"}, {"mcp-param-s": "=?base64?R3LDvMOfZQ==?="}),
        ({"o": {"n": 42}}, {"mcp-param-n": "42"}),
        ({"o": {"n": 42.0}}, {"mcp-param-n": "42"}),
        ({"o": {"n": -7}}, {"mcp-param-n": "-7.0"}),
        ({"o": {"n": 2**70}}, {"mcp-param-n": str(2**70)}),
        ({"o": {"n": "seven"}}, {"mcp-param-n": "seven"}),
        ({"b": True}, {"mcp-param-b": "true"}),
        ({"b": False}, {"mcp-param-b": "false"}),
    ],
)
def test_headers_that_agree_with_the_arguments_pass(arguments: Any, headers: dict[str, str]) -> None:
    check_param_headers(WANTED, arguments, headers)


@pytest.mark.parametrize(
    ("arguments", "headers", "message"),
    [
        ({}, {"mcp-param-s": "a"}, "mcp-param-s is present but argument 's' is not"),
        ({"s": ["a"]}, {"mcp-param-s": "a"}, "mcp-param-s is present but argument 's' is not"),
        ({"o": {"n": 1}}, {}, "mcp-param-n is missing but argument 'o.n' is present"),
        ({"s": "a"}, {"mcp-param-s": "A"}, "mcp-param-s does not agree with argument 's'"),
        ({"s": "a"}, {"mcp-param-s": "=?base64?!?="}, "mcp-param-s does not agree with argument 's'"),
        ({"o": {"n": True}}, {"mcp-param-n": "1"}, "mcp-param-n does not agree with argument 'o.n'"),
        ({"o": {"n": 1}}, {"mcp-param-n": "1.5"}, "mcp-param-n does not agree with argument 'o.n'"),
        ({"o": {"n": 1}}, {"mcp-param-n": "9" * 5000}, "mcp-param-n does not agree with argument 'o.n'"),
        ({"b": True}, {"mcp-param-b": "True"}, "mcp-param-b does not agree with argument 'b'"),
    ],
)
def test_a_header_that_does_not_agree_with_its_argument_is_refused(
    arguments: Any, headers: dict[str, str], message: str
) -> None:
    with pytest.raises(RpcError) as caught:
        check_param_headers(WANTED, arguments, headers)

    assert (caught.value.code, caught.value.message) == (HEADER_MISMATCH, message)
