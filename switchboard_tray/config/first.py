"""The config of a first start. Pure."""

from typing import Any

from switchboard_tray.config.keys import VERSION


def first_document() -> dict[str, Any]:
    """A config that works at once: the built-in demo server, in the profile that every client gets."""
    return {
        "version": VERSION,
        "servers": {"demo": {"builtin": "demo"}},
        "profiles": {"default": {"servers": ["demo"]}},
        "defaultProfile": "default",
    }
