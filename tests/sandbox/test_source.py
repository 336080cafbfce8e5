"""What counts as a script: fences, and the ways to read it."""

import pytest

from switchboard_tray.sandbox.source import candidates, telling, unfenced


@pytest.mark.parametrize(
    ("source", "code"),
    [
        ("1", "1"),
        ("```js\n1\n```", "1"),
        ("\n```\n1\n2\n```  \n", "1\n2"),
        ("~~~ts\nx\n~~~", "x"),
        ("````\n```\n````", "```"),
        ("Look:\n```js\n1\n```", "Look:\n```js\n1\n```"),
        ("```js\n1", "```js\n1"),
    ],
)
def test_fence_around_all_of_it_is_taken_off(source: str, code: str) -> None:
    assert unfenced(source) == code


def test_code_stays_on_the_first_line_and_what_stands_before_it_is_counted() -> None:
    for candidate in candidates("async () => 1"):
        assert candidate.text.splitlines()[0][candidate.prefix_chars :].startswith("async () => 1")


def test_last_line_is_the_value_where_it_may_be_one() -> None:
    assert any("const x = 1\nreturn (x\n)" in one.text for one in candidates("const x = 1\nx;"))
    for code in ("const x = 1\nreturn x", "if (x) {\n}", "f()\nthrow x", "f()\n// done"):
        assert len(list(candidates(code))) == 3


def test_export_of_a_module_is_read_as_the_function() -> None:
    assert "( async () => 1" in next(candidates("export default async () => 1;")).text


def test_nothing_is_a_body_alone() -> None:
    assert len(list(candidates(" ;\n"))) == 1


def test_error_that_is_told_is_of_the_way_the_code_looks_like() -> None:
    assert telling("async () => {", ["first", "last"]) == "first"
    assert telling("const x = ;", ["first", "last"]) == "last"
