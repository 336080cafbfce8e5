"""The revisions of MCP we serve, and what each allows. Pure.

Two eras: up to 2025-11-25 a client opens a session with ``initialize``; from 2026-07-28 on each request stands alone.
"""

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
LATEST_HANDSHAKE = HANDSHAKE_VERSIONS[-1]

SESSION_METHODS = frozenset({"initialize", "ping", "tools/list", "tools/call"})
"""What a client of the 2025 era may ask of a profile that relays tools alone."""


def is_session_era(version_header: str | None) -> bool:
    """Whether a request belongs to the 2025 era: its version header is absent or names one of that era's revisions."""
    return version_header is None or version_header in HANDSHAKE_VERSIONS


def negotiated_version(requested: str) -> str:
    """The revision we answer ``initialize`` with: the one asked for where we speak it, else our newest of that era."""
    return requested if requested in HANDSHAKE_VERSIONS else LATEST_HANDSHAKE
