"""Wire names settled over the whole catalog: unique, and the same in every order."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.names import ToolRef, hashed_name, wire_name

WIRE = re.compile(r"[A-Za-z0-9_-]{1,64}")
REFS = st.builds(
    ToolRef,
    st.sampled_from(["a", "a_", "A", "ab", "x" * 32]),
    st.text("_b.é", min_size=1, max_size=4) | st.sampled_from(["t" * 62, "t" * 300, "t" * 299 + ".", "\ud800" * 80]),
)


def with_look_alikes(refs: list[ToolRef]) -> list[ToolRef]:
    """`refs`, and for some of them a tool that is called like the hashed name of another."""
    hashed = [hashed_name(ref).partition("__") for ref in refs[::2]]
    return list(dict.fromkeys([*refs, *(ToolRef(server, tool) for server, _, tool in hashed)]))


CATALOGS = st.lists(REFS, max_size=12, unique=True).map(with_look_alikes)
TWO_ORDERS = CATALOGS.flatmap(lambda refs: st.tuples(st.just(refs), st.permutations(refs)))


@given(TWO_ORDERS)
def test_names_are_unique_and_do_not_depend_on_the_order(orders: tuple[list[ToolRef], list[ToolRef]]) -> None:
    refs, others = orders

    settled = settle_wire_names(refs)

    assert settle_wire_names(others) == settled
    assert set(settled) == set(refs)
    assert len(set(settled.values())) == len(refs)
    assert all(WIRE.fullmatch(name) for name in settled.values())


@given(CATALOGS)
def test_a_name_that_needed_no_change_is_kept_unless_a_shorter_server_spells_it(refs: list[ToolRef]) -> None:
    settled = settle_wire_names(refs)

    for ref in refs:
        plain = f"{ref.server}__{ref.tool}"
        needs_no_change = WIRE.fullmatch(plain) is not None
        rival = ToolRef(ref.server[:-1], f"_{ref.tool}") if ref.server.endswith("_") else None
        if needs_no_change and rival not in refs:
            assert settled[ref] == plain


@given(CATALOGS)
def test_a_tool_that_clashes_with_none_leaves_all_other_names(refs: list[ToolRef]) -> None:
    settled = settle_wire_names(refs)

    assert settle_wire_names([*refs, ToolRef("other", "tool")]) == {**settled, ToolRef("other", "tool"): "other__tool"}


@pytest.mark.parametrize("changed", ["b.c", "b c", "bÄc"])
def test_the_one_that_had_to_be_changed_gets_a_hash(changed: str) -> None:
    plain, other = ToolRef("a", "b_c"), ToolRef("a", changed)

    assert settle_wire_names([other, plain]) == {plain: "a__b_c", other: hashed_name(other)}


def test_of_two_that_had_to_be_changed_both_get_a_hash() -> None:
    one, other = ToolRef("a", "b.c"), ToolRef("a", "b c")

    assert settle_wire_names([one, other]) == {one: hashed_name(one), other: hashed_name(other)}


def test_a_changed_name_that_nobody_else_wants_has_no_hash() -> None:
    assert settle_wire_names([ToolRef("a", "b.c")]) == {ToolRef("a", "b.c"): "a__b_c"}


def test_of_two_servers_that_spell_one_name_the_shorter_has_it() -> None:
    shorter, longer = ToolRef("a", "_b"), ToolRef("a_", "b")

    assert settle_wire_names([longer, shorter]) == {shorter: "a___b", longer: hashed_name(longer)}
    assert settle_wire_names([longer]) == {longer: "a___b"}


def test_a_server_with_an_underscore_at_its_end_keeps_a_name_that_needed_no_change() -> None:
    plain, changed = ToolRef("a_", "b"), ToolRef("a", ".b")

    assert settle_wire_names([changed, plain]) == {plain: "a___b", changed: hashed_name(changed)}


def test_a_tool_called_like_the_hashed_name_of_another_keeps_its_name() -> None:
    long = ToolRef("a", "t" * 300)
    look_alike = ToolRef("a", wire_name(long).removeprefix("a__"))

    settled = settle_wire_names([long, look_alike])

    assert settled[look_alike] == wire_name(long)
    assert WIRE.fullmatch(settled[long]) and settled[long] != settled[look_alike]


def test_a_reference_that_comes_twice_has_one_name() -> None:
    assert settle_wire_names([ToolRef("a", "b"), ToolRef("a", "b")]) == {ToolRef("a", "b"): "a__b"}
