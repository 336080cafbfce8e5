r"""A JSON object or array opened one level deep, its values left as the bytes they were. Pure.

msgspec does this in C, but refuses a value that holds a lone surrogate as an escape (``\ud83d``), which is legal JSON
and which Python servers emit. For those the spans are found here, so that nothing is lost and nothing is rewritten.
"""

import re
from collections.abc import Callable, Iterator
from typing import TypeVar

import msgspec
from msgspec import Raw

_Opened = TypeVar("_Opened")
_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb"|[\[\]{}]|[^\s\[\]{}\",:]++", re.DOTALL)
_decode_members = msgspec.json.Decoder(dict[str, Raw]).decode
_decode_items = msgspec.json.Decoder(list[Raw]).decode


def members(raw: bytes | Raw) -> dict[str, Raw]:
    """The members of the JSON object in `raw`, in order; of a repeated key the last one counts.

    Raises `msgspec.DecodeError` where `raw` is not JSON, `msgspec.ValidationError` where it is not an object.
    """
    return _opened(raw, _decode_members, _scan_members)


def items(raw: bytes | Raw) -> list[Raw]:
    """The items of the JSON array in `raw`, in order.

    Raises `msgspec.DecodeError` where `raw` is not JSON, `msgspec.ValidationError` where it is not an array.
    """
    return _opened(raw, _decode_items, _scan_items)


def without_lone_surrogates(data: bytes) -> bytes:
    """`data` with each escaped lone surrogate replaced by an escaped U+FFFD: as long as before, and valid for msgspec.

    Raises `msgspec.DecodeError` where there is none: then something else is wrong with `data`.
    """
    masked = _ESCAPE.sub(_mask, data)
    if masked == data:
        raise msgspec.DecodeError("JSON is malformed")
    return masked


def _mask(escape: re.Match[bytes]) -> bytes:
    text = escape[0]
    is_lone = len(text) == 6 and text[2:3] in b"dD" and text[3:4] in b"89abcdefABCDEF"
    return rb"\ufffd" if is_lone else text


def _opened(raw: bytes | Raw, decode: Callable[[bytes | Raw], _Opened], scan: Callable[[bytes], _Opened]) -> _Opened:
    try:
        try:
            return decode(raw)
        except msgspec.ValidationError:
            raise
        except msgspec.DecodeError:
            data = bytes(raw)
            decode(without_lone_surrogates(data))
            return scan(data)
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deep") from None


def _scan_members(data: bytes) -> dict[str, Raw]:
    spans = _spans(data)
    return {_text(key): Raw(value) for key, value in zip(spans, spans, strict=True)}


def _scan_items(data: bytes) -> list[Raw]:
    return [Raw(value) for value in _spans(data)]


def _spans(data: bytes) -> Iterator[bytes]:
    """What stands directly inside a valid object or array, keys too, by counting brackets outside of strings."""
    depth = start = 0
    for token in _TOKEN.finditer(data):
        opens, closes = token[0] in (b"{", b"["), token[0] in (b"}", b"]")
        outer, depth = depth, depth + opens - closes
        if outer == 1 and not closes:
            start = token.start()
        if depth == 1 and outer > 0:
            yield data[start : token.end()]


def _text(key: bytes) -> str:
    try:
        return msgspec.json.decode(key, type=str)
    except msgspec.DecodeError:
        return msgspec.json.decode(without_lone_surrogates(key), type=str)
