"""Messages between gateway and worker."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.sandbox.frames import HEAD_BYTES, pack, read_lengths, receive, unpack

HEADS = st.dictionaries(st.text(max_size=5).filter(lambda key: key != "sizes"), st.integers() | st.text(max_size=9))


@given(HEADS, st.lists(st.binary(max_size=50), max_size=4))
def test_what_is_packed_is_received(head: dict[str, object], payloads: list[bytes]) -> None:
    data = pack(head, payloads)
    at = 0

    def read(count: int) -> bytes:
        nonlocal at
        at += count
        return data[at - count : at]

    assert receive(read) == (head, payloads)
    assert at == len(data)


@pytest.mark.parametrize(
    ("head", "payloads"), [(b"[]", b""), (b"x", b""), (b'{"sizes":[1]}', b""), (b'{"sizes":[-1]}', b""), (b"{}", b"x")]
)
def test_nonsense_is_an_error(head: bytes, payloads: bytes) -> None:
    with pytest.raises(ValueError):
        unpack(head, payloads)


def test_length_beyond_all_bounds_is_an_error() -> None:
    with pytest.raises(ValueError):
        read_lengths(struct.pack(">II", HEAD_BYTES + 1, 0))
    with pytest.raises(ValueError):
        read_lengths(struct.pack(">II", 0, 2**32 - 1))
