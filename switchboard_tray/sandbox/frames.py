"""Messages between gateway and worker: a JSON head, then payloads as they are, each with its length before it. Pure.

``[head length][payloads' length][head][payloads]``, lengths as four bytes. Payloads are not JSON inside JSON, so that a
large result costs one copy.
"""

import json
import struct
from collections.abc import Callable, Sequence
from typing import Any

LENGTHS = struct.Struct(">II")
HEAD_BYTES = 32 << 20
PAYLOAD_BYTES = 64 << 20


def pack(head: dict[str, Any], payloads: Sequence[bytes] = ()) -> bytes:
    """One message. The head gets the payloads' lengths as ``sizes``."""
    text = json.dumps({**head, "sizes": [len(one) for one in payloads]}).encode()
    return b"".join((LENGTHS.pack(len(text), sum(map(len, payloads))), text, *payloads))


def read_lengths(lengths: bytes) -> tuple[int, int]:
    """The lengths of head and payloads. Raises `ValueError` where they cannot be those of a message."""
    head, payloads = LENGTHS.unpack(lengths)
    if head > HEAD_BYTES or payloads > PAYLOAD_BYTES:
        raise ValueError(f"a message of {head} + {payloads} bytes")
    return head, payloads


def unpack(head: bytes, payloads: bytes) -> tuple[dict[str, Any], list[bytes]]:
    """A message from its parts. Raises `ValueError` where it is none."""
    said = json.loads(head)
    if not isinstance(said, dict):
        raise ValueError("a head that is no object")
    parts, at = [], 0
    for size in said.pop("sizes", ()):
        if not isinstance(size, int) or size < 0:
            raise ValueError("a size that is none")
        parts.append(payloads[at : at + size])
        at += size
    if at != len(payloads):
        raise ValueError("payloads that are not as long as said")
    return said, parts


def receive(read: Callable[[int], bytes]) -> tuple[dict[str, Any], list[bytes]]:
    """The next message; `read` gives exactly so many bytes."""
    head, payloads = read_lengths(read(LENGTHS.size))
    return unpack(read(head), read(payloads) if payloads else b"")
