"""The JSON-RPC core and its lines, without a process: handshake, errors, batches, hostile input."""

import io
import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from switchboard_tray.demo.notebook import Notebook, open_notebook
from switchboard_tray.demo.protocol import REVISIONS
from switchboard_tray.demo.stdio import BATCH_LIMIT_MESSAGES, LINE_LIMIT_BYTES, serve


@pytest.fixture(scope="module")
def notebook() -> Iterator[Notebook]:
    """A notebook in memory; nothing here depends on what is in it."""
    with closing(open_notebook(Path(":memory:"))) as opened:
        yield opened


def spoken(notebook: Notebook, *lines: bytes) -> list[Any]:
    """What the server writes when it reads `lines` and then the end."""
    writer = io.BytesIO()
    serve(io.BytesIO(b"".join(line + b"\n" for line in lines)), writer, notebook)
    return [json.loads(line) for line in writer.getvalue().splitlines()]


def request(method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).encode()


def only_answer(notebook: Notebook, line: bytes) -> Any:
    (response,) = spoken(notebook, line)
    return response


def error_of(notebook: Notebook, line: bytes) -> tuple[object, int]:
    response = only_answer(notebook, line)
    assert response["error"]["message"]
    return response["id"], response["error"]["code"]


@pytest.mark.parametrize("revision", REVISIONS)
def test_known_revision_is_answered_with_itself(notebook: Notebook, revision: str) -> None:
    result = only_answer(notebook, request("initialize", protocolVersion=revision))["result"]
    assert result["protocolVersion"] == revision
    assert result["capabilities"] == {"tools": {}}
    assert result["serverInfo"]["name"] == "switchboard-demo"


@pytest.mark.parametrize("revision", ["2026-07-28", "", None, 5, [], {}])
def test_unknown_revision_is_answered_with_the_newest_known(notebook: Notebook, revision: object) -> None:
    result = only_answer(notebook, request("initialize", protocolVersion=revision))["result"]
    assert result["protocolVersion"] == "2025-11-25"


def test_ping_is_answered_with_an_empty_result(notebook: Notebook) -> None:
    assert only_answer(notebook, b'{"jsonrpc":"2.0","id":"p","method":"ping"}') == {
        "jsonrpc": "2.0",
        "id": "p",
        "result": {},
    }


def test_tools_list_is_one_page_of_eleven(notebook: Notebook) -> None:
    result = only_answer(notebook, request("tools/list"))["result"]
    assert (len(result["tools"]), list(result)) == (11, ["tools"])


def test_cursor_that_was_never_given_out_is_refused(notebook: Notebook) -> None:
    assert error_of(notebook, request("tools/list", cursor="abc")) == (7, -32602)


def test_unknown_tool_is_named_in_the_error(notebook: Notebook) -> None:
    error = only_answer(notebook, request("tools/call", name="make_coffee"))["error"]
    assert error == {"code": -32602, "message": "Unknown tool: make_coffee"}


def test_unknown_tool_of_a_megabyte_is_cut_in_the_error(notebook: Notebook) -> None:
    error = only_answer(notebook, request("tools/call", name="x" * 1_000_000))["error"]
    assert len(error["message"]) < 300


@pytest.mark.parametrize("method", ["resources/list", "server/discover", "", "\ud800"])
def test_unknown_method_is_not_found(notebook: Notebook, method: str) -> None:
    assert error_of(notebook, request(method)) == (7, -32601)


@pytest.mark.parametrize("params", [b"[]", b'"x"', b"5", b"true"])
def test_params_that_are_no_object_are_refused(notebook: Notebook, params: bytes) -> None:
    line = b'{"jsonrpc":"2.0","id":7,"method":"tools/list","params":' + params + b"}"
    assert error_of(notebook, line) == (7, -32602)


@pytest.mark.parametrize("arguments", [[], "x", 5, False])
def test_arguments_that_are_no_object_are_refused(notebook: Notebook, arguments: object) -> None:
    assert error_of(notebook, request("tools/call", name="list_notes", arguments=arguments)) == (7, -32602)


@pytest.mark.parametrize("token", [None, True, {}, [], 1.5])
def test_progress_is_not_sent_for_a_token_that_is_none(notebook: Notebook, token: object) -> None:
    answers = spoken(notebook, request("tools/call", name="export_notes", _meta={"progressToken": token}))
    assert [answer["id"] for answer in answers] == [7]


def test_progress_comes_before_the_result(notebook: Notebook) -> None:
    answers = spoken(notebook, request("tools/call", name="export_notes", _meta={"progressToken": 0}))
    assert [answer.get("method", "result") for answer in answers] == ["notifications/progress"] * 3 + ["result"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}',
        b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":[]}',
        b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"delete_note","arguments":{"note_id":1}}}',
        b'{"jsonrpc":"2.0","id":9,"result":{}}',
        b'{"jsonrpc":"2.0","id":9,"error":{"code":1,"message":"x"}}',
        b'[{"jsonrpc":"2.0","method":"notifications/initialized"}]',
        b"",
        b" \r",
    ],
)
def test_notification_response_and_blank_line_are_not_answered(notebook: Notebook, line: bytes) -> None:
    assert spoken(notebook, line) == []
    assert notebook.count_notes(None) == 3


