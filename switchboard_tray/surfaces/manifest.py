"""The servers of a profile in a few lines: how a model knows what there is without its tools being listed. Pure."""

from collections.abc import Callable, Sequence

from switchboard_tray.surfaces.material import PURPOSE_CHARS, ServerLine, rounded, summary

MANIFEST_CHARS = 3000
SHORT_CHARS = 80
SHORTEST_CHARS = 50


def write_manifest(head: str, servers: Sequence[ServerLine]) -> str:
    """`head`, then a line for each server, at most 3,000 characters in all where names alone fit them.

    What servers are for goes first, then their counts, until it fits; a server's name is never cut.
    """
    ways: tuple[Callable[[ServerLine], str], ...] = (_whole, _short, _shortest, _counted)
    for way in ways:
        text = head + "".join(f"\n- {way(server)}" for server in servers)
        if len(text) <= MANIFEST_CHARS:
            return text
    return f"{head}\n{', '.join(server.name for server in servers)}"


def _whole(server: ServerLine) -> str:
    return _purposeful(server, PURPOSE_CHARS)


def _short(server: ServerLine) -> str:
    return _purposeful(server, SHORT_CHARS)


def _shortest(server: ServerLine) -> str:
    return _purposeful(server, SHORTEST_CHARS)


def _purposeful(server: ServerLine, limit_chars: int) -> str:
    return f"{_counted(server)}: {summary(server.purpose, limit_chars)}" if server.purpose else _counted(server)


def _counted(server: ServerLine) -> str:
    noun = "tool" if server.tool_count == 1 else "tools"
    return f"{server.name} ({rounded(server.tool_count)} {noun})"
