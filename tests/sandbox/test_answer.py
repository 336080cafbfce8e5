"""What a model is told of a run."""

import json
from collections.abc import Sequence

import pytest
from msgspec import Raw

from switchboard_tray.sandbox.answer import Logs, write_failure, write_result
from switchboard_tray.sandbox.model import Ended, Fault
from switchboard_tray.sandbox.values import Notes
from tests.sandbox.host import said

SERVERS = {"github": ("create_issue", "list_issues"), "many": tuple(f"t{number}" for number in range(30))}


def logs(*lines: str, limit: int = 1000) -> Logs:
    kept = Logs(limit)
    for line in lines:
        kept.add(line, False)
    return kept


def result(ended: Ended, kept: Logs | None = None, *, not_awaited: Sequence[str] = ()) -> str:
    return said(write_result(ended, kept or logs(), Notes(), not_awaited))


def failure(fault: Fault, kept: Logs | None = None, *, not_awaited: Sequence[str] = (), **hints: str) -> str:
    written = write_failure(fault, kept or logs(), SERVERS, hints, not_awaited)
    assert json.loads(written)["isError"] is True
    return said(written)


def test_value_stands_behind_what_was_logged() -> None:
    assert result(Ended(value='{"a":1}')) == 'Result:\n{"a":1}'
    assert result(Ended(value="1"), logs("one\n", "two\n")) == "Logs:\none\ntwo\n\nResult:\n1"


def test_cut_of_value_and_logs_is_said() -> None:
    assert result(Ended(value="[1,2", full_chars=900)).endswith(
        "[cut at 4 of 900 characters: return less, such as a part or some fields]"
    )
    assert result(Ended(), logs("x" * 9, limit=5)).startswith("Logs:\nxxxxx\n[logs cut at 5 characters]\n\n")
    kept = logs()
    kept.add("", True)
    assert kept.section() == "Logs:\n\n[logs cut at 1000 characters]"


@pytest.mark.parametrize(("returned", "hint"), [("undefined", "nothing was returned"), ("function", "a function was")])
def test_value_that_is_no_json_gets_a_hint(returned: str, hint: str) -> None:
    assert f"Result:\nnull\n\nHint: {hint}" in result(Ended(returned=returned))


def test_calls_that_nobody_awaited_are_named() -> None:
    assert "Note: 1 call was not awaited and cancelled: s.a" in result(Ended(), not_awaited=["s.a"])
    many = tuple(f"s.t{number}" for number in range(25))
    told = failure(Fault("runtime", "E", "m"), not_awaited=many)
    assert "Note: 25 calls were not awaited and cancelled: s.t0, " in told


def test_block_whose_note_is_returned_is_appended() -> None:
    notes = Notes()
    block = Raw(b'{"type":"image","data":"AAAA","mimeType":"image/png"}')
    note = notes.add("image", block, 3, "image/png")
    notes.add("image", block, 3, "image/png")

    content = json.loads(write_result(Ended(value=json.dumps([note])), logs(), notes, ()))["content"]
    assert content[1:] == [json.loads(bytes(block))]


def test_failure_is_kind_error_place_hint_and_logs() -> None:
    fault = Fault("runtime", "TypeError", "x is not a function", 3, 7)

    assert failure(fault, logs("seen\n")) == "runtime: TypeError: x is not a function (line 3, column 7)\n\nLogs:\nseen"
    assert failure(Fault("syntax", "SyntaxError", "no", 2)).startswith("syntax: SyntaxError: no (line 2)")


@pytest.mark.parametrize(
    ("fault", "hint"),
    [
        (Fault("runtime", "ReferenceError", "foo is not defined"), "the globals with tools are: github, many, catalog"),
        (Fault("runtime", "ReferenceError", "'foo' is not defined"), "the globals with tools are: github"),
        (Fault("runtime", "ReferenceError", "fetch is not defined"), "there is no fetch here; the globals"),
        (Fault("runtime", "TypeError", "github has no tool create_isue"), "Did you mean create_issue"),
        (Fault("runtime", "TypeError", "github has no tool qqqqq"), "the tools of github are: create_issue, list_"),
        (Fault("timeout", "Timeout", "x"), "do less"),
        (Fault("memory", "OutOfMemory", "x"), "keep less"),
        (Fault("budget", "Budget", "x"), "make fewer calls"),
        (Fault("runtime", "Deadlock", "x"), "await tool calls"),
    ],
)
def test_hint_says_what_to_do(fault: Fault, hint: str) -> None:
    assert f"\n\nHint: {hint}" in failure(fault)


def test_hint_of_a_failed_tool_is_shown_where_its_error_was_not_caught() -> None:
    assert "Hint: s.t(args: {})" in failure(Fault("runtime", "Error", "boom"), boom="s.t(args: {})")
    assert "Hint:" not in failure(Fault("syntax", "SyntaxError", "foo is not defined"))


def test_half_a_character_breaks_no_answer() -> None:
    assert result(Ended(), logs("a\ud800b")) == "Logs:\na\ufffdb\n\nResult:\nnull"
