"""What a client is told when it connects: how to use the surface, then the servers' own instructions. Pure."""

from collections.abc import Iterable, Mapping

SERVER_CHARS = 600
ALL_CHARS = 4000
_CUT = " [cut]"

PASSTHROUGH = (
    "Switchboard gives you the tools of several servers; a tool is called SERVER__TOOL after its server.\n"
    "The list may change while you work: list the tools again when you are told so."
)
HEADS: Mapping[str, str] = {
    "passthrough": PASSTHROUGH,
    "meta": (
        "Switchboard gives you the tools of several servers through three: find a tool with search_tools, see how it "
        "is called with get_schema, call it with call_tool.\n"
        "Search before you conclude that something cannot be done."
    ),
    "compact": (
        "Switchboard gives you the tools of several servers through two: search_tools answers signatures, and "
        "call_tool calls what you found.\n"
        "Search before you conclude that something cannot be done."
    ),
    "code": (
        "Switchboard gives you the tools of several servers in JavaScript: write an async function for execute, in "
        "which each server is an object and each of its tools a method.\n"
        "Do several steps in one run, and return only what you need."
    ),
    "apps": (
        "Switchboard gives you one tool for each server, which stands for all tools of that server.\n"
        'Use action "list" to see what a server can do, "describe" to see how a tool is called, "call" to call it.'
    ),
}
"""How each surface is used, in two lines."""
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
