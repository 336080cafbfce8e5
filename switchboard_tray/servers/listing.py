"""A server's whole lists: every page, with a cap and a check for cursors that come again."""

import time

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.check import check_named, check_tools
from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import RpcError, dumps, read_batch, read_members, read_text
from switchboard_tray.servers.handshake import Hello, our_envelope
from switchboard_tray.servers.stdio import StdioConnection

PAGES = 1000
ITEMS = 10_000


async def list_server(connection: StdioConnection, hello: Hello) -> ServerTools:
    """All tools, prompts and resources of a server, checked one by one.

    Raises `RpcError` with the server's refusal to list its tools, `ServerError` where no list comes.
    """
    definitions = await _all(connection, hello, "tools/list", "tools") if "tools" in hello.capabilities else []
    tools, quarantined = check_tools(definitions)
    return ServerTools(
        tools,
        quarantined,
        hello.instructions,
        hello.title,
        listed_at=time.time(),
        prompts=check_named(await _extra(connection, hello, "prompts", "prompts/list", "prompts"), "name"),
        resources=check_named(await _extra(connection, hello, "resources", "resources/list", "resources"), "uri"),
        templates=check_named(
            await _extra(connection, hello, "resources", "resources/templates/list", "resourceTemplates"), "uriTemplate"
        ),
    )


async def _extra(connection: StdioConnection, hello: Hello, capability: str, method: str, key: str) -> list[Raw]:
    """A list that a server may lack although it declares the capability: the tools are not lost for it."""
    if capability not in hello.capabilities:
        return []
    try:
        return await _all(connection, hello, method, key)
    except RpcError:
        return []


async def _all(connection: StdioConnection, hello: Hello, method: str, key: str) -> list[Raw]:
    items: list[Raw] = []
    seen: set[str] = set()
    cursor: str | None = None
    for _ in range(PAGES):
        asked: dict[str, object] = {} if cursor is None else {"cursor": cursor}
        if hello.era is Era.MODERN:
            asked["_meta"] = our_envelope()
        page = read_members(await connection.question(method, dumps(asked)))
        items.extend(_items(page.get(key), method))
        cursor = read_text(page.get("nextCursor"))
        if not cursor or cursor in seen or len(items) >= ITEMS:
            break
        seen.add(cursor)
    return items[:ITEMS]


def _items(raw: Raw | None, method: str) -> list[Raw]:
    try:
        return read_batch(raw) if raw is not None else []
    except msgspec.MsgspecError:
        raise ServerError(f"The server's answer to {method} holds no list.") from None
