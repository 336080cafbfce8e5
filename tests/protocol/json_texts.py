"""JSON as text for tests: every spelling that is legal and seldom seen, and a reader to compare ours with."""

import json
from typing import Any

from hypothesis import strategies as st

SPACE = st.text(" \t\r\n", max_size=2)
_PIECES = st.one_of(
    st.characters(codec="utf-8", exclude_characters='"\\', min_codepoint=0x20),
    st.sampled_from(["\\n", '\\"', "\\\\", "\\/", "\\u0041", "\\u0000", "\\uD83D", "\\ude00", "\\ud83d\\ude00"]),
    st.sampled_from(["\\u0a41", "\\ud7ff", "\\uE000", "\\u1dc8"]),
    st.sampled_from(["{", "}", "[", "]", ",", ":", "\\\\ud83d"]),
)
STRINGS = st.lists(_PIECES, max_size=6).map(lambda pieces: f'"{"".join(pieces)}"')
NUMBERS = st.sampled_from(["0", "-0", "-0.0", "1e400", "-1E-400", "2E+3", str(2**70), "1" * 400]) | st.integers().map(
    str
)
SCALARS = st.sampled_from(["null", "true", "false"]) | NUMBERS | STRINGS


def _array(items: list[str], space: str) -> str:
    return f"[{space}{f'{space},'.join(items)}{space}]"


def _object(members: list[tuple[str, str]], space: str) -> str:
    return f"{{{space}{f',{space}'.join(f'{key}{space}:{value}' for key, value in members)}{space}}}"


VALUES: st.SearchStrategy[str] = st.recursive(
    SCALARS,
    lambda inner: (
        st.builds(_array, st.lists(inner, max_size=4), SPACE)
        | st.builds(_object, st.lists(st.tuples(STRINGS, inner), max_size=4), SPACE)
    ),
    max_leaves=12,
)
MEMBERS = st.lists(st.tuples(STRINGS, VALUES), max_size=5)


def reference(text: str) -> Any:
    """What the standard library reads in `text`. Raises `ValueError` for what is no JSON."""

    def refuse(word: str) -> None:
        raise ValueError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)
