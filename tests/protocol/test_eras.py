"""The two eras of the protocol: who speaks which, and what is changed on the way from one to the other."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Raw

from switchboard_tray.protocol import eras
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    RESOURCE_NOT_FOUND_2025,
    UNSUPPORTED_VERSION,
    RpcError,
)
from switchboard_tray.protocol.spans import members
from tests.protocol.json_texts import VALUES

US = Raw(b'{"name":"switchboard"}')
STAMP = {"io.modelcontextprotocol/serverInfo": {"name": "switchboard"}}


@pytest.mark.parametrize(
    ("version", "era"),
    [
        (None, Era.LEGACY),
        *((version, Era.LEGACY) for version in ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")),
        *((version, Era.MODERN) for version in ("2026-07-28", "2099-01-01", "", "2025-06-18 ")),
    ],
)
def test_the_version_header_alone_decides_the_era(version: str | None, era: Era) -> None:
    assert eras.era_of(version) is era


@pytest.mark.parametrize("version", eras.LEGACY_VERSIONS)
def test_a_client_gets_the_revision_it_asks_for(version: str) -> None:
    assert eras.negotiated_version(version) == version


@pytest.mark.parametrize("version", ["2026-07-28", "1999-01-01", "", "latest"])
def test_a_client_that_asks_for_another_revision_gets_our_newest_with_a_session(version: str) -> None:
    assert eras.negotiated_version(version) == "2025-11-25"


def test_the_refusal_of_a_revision_says_which_are_spoken() -> None:
    error = eras.unsupported_version("2099-01-01")

    assert json.loads(error.body()) == {
        "code": UNSUPPORTED_VERSION,
        "message": "Unsupported protocol version",
        "data": {"supported": ["2026-07-28"], "requested": "2099-01-01"},
    }


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (PARSE_ERROR, 400),
        (INVALID_REQUEST, 400),
        (INVALID_PARAMS, 400),
        (HEADER_MISMATCH, 400),
        (MISSING_CAPABILITY, 400),
        (UNSUPPORTED_VERSION, 400),
        (METHOD_NOT_FOUND, 404),
        (INTERNAL_ERROR, 200),
        (-1, 200),
    ],
)
def test_errors_of_the_modern_era_have_a_status(code: int, status: int) -> None:
    assert eras.http_status(RpcError(code, "")) == status


# -- requests ----------------------------------------------------------------------------------------------------------


def test_an_envelope_says_revision_capabilities_and_who_asks() -> None:
    said = eras.envelope({"roots": {}}, {"name": "us"}, "info")

    prefix = "io.modelcontextprotocol/"
    assert {key.removeprefix(prefix): json.loads(bytes(value)) for key, value in said.items()} == {
        "protocolVersion": "2026-07-28",
        "clientCapabilities": {"roots": {}},
        "clientInfo": {"name": "us"},
        "logLevel": "info",
    }
    assert eras.LOG_LEVEL_KEY not in eras.envelope({}, {})


def test_a_legacy_server_sees_nothing_of_the_envelope() -> None:
    meta = {**eras.envelope({}, {}, "info"), "progressToken": Raw(b"1")}

    assert eras.without_envelope(meta) == {"progressToken": meta["progressToken"]}


# -- results -----------------------------------------------------------------------------------------------------------


def test_a_result_for_a_modern_client_says_that_it_is_complete_and_whose_it_is() -> None:
    result = eras.to_modern("tools/call", b'{"content":[]}', US)

    assert json.loads(bytes(result)) == {"resultType": "complete", "content": [], "_meta": STAMP}


def test_a_list_for_a_modern_client_is_not_to_be_cached() -> None:
    result = eras.to_modern("tools/list", b'{"tools":[],"_meta":{"a":1}}', US)

    assert json.loads(bytes(result)) == {
        "resultType": "complete",
        "ttlMs": 0,
        "cacheScope": "private",
        "tools": [],
        "_meta": {**STAMP, "a": 1},
    }


def test_what_a_modern_server_says_of_its_result_stays() -> None:
    said = {
        "resultType": "input_required",
        "ttlMs": 5,
        "cacheScope": "public",
        "_meta": {eras.SERVER_KEY: {"name": "x"}},
    }
    raw = json.dumps(said).encode()

    assert eras.to_modern("tools/list", raw, US) is raw


def test_what_a_modern_server_leaves_out_is_added_beside_what_it_says() -> None:
    said = {"_meta": {eras.SERVER_KEY: {"name": "x"}}}

    result = eras.to_modern("tools/call", json.dumps(said).encode(), US)

    assert json.loads(bytes(result)) == {"resultType": "complete", **said}


@given(st.dictionaries(st.sampled_from(["content", "x", "_meta", "ttlMs", "resultType"]), VALUES))
def test_no_value_of_a_result_is_touched_on_the_way(values: dict[str, str]) -> None:
    raw = ("{" + ",".join(f'"{key}":{value}' for key, value in values.items()) + "}").encode()

    modern = members(eras.to_modern("tools/list", raw, US))
    legacy = members(eras.to_legacy("tools/list", raw))

    for key, value in values.items():
        if key != "_meta":
            assert bytes(modern[key]) == value.encode()
        if key in ("content", "x", "_meta"):
            assert bytes(legacy[key]) == value.encode()
    assert bytes(members(modern["_meta"])[eras.SERVER_KEY])


def test_a_result_for_a_legacy_client_has_nothing_of_the_modern_era() -> None:
    raw = b'{"resultType":"complete","ttlMs":1,"cacheScope":"public","tools":[ 1 ]}'

    assert eras.to_legacy("tools/list", raw) == b'{"tools":[ 1 ]}'


@pytest.mark.parametrize(("content", "stays"), [("{}", True), ("[1]", False), ('"a"', False), ("null", False)])
def test_structured_content_that_is_no_object_is_left_out_for_a_legacy_client(content: str, stays: bool) -> None:
    raw = f'{{"content":[],"structuredContent":{content}}}'.encode()

    assert ("structuredContent" in members(eras.to_legacy("tools/call", raw))) is stays
    assert "structuredContent" in members(eras.to_legacy("prompts/get", raw))


@pytest.mark.parametrize(
    ("result", "wants"),
    [
        (b'{"resultType":"input_required"}', True),
        (b'{"torn":"\\ud800","resultType" : "input_required"}', True),
        (b'{"resultType":"complete","text":"input_required"}', False),
        (b'{"content":["input_required"]}', False),
        (b'["resultType","input_required"]', False),
        (b"{}", False),
    ],
)
def test_a_server_wants_input_where_its_result_says_so_at_the_top(result: bytes, wants: bool) -> None:
    assert eras.wants_input(result) is wants


# -- errors and logs ---------------------------------------------------------------------------------------------------


def test_a_missing_resource_has_another_code_in_the_modern_era() -> None:
    error = RpcError.from_raw(b'{"code":-32002,"message":"no such file"}')
    assert error.code == RESOURCE_NOT_FOUND_2025

    modern = eras.error_to_modern(error, {"uri": Raw(b'"file:///a"')})

    assert json.loads(modern.body()) == {
        "code": INVALID_PARAMS,
        "message": "no such file",
        "data": {"uri": "file:///a"},
    }
    assert "data" not in json.loads(eras.error_to_modern(error, {}).body())


def test_any_other_error_goes_on_as_it_came() -> None:
    error = RpcError(INTERNAL_ERROR, "no")

    assert eras.error_to_modern(error, {}) is error


@pytest.mark.parametrize(
    ("level", "floor", "passes"),
    [
        ("error", "warning", True),
        ("warning", "warning", True),
        ("info", "warning", False),
        ("debug", None, True),
        (None, "error", True),
        ("loud", "error", True),
        ("debug", "loud", True),
    ],
)
def test_a_log_message_passes_from_its_level_on_and_an_unknown_one_always(
    level: str | None, floor: str | None, passes: bool
) -> None:
    assert eras.passes_level(level, floor) is passes


@pytest.mark.parametrize(
    "raw",
    [None, b"null", b"[]", b"{", b'{"a":"\\ud800"}', b'{"a":1e400}', b'{"a":' + b"[" * 10**5 + b"]" * 10**5 + b"}"],
)
def test_what_is_no_readable_object_reads_as_an_empty_one(raw: bytes | None) -> None:
    assert eras.read_object(None if raw is None else Raw(raw)) == {}


def test_an_object_reads_as_plain_values() -> None:
    assert eras.read_object(Raw(b'{"a":[1,null]}')) == {"a": [1, None]}
