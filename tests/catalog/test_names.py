"""Wire names settled over the whole catalog: unique, and the same in every order."""

import re

from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.catalog.names import settle_wire_names
from switchboard_tray.names import ToolRef, hashed_name

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


@given(st.lists(REFS, max_size=12, unique=True).map(with_look_alikes), st.randoms())
def test_names_are_unique_and_do_not_depend_on_the_order(refs: list[ToolRef], chance: st.Random) -> None:  # type: ignore[name-defined]
    settled = settle_wire_names(refs)
    chance.shuffle(refs)

    assert settle_wire_names(refs) == settled
    assert set(settled) == set(refs)
    assert len(set(settled.values())) == len(refs)
    assert all(WIRE.fullmatch(name) for name in settled.values())
