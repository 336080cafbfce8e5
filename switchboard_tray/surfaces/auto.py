"""Which surface a profile gets by its size: all tools while they are few, then one that stays small. Pure."""

APPS_SERVERS = 24
"""With more servers, one tool for each is a long list too."""


def choose_surface(surface: str, threshold: int, above: str, tool_count: int, server_count: int) -> str:
    """The surface in force: `surface` itself, unless it is ``auto``.

    `server_count` counts the servers that give the profile a tool.
    """
    if surface != "auto":
        return surface
    if tool_count <= threshold:
        return "passthrough"
    if above == "apps":
        return "apps" if server_count <= APPS_SERVERS else "compact"
    return "meta"
