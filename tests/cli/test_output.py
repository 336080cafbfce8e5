"""Tables, facts and errors as people see them."""

import pytest

from switchboard_tray.cli.output import (
    one_line,
    print_facts,
    print_table,
    report,
    sentence,
    span,
    table_lines,
)
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import NotFound


def test_only_the_last_column_is_cut_to_the_width_of_the_line() -> None:
    lines = table_lines(("NAME", "WHAT"), [("github", "x" * 100), ("a", "short")], 40)

    assert lines == ["NAME    WHAT", f"github  {'x' * 29}...", "a       short"]


def test_a_name_too_long_for_its_column_stands_whole_in_a_line_of_its_own() -> None:
    name = "server." + "t" * 60

    lines = table_lines(("TOOL", "WHAT"), [(name, "does something"), ("a.b", "x" * 90)], 80)

    assert lines == ["TOOL  WHAT", name, "      does something", f"a.b   {'x' * 71}..."]


def test_a_table_that_fits_is_not_broken_up() -> None:
    assert table_lines(("ID", "SIZE"), [("i" * 60, "1 byte")], 80) == [f"ID{' ' * 60}SIZE", f"{'i' * 60}  1 byte"]


def test_a_table_of_nothing_is_its_headings(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("NAME", "WHAT"), [])

    assert capsys.readouterr().out == "NAME  WHAT\n"


def test_control_characters_are_shown_and_not_obeyed() -> None:
    assert one_line("a\x1b[31mred\nb\tc\ud800") == "a\\x1b[31mred b c\\ud800"


def test_facts_without_a_value_are_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("a", None), ("b", ""), ("c", []), ("d", {}), ("e", ()), ("f", 0), ("g", False)])

    assert capsys.readouterr().out == "f: 0\ng: no\n"


def test_each_item_of_a_fact_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    print_facts([("env", {"A": "1"}), ("args", ["-y", "x y"])])

    assert capsys.readouterr().out == "env:\n  A: 1\nargs:\n  -y\n  x y\n"


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("no profile 'x'", "No profile 'x'."),
        ("There is none.", "There is none."),
        ("config.json is broken", "config.json is broken."),
        ("/etc/x: denied", "/etc/x: denied."),
    ],
)
def test_an_error_reads_as_a_sentence(said: str, shown: str) -> None:
    assert sentence(said) == shown


def test_an_error_is_a_sentence_and_then_its_hint(capsys: pytest.CaptureFixture[str]) -> None:
    report(NotFound("no profile 'x'", hint="switchboard profile list"))

    assert capsys.readouterr() == ("", "No profile 'x'.\nswitchboard profile list\n")


def test_an_invalid_config_has_a_line_for_each_further_problem(capsys: pytest.CaptureFixture[str]) -> None:
    problems = [Problem("/a", "first"), Problem("/b", "second")]

    report(InvalidConfig(f"it is broken: {problems[0]}", problems, hint="Mend it."))

    assert capsys.readouterr().err == "It is broken: /a: first.\n  /b: second\nMend it.\n"


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [(0.4, "0 s"), (59.9, "59 s"), (60, "1 min"), (7_300, "2 h"), (86_400, "1 day"), (200_000, "2 days")],
)
def test_a_length_of_time_is_rounded_down_to_its_largest_unit(seconds: float, shown: str) -> None:
    assert span(seconds) == shown
