"""Keeps known secrets out of text that is shown or kept: each spelling a program may have written them in. Pure.

Which values are secret is for others to say; a value that is too short to be told from ordinary text is let pass.
"""

import json
from collections.abc import Iterable
from urllib.parse import quote

REDACTED = "•••"
SHORTEST_CHARS = 6
"""Shorter values would be found everywhere."""
_SHORTEST_LINE_CHARS = 16


def spellings(values: Iterable[str]) -> tuple[str, ...]:
    """Every way in which text may hold one of `values`: as it is, inside JSON, inside a URL; the longest first.

    A value of many lines, such as a key file, is looked for line by line too.
    """
    found = {spelled for value in values for part in _parts(value) for spelled in _spelled(part)}
    return tuple(sorted(found, key=lambda text: (-len(text), text)))


def redact(text: str, spelled: Iterable[str]) -> str:
    """`text` with each of `spelled`, which `spellings` gave, replaced."""
    for value in spelled:
        text = text.replace(value, REDACTED)
    return text


def _parts(value: str) -> Iterable[str]:
    if len(value) >= SHORTEST_CHARS:
        yield value
        yield from (line for line in value.splitlines() if len(line) >= _SHORTEST_LINE_CHARS)


def _spelled(value: str) -> Iterable[str]:
    yield value
    for is_ascii in (True, False):
        inside = json.dumps(value, ensure_ascii=is_ascii)[1:-1]
        # Some writers of JSON put a backslash before each slash.
        yield from (inside, inside.replace("/", "\\/"))
    yield from (quote(value, safe="", errors="surrogatepass"), quote(value, safe="/", errors="surrogatepass"))
