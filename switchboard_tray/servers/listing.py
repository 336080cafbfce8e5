"""A server's whole tool list: every page, with a cap and a check for cursors that come again."""

import time

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.messages import dumps, read_batch, read_members, read_text
from switchboard_tray.servers.stdio import Hello, StdioConnection

PAGES = 1000
TOOLS = 10_000


async def list_tools(connection: StdioConnection, hello: Hello) -> ServerTools:
    """All tools of the server, checked one by one. Raises `ServerError` where it gives no list."""
    definitions = await _all_pages(connection) if "tools" in hello.capabilities else []
    tools, quarantined = check_tools(definitions)
    return ServerTools(tools, quarantined, hello.instructions, hello.title, listed_at=time.time())


async def _all_pages(connection: StdioConnection) -> list[Raw]:
    definitions: list[Raw] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(PAGES):
        asked = dumps({} if cursor is None else {"cursor": cursor})
        page = read_members(await connection.question("tools/list", asked))
        definitions.extend(_tools_of(page.get("tools")))
        cursor = read_text(page.get("nextCursor"))
        if not cursor or cursor in seen or len(definitions) >= TOOLS:
            break
        seen.add(cursor)
    return definitions[:TOOLS]


def _tools_of(raw: Raw | None) -> list[Raw]:
    try:
        return read_batch(raw) if raw is not None else []
    except msgspec.MsgspecError:
        raise ServerError("The server's answer to tools/list holds no list of tools.") from None
