"""What a client is told when it connects: how to use the surface, then the servers' own instructions. Pure."""

from collections.abc import Iterable

SERVER_CHARS = 600
ALL_CHARS = 4000
_CUT = " [cut]"

PASSTHROUGH = (
    "Switchboard gives you the tools of several servers; a tool is called SERVER__TOOL after its server.\n"
    "The list may change while you work: list the tools again when you are told so."
)
WAITING = (
    "No profile is assigned to this client yet, so it has no tools.\n"
    "The person you work for can assign one with `switchboard profile default NAME`; the tools appear without "
    "reconnecting."
)


def write_instructions(head: str, servers: Iterable[tuple[str, str]]) -> str:
    """`head`, then each server's instructions under its name.

    Each server's are cut at 600 characters, all together at 4,000, and a cut is said.
    """
    parts = [head]
    parts.extend(f"{name}: {_cut(text.strip(), SERVER_CHARS)}" for name, text in servers if text.strip())
    return _cut("\n\n".join(parts), ALL_CHARS)


def _cut(text: str, limit_chars: int) -> str:
    return text if len(text) <= limit_chars else text[: limit_chars - len(_CUT)] + _CUT
