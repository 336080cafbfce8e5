r"""A JSON object opened one level deep, its values left as the bytes they were. Pure.

msgspec does this in C, but refuses a value that holds a lone surrogate as an escape (``\ud83d``), which is legal JSON
and which Python servers emit. For those the spans are found here, so that nothing is lost and nothing is rewritten.
"""

import re

import msgspec
from msgspec import Raw

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_TOKEN = re.compile(_STRING + rb"|[\[\]{}]|[^\s\[\]{}\",:]++", re.DOTALL)
_decode_members = msgspec.json.Decoder(dict[str, Raw]).decode


def members(raw: bytes | Raw) -> dict[str, Raw]:
    """The members of the JSON object in `raw`, in order; of a repeated key the last one counts.

    Raises `msgspec.DecodeError` where `raw` is not JSON, `msgspec.ValidationError` where it is not an object.
    """
    try:
        return _decode_members(raw)
    except msgspec.ValidationError:
        raise
    except RecursionError:
        raise msgspec.DecodeError("JSON is nested too deep") from None
    except msgspec.DecodeError:
        data = bytes(raw)
        _decode_members(without_lone_surrogates(data))
        return _scan(data)


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


def _scan(data: bytes) -> dict[str, Raw]:
    """The members of a valid object, by counting brackets outside of strings."""
    found: dict[str, Raw] = {}
    key: bytes | None = None
    depth = start = 0
    for token in _TOKEN.finditer(data):
        text = token[0]
        opens, closes = text in (b"{", b"["), text in (b"}", b"]")
        if depth == 1 and key is None and not closes:
            key = text
            continue
        if depth == 1 and not closes:
            start = token.start()
        depth += opens - closes
        if depth == 1 and key is not None:
            found[_text(key)] = Raw(data[start : token.end()])
            key = None
    return found


def _text(key: bytes) -> str:
    try:
        return msgspec.json.decode(key, type=str)
    except msgspec.DecodeError:
        return msgspec.json.decode(without_lone_surrogates(key), type=str)
