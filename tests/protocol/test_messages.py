"""JSON-RPC envelopes, from any bytes and back to bytes."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types import jsonrpc
from msgspec import UNSET, Raw

from switchboard_tray.protocol import messages
from switchboard_tray.protocol.messages import (
    INTERNAL_ERROR,
    Frame,
    RpcError,
    failure,
    is_error_result,
    is_valid_id,
    notification,
    read_batch,
    read_frame,
    read_members,
    read_text,
    request,
    response,
    sse,
    tool_error,
)
from tests.protocol.json_texts import STRINGS, VALUES, reference

DEEP = b"[" * 100_000 + b"]" * 100_000
RAWS = ("id", "params", "result", "error")


def whole(text: str) -> str:
    return "".join("\ufffd" if "\ud800" <= sign <= "\udfff" else sign for sign in text)


@given(st.dictionaries(st.sampled_from(["id", "params", "result", "error", "other"]), VALUES), st.text())
def test_a_frame_keeps_its_payloads_as_the_bytes_they_were(payloads: dict[str, str], method: str) -> None:
    members = {**payloads, "method": json.dumps(method), "jsonrpc": '"2.0"'}

    frame = read_frame(("{" + ",".join(f'"{key}": {value}' for key, value in members.items()) + "}").encode())

    assert (frame.method, frame.jsonrpc) == (method, "2.0")
    found = {key: bytes(value).decode() for key in RAWS if (value := getattr(frame, key)) is not UNSET}
    assert found == {key: value for key, value in payloads.items() if key != "other"}


@given(st.binary() | VALUES.map(str.encode) | st.binary().map(lambda junk: b'{"method":"x","params":"\\ud83d"' + junk))
def test_any_bytes_make_a_frame_or_one_kind_of_error(data: bytes) -> None:
    try:
        read_frame(data)
    except msgspec.MsgspecError:
        pass


@pytest.mark.parametrize("torn", [b"", b'"torn":"\\ud83d",'])
def test_a_frame_that_is_nested_too_deep_is_no_frame(torn: bytes) -> None:
    with pytest.raises(msgspec.DecodeError, match="nested too deep"):
        read_frame(b"{" + torn + b'"method":"x","params":' + DEEP + b"}")


@pytest.mark.parametrize("data", [b"[]", b"[1]", b"null", b'{"method":1}', b'{"method":null}', b'{"jsonrpc":2}'])
def test_json_of_another_form_is_told_from_what_is_no_json(data: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        read_frame(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xef\xbb\xbf{}",
        b"{'a':1}",
        b'{"id":NaN}',
        b'{"method":"\\ud800"}',
        b'{"method":"\xff"}',
        b"Starting!",
    ],
)
def test_what_is_no_json_is_no_frame(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError) as caught:
        read_frame(data)

    assert not isinstance(caught.value, msgspec.ValidationError)


@pytest.mark.parametrize(
    ("frame", "is_notification", "is_response"),
    [
        (b'{"id":1,"method":"x"}', False, False),
        (b'{"method":"x"}', True, False),
        (b'{"id":null,"method":"x"}', False, False),
        (b'{"id":1,"result":null}', False, True),
        (b'{"id":1,"error":{}}', False, True),
        (b'{"id":1}', False, False),
        (b'{"id":1,"torn":"\\udc00","result":{}}', False, True),
        (b'{"torn":"\\udc00","method":"x"}', True, False),
    ],
)
def test_a_frame_knows_what_it_is(frame: bytes, is_notification: bool, is_response: bool) -> None:
    read = read_frame(frame)

    assert (read.is_notification, read.is_response) == (is_notification, is_response)


@pytest.mark.parametrize("raw", [b'"a"', b'""', b"0", b"-1", b"9", b"1.5", b"%d" % 2**70])
def test_an_id_is_a_string_or_a_number(raw: bytes) -> None:
    assert is_valid_id(Raw(raw))


@pytest.mark.parametrize("raw", [b"null", b"true", b"false", b"[]", b"{}"])
def test_nothing_else_is_an_id(raw: bytes) -> None:
    assert not is_valid_id(Raw(raw))


def test_no_id_is_no_valid_id() -> None:
    assert not is_valid_id(UNSET)


@given(STRINGS)
def test_a_string_is_read_with_half_characters_replaced(text: str) -> None:
    assert read_text(text.encode()) == whole(reference(text))


@pytest.mark.parametrize(
    "raw", [None, b"null", b"1", b"[]", b"{}", DEEP, b"", b'"', b'"\xff"', b'"\xff\\ud800"', b"1e400"]
)
def test_what_is_no_string_has_no_text(raw: bytes | None) -> None:
    assert read_text(raw) is None


@pytest.mark.parametrize("raw", [None, UNSET, b"null", b"[]", b"1", b"{", DEEP, b'{"a":"\\ud800","b":' + DEEP + b"}"])
def test_what_is_no_object_has_no_members(raw: Any) -> None:
    assert read_members(raw) == {}


def test_a_half_character_in_one_item_leaves_the_others_of_a_batch() -> None:
    assert [bytes(item) for item in read_batch(b'[{"a":"\\ud83d"} , {"b":1}]')] == [b'{"a":"\\ud83d"}', b'{"b":1}']


@pytest.mark.parametrize("data", [b"{}", b"null", b"[", DEEP, b'["\\ud800",' + DEEP + b"]"])
def test_what_is_no_list_is_no_batch(data: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        read_batch(data)


@given(VALUES, VALUES)
def test_messages_carry_ids_and_payloads_byte_for_byte(request_id: str, payload: str) -> None:
    raw_id, raw = request_id.encode(), payload.encode()

    for frame, part in (
        (read_frame(request(raw_id, "a/b", raw)), "params"),
        (read_frame(response(raw_id, Raw(raw))), "result"),
        (read_frame(failure(raw_id, RpcError(1, "", raw=raw))), "error"),
    ):
        assert frame.id is not UNSET and bytes(frame.id) == raw_id
        assert bytes(getattr(frame, part)) == raw
        assert frame.jsonrpc == "2.0"


@given(st.text())
def test_a_method_is_written_as_json(method: str) -> None:
    assert read_frame(notification(method)) == Frame(method=method, jsonrpc="2.0")
    assert read_frame(notification(method, b"{}")).is_notification
    assert read_frame(request(b"1", method)).params is UNSET


def test_error_codes_are_those_of_the_official_sdk() -> None:
    assert messages.PARSE_ERROR == jsonrpc.PARSE_ERROR
    assert messages.INVALID_REQUEST == jsonrpc.INVALID_REQUEST
    assert messages.METHOD_NOT_FOUND == jsonrpc.METHOD_NOT_FOUND
    assert messages.INVALID_PARAMS == jsonrpc.INVALID_PARAMS
    assert messages.INTERNAL_ERROR == jsonrpc.INTERNAL_ERROR
    assert messages.SERVER_GONE == jsonrpc.CONNECTION_CLOSED
    assert messages.HEADER_MISMATCH == jsonrpc.HEADER_MISMATCH
    assert messages.MISSING_CAPABILITY == jsonrpc.MISSING_REQUIRED_CLIENT_CAPABILITY
    assert messages.UNSUPPORTED_VERSION == jsonrpc.UNSUPPORTED_PROTOCOL_VERSION


def test_an_error_without_data_has_no_member_for_it() -> None:
    assert json.loads(RpcError(-1, "no").body()) == {"code": -1, "message": "no"}
    assert json.loads(RpcError(-1, "no", {"a": 1}).body()) == {"code": -1, "message": "no", "data": {"a": 1}}


@pytest.mark.parametrize(
    ("raw", "code", "message"),
    [
        (b'{"code":-32000,"message":"gone","data":[1e400],"more":"\\ud800"}', -32000, "gone"),
        (b'{"code":%d,"message":"\\ud800!"}' % 2**70, 2**70, "\ufffd!"),
    ],
)
def test_a_peers_error_goes_on_as_it_came(raw: bytes, code: int, message: str) -> None:
    error = RpcError.from_raw(raw)

    assert (error.code, error.message, error.body()) == (code, message, raw)


@pytest.mark.parametrize("raw", [b'{"code":1,"data":1e2}', b'{"code":1,"message":7,"data":1e2}'])
def test_a_peers_error_without_a_message_gets_one_that_strict_clients_can_read(raw: bytes) -> None:
    error = RpcError.from_raw(raw)

    jsonrpc.JSONRPCError.model_validate_json(b'{"jsonrpc":"2.0","id":1,"error":' + error.body() + b"}")
    assert (error.code, error.message) == (1, "")
    assert b'"data":1e2' in error.body()


@pytest.mark.parametrize(
    "raw",
    [
        b"null",
        b'"no"',
        b"[]",
        b"{}",
        b'{"message":"no"}',
        b'{"code":"1"}',
        b'{"code":null}',
        b'{"code":1e400}',
        b'{"code":',
    ],
)
def test_a_peers_error_that_is_none_becomes_an_internal_error(raw: bytes) -> None:
    error = RpcError.from_raw(raw)

    assert error.code == INTERNAL_ERROR
    assert json.loads(error.body()) == {"code": INTERNAL_ERROR, "message": str(error)}


@pytest.mark.parametrize(
    ("result", "is_error"),
    [
        (b'{"content":[],"isError":true}', True),
        (b'{"content":[],"isError" : true }', True),
        (b'{"content":[{"type":"text","text":"\\ud83d"}],"isError":true}', True),
        (b'{"content":[1e400],"isError":true}', True),
        (b'{"isError":false,"isError":true}', True),
        (b'{"isError":true,"isError":false}', False),
        (b'{"content":[{"type":"text","text":"\\"isError\\":true"}]}', False),
        (b'{"structuredContent":{"isError":true}}', False),
        (b'{"content":["isError"]}', False),
        (b'{"isError":null}', False),
        (b'{"isError":1}', False),
        (b'["isError",true]', False),
        (b'{"isError":' + DEEP + b"}", False),
        (b"{}", False),
    ],
)
def test_a_result_is_an_error_where_it_says_so_at_the_top(result: bytes, is_error: bool) -> None:
    assert is_error_result(result) is is_error
    assert is_error_result(Raw(result)) is is_error


@given(st.text())
def test_a_tool_error_says_its_text_and_is_one(text: str) -> None:
    result = tool_error(text)

    assert is_error_result(result)
    assert json.loads(result)["content"] == [{"type": "text", "text": text}]


@given(VALUES)
def test_an_event_is_one_line_with_the_same_value(text: str) -> None:
    event = sse(text.encode())

    head, data, *end = event.split(b"\n")
    assert (head, end) == (b"event: message", [b"", b""])
    assert b"\r" not in event
    assert reference(data.removeprefix(b"data: ").decode()) == reference(text)
