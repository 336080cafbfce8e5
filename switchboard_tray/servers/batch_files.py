"""Commands that are batch files on Windows (npx.cmd): how they and their arguments are written for cmd.exe. Pure.

A batch file is run by cmd.exe, which reads the command line by rules of its own; an argument that another program gave
(a tool's package, a path) must come out as it went in, and must never run anything.

Source: docs/servers.md, "Windows".
"""

from collections.abc import Sequence

_HARMLESS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789#$*+-./:?@\\_")
_PERCENT = "%%cd:~,%"
"""Comes out as one percent sign: a variable's empty part stops cmd.exe from expanding anything."""


def is_batch_file(path: str) -> bool:
    """Whether `path` is run by cmd.exe."""
    return path.lower().endswith((".cmd", ".bat"))


def batch_command(argv: Sequence[str]) -> str:
    """What cmd.exe is given after ``/c`` to run the batch file `argv[0]` with its arguments.

    Raises `ValueError` for an argument that cannot be passed: with a line break or a NUL.
    """
    return " ".join([_quoted(argv[0], always=True), *(_quoted(word) for word in argv[1:])])


def _quoted(word: str, *, always: bool = False) -> str:
    if any(sign in word for sign in "\r\n\0"):
        raise ValueError(f"a batch file takes no argument with a line break: {word!r}")
    if not always and word and all(sign in _HARMLESS for sign in word) and not word.endswith("\\"):
        return word
    out = ['"']
    backslashes = 0
    for sign in word:
        if sign == "\\":
            backslashes += 1
        elif sign == '"':
            # Backslashes before a quote are doubled, for the program; the quote is doubled, for cmd.exe.
            out.append("\\" * backslashes + '"')
            backslashes = 0
        else:
            backslashes = 0
        out.append(_PERCENT if sign == "%" else sign)
    return "".join(out) + "\\" * backslashes + '"'
