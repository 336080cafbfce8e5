"""What a client is told when it connects, and that a cut is said."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.surfaces.instructions import PASSTHROUGH, WAITING, write_instructions


def test_two_lines_on_the_surface_come_first_then_each_server_under_its_name() -> None:
    text = write_instructions(PASSTHROUGH, [("github", " Use it.\n"), ("linear", "Or that.")])

    assert text == f"{PASSTHROUGH}\n\ngithub: Use it.\n\nlinear: Or that."
    assert PASSTHROUGH.count("\n") == 1


def test_a_server_with_nothing_to_say_is_left_out() -> None:
    assert write_instructions("head", [("a", ""), ("b", " \n")]) == "head"


@pytest.mark.parametrize(("length", "is_cut"), [(600, False), (601, True), (100_000, True)])
def test_a_server_may_say_600_characters(length: int, is_cut: bool) -> None:
    said = write_instructions("head", [("a", "x" * length)]).removeprefix("head\n\na: ")

    assert len(said) == 600
    assert said.endswith(" [cut]") is is_cut


@given(st.lists(st.tuples(st.text(max_size=32), st.text(max_size=900)), max_size=12), st.integers(0, 700))
def test_all_together_are_at_most_4000_characters_and_a_cut_is_said(servers: list[tuple[str, str]], more: int) -> None:
    servers += [("x" * 32, "y" * more)] * 7
    alone = [write_instructions("", [server]) for server in servers]
    uncut = PASSTHROUGH + "".join(alone)

    text = write_instructions(PASSTHROUGH, servers)

    assert text == (uncut if len(uncut) <= 4000 else f"{uncut[:3994]} [cut]")


def test_exactly_4000_characters_are_not_cut() -> None:
    whole = write_instructions("h" * 3987, [("a", "b" * 8)])

    assert whole == f"{'h' * 3987}\n\na: {'b' * 8}"
    assert write_instructions("h" * 3988, [("a", "b" * 8)]).endswith(" [cut]")


def test_a_client_that_waits_is_told_how_it_gets_tools() -> None:
    assert "switchboard profile default NAME" in WAITING