@pytest.mark.parametrize(
    "line",
    [
        b"{",
        b"nonsense",
        b"\xff\xfe",
        b'{"id":NaN}',
        b'{"id":' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        '{"jsonrpc":"2.0","id":1,"method":"ping"}'.encode("utf-16"),
    ],
    ids=["open", "word", "not-utf-8", "nan", "digits", "deep-array", "deep-object", "utf-16"],
)
def test_line_that_is_not_json_is_a_parse_error_and_the_next_is_answered(notebook: Notebook, line: bytes) -> None:
    # UTF-16 has bytes that look like line ends, so more than one error may come of it.
    *errors, answered = spoken(notebook, line, request("ping"))
    assert {(error["id"], error["error"]["code"]) for error in errors} == {(None, -32700)}
    assert answered["result"] == {}


@pytest.mark.parametrize(
    "line",
    [
        b"5",
        b"null",
        b'"x"',
        b"{}",
        b"[]",
        b'{"id":null,"jsonrpc":"2.0","method":"ping"}',
        b'{"id":true,"jsonrpc":"2.0","method":"ping"}',
        b'{"id":{},"jsonrpc":"2.0","method":"ping"}',
        b'{"id":1e999,"jsonrpc":"2.0","method":"ping"}',
        b"[" + b",".join([b"1"] * (BATCH_LIMIT_MESSAGES + 1)) + b"]",
    ],
)
def test_json_that_is_no_request_is_invalid_with_a_null_id(notebook: Notebook, line: bytes) -> None:
    assert error_of(notebook, line) == (None, -32600)


@pytest.mark.parametrize("line", [b'{"id":7,"method":"ping"}', b'{"id":7,"jsonrpc":"2.0","method":5}'])
def test_invalid_request_with_a_readable_id_is_answered_under_it(notebook: Notebook, line: bytes) -> None:
    assert error_of(notebook, line) == (7, -32600)


@pytest.mark.parametrize("asked", ["1", '"\\ud800"', '"é"', "1" * 4000, "-1.5"])
def test_id_comes_back_as_it_was_sent(notebook: Notebook, asked: str) -> None:
    response = only_answer(notebook, f'{{"jsonrpc":"2.0","id":{asked},"method":"ping"}}'.encode())
    assert response["id"] == json.loads(asked)


def test_batch_is_answered_as_one_array_without_its_notifications(notebook: Notebook) -> None:
    batch = b"[" + b",".join([request("ping"), b'{"jsonrpc":"2.0","method":"x"}', b"1", request("nope")]) + b"]"
    (responses,) = spoken(notebook, batch)
    assert [response.get("error", {}).get("code") for response in responses] == [None, -32600, -32601]


def test_line_past_the_limit_is_refused_whole_and_the_next_is_answered(notebook: Notebook) -> None:
    refused, answered = spoken(notebook, b"x" * (LINE_LIMIT_BYTES * 2 + 5), request("ping"))
    assert (refused["error"]["code"], answered["id"]) == (-32600, 7)


def test_bug_in_a_tool_is_logged_and_answered_without_its_details(capsys: pytest.CaptureFixture[str]) -> None:
    closed = open_notebook(Path(":memory:"))
    closed.close()
    broken, answered = spoken(closed, request("tools/call", name="list_tags"), request("ping"))
    assert (broken["id"], broken["error"]["code"], answered["result"]) == (7, -32603, {})
    assert "closed database" not in broken["error"]["message"]
    captured = capsys.readouterr()
    assert "closed database" in captured.err and captured.out == ""


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=6,
)
METHODS = st.sampled_from(["initialize", "ping", "tools/list", "tools/call", "notifications/cancelled"])
PARAMS = ANY_JSON | st.fixed_dictionaries(
    {},
    optional={
        "name": st.sampled_from(["list_notes", "export_notes"]) | ANY_JSON,
        "arguments": ANY_JSON,
        "_meta": ANY_JSON | st.fixed_dictionaries({"progressToken": ANY_JSON}),
        "cursor": ANY_JSON,
        "protocolVersion": ANY_JSON,
    },
)
MESSAGES = ANY_JSON | st.fixed_dictionaries(
    {"jsonrpc": st.just("2.0"), "method": METHODS | ANY_JSON}, optional={"id": ANY_JSON, "params": PARAMS}
)


@given(message=MESSAGES | st.lists(MESSAGES, max_size=3))
@settings(max_examples=300, deadline=None)
def test_every_message_gets_well_formed_answers_or_none(notebook: Notebook, message: object) -> None:
    for answered in spoken(notebook, json.dumps(message).encode()):
        for response in answered if isinstance(answered, list) else [answered]:
            assert response["jsonrpc"] == "2.0"
            assert response.get("method") == "notifications/progress" or ("result" in response) != ("error" in response)


@given(line=st.binary(max_size=80))
@settings(max_examples=200, deadline=None)
def test_random_bytes_are_answered_with_errors_alone(notebook: Notebook, line: bytes) -> None:
    assert all(response["error"]["code"] in (-32700, -32600) for response in spoken(notebook, line))
