"""How a problem reads."""

from switchboard_tray.config.problems import InvalidConfig, Problem


def test_a_problem_reads_with_its_place_and_the_way_out() -> None:
    problem = Problem(
        "/settings/port", "found 0, expected a whole number from 1 to 65535", "The default is 7923.", 4, 9
    )

    assert str(problem) == (
        "line 4, column 9 at /settings/port: found 0, expected a whole number from 1 to 65535. The default is 7923."
    )


def test_a_problem_of_the_whole_file_has_no_place() -> None:
    assert str(Problem("", "the file is gone")) == "the file is gone"


def test_a_problem_of_no_file_has_its_pointer_alone() -> None:
    assert str(Problem("/a", "wrong")) == "/a: wrong"


def test_what_no_terminal_should_get_is_escaped() -> None:
    assert str(Problem("/\x1b[2J\ud800\n", "wrong")) == r"/\x1b[2J\ud800\n: wrong"


def test_an_invalid_config_holds_its_problems_as_values_and_as_lines() -> None:
    problem = Problem("/a", "wrong")

    error = InvalidConfig("not valid", [problem], hint="switchboard config check")

    assert (error.faults, error.problems, error.hint) == ((problem,), ("/a: wrong",), "switchboard config check")
