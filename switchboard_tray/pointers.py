"""JSON pointers (RFC 6901): the address of a value inside a JSON document. Pure."""

import re

_BAD_ESCAPE = re.compile(r"~(?![01])")


def child(pointer: str, key: str | int) -> str:
    """The pointer of the member `key` (an object's key or a list's index) of the value at `pointer`."""
    return f"{pointer}/{str(key).replace('~', '~0').replace('/', '~1')}"


def parent(pointer: str) -> str:
    """The pointer of the value that holds the one at `pointer`; the document's own ("") is its own parent."""
    return pointer.rpartition("/")[0]


def pointer_keys(pointer: str) -> tuple[str, ...]:
    """The keys on the way to the value at `pointer`, outermost first.

    Raises ValueError where `pointer` is neither empty nor starts with ``/``, or holds a ``~`` that escapes nothing.
    """
    if pointer and (not pointer.startswith("/") or _BAD_ESCAPE.search(pointer)):
        raise ValueError(f"not a JSON pointer: {pointer!r}")
    return tuple(part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:])
