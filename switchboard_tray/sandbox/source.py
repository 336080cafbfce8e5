"""What a model writes as "code", as source that the engine takes: every usual way to write it is tried in turn. Pure.

Used inside the worker, so it imports the standard library alone. The code stays on the first line of what is put around
it, so that its lines keep their numbers.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s*(`{3,}|~{3,})[^\n`]*\n(.*?)\n?[ \t]*\1\s*\Z", re.DOTALL)
_ENDING = re.compile(r"[;\s]+\Z")
_EXPORT = re.compile(r"\A(\s*)export\s+default\b")
_LEADS_WITH_FUNCTION = re.compile(r"\s*(?:async\b|function\b|\()")


@dataclass(frozen=True, slots=True)
class Candidate:
    """One way to read a script: `text` gives a function when it is evaluated."""

    text: str
    prefix_chars: int
    """How many characters stand before the script on its first line."""


def unfenced(source: str) -> str:
    """The code in a Markdown fence that is all of `source`; its line numbers count from the line after the fence."""
    found = _FENCE.match(source)
    return found[2] if found else source


def candidates(code: str) -> Iterator[Candidate]:
    """The ways to read `code`, of which the first that compiles is meant."""
    plain = _EXPORT.sub(r"\1", code)
    expression = _ENDING.sub("", plain)
    if expression.strip():
        yield _around("(function(){return (", expression, "\n)})")
        yield _around("(async function(){return (", expression, "\n)})")
    head, newline, last = expression.rpartition("\n")
    if newline and last.strip() and not re.search(r"\b(?:return|throw)\b|^\s*[}/]", last):
        yield Candidate("(async function(){" + head + "\nreturn (" + last + "\n)})", len("(async function(){"))
    yield _around("(async function(){", plain, "\n})")


def telling(code: str, errors: list[str]) -> str:
    """Which of the errors of the candidates says what is wrong: what the code looks like decides."""
    return errors[0] if _LEADS_WITH_FUNCTION.match(code) else errors[-1]


def _around(before: str, code: str, after: str) -> Candidate:
    return Candidate(before + code + after, len(before))
