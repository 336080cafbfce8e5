"""An MCP request -> profile -> plan -> result. The one translator of our errors to MCP's.

What a model should read is a tool result that says so; what a client did wrong is a JSON-RPC error.
"""

from collections.abc import Mapping

from msgspec import Raw

from switchboard_tray import __version__
from switchboard_tray.errors import NotFound, ServerError
from switchboard_tray.gateway.door import Door, Origin
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.profiles.resolve import ClientFacts, Resolution, resolve_profile
from switchboard_tray.protocol.calls import Listener
from switchboard_tray.protocol.messages import (
    INVALID_PARAMS,
    METHOD_NOT_FOUND,
    RpcError,
    dumps,
    read_text,
    tool_error,
)
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.snapshot import Offer
from switchboard_tray.surfaces import instructions
from switchboard_tray.surfaces.plan import Invoke, Reply, Unknown

SERVER_INFO = {"name": "switchboard", "title": "Switchboard", "version": __version__}
CAPABILITIES = {"tools": {"listChanged": True}}
LIST_PATIENCE_S = 3.0
"""How long a list waits, in all, for servers that were never listed."""


class Dispatcher:
    """Answers the requests of clients."""

    def __init__(self, hub: Hub, pool: ServerPool, door: Door) -> None:
        self._hub, self._pool, self._door = hub, pool, door

    def resolve(self, facts: ClientFacts) -> Resolution:
        """The client's profile as the config is now. Raises `NotFound` where it names one that does not exist."""
        return resolve_profile(facts, self._hub.current.config)

    def fingerprint(self, facts: ClientFacts) -> str:
        """What this client would be listed now, as one short text: equal for equal lists."""
        try:
            offer = self._offer(self.resolve(facts))
        except NotFound:
            return ""
        return offer.fingerprint if offer else ""

    def initialize(self, facts: ClientFacts, version: str) -> bytes:
        """The answer to ``initialize``. Raises `NotFound` as `resolve` does."""
        offer = self._offer(self.resolve(facts))
        text = offer.instructions if offer else instructions.WAITING
        return dumps(
            {
                "protocolVersion": version,
                "capabilities": CAPABILITIES,
                "serverInfo": SERVER_INFO,
                "instructions": text,
            }
        )

    async def answer(
        self, method: str, params: Mapping[str, Raw], facts: ClientFacts, listener: Listener
    ) -> bytes | Raw:
        """The result of a request. Raises `RpcError`, and `NotFound` as `resolve` does."""
        resolution = self.resolve(facts)
        match method:
            case "ping":
                return b"{}"
            case "tools/list":
                return await self._list_tools(params, resolution)
            case "tools/call":
                return await self._call_tool(params, facts, resolution, listener)
            case _:
                raise RpcError(METHOD_NOT_FOUND, f"Method not found: {method}")

    async def _list_tools(self, params: Mapping[str, Raw], resolution: Resolution) -> bytes:
        if "cursor" in params and bytes(params["cursor"]) != b"null":
            raise RpcError(INVALID_PARAMS, "Unknown cursor: the list has one page")
        offer = self._offer(resolution)
        if offer is not None and offer.unlisted:
            await self._pool.wait_for_lists(offer.unlisted, LIST_PATIENCE_S)
            offer = self._offer(resolution)
        return b'{"tools":' + (offer.tools if offer else b"[]") + b"}"

    async def _call_tool(
        self, params: Mapping[str, Raw], facts: ClientFacts, resolution: Resolution, listener: Listener
    ) -> bytes | Raw:
        name = read_text(params.get("name"))
        if name is None:
            raise RpcError(INVALID_PARAMS, "tools/call needs the name of a tool as a string")
        offer = self._offer(resolution)
        plan = offer.plan(name, params) if offer else Unknown(name)
        match plan:
            case Reply(result):
                return result
            case Unknown():
                raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
            case Invoke(ref, sent):
                origin = Origin("mcp", facts.client_id or facts.client_name or "", resolution.reason)
                assert resolution.profile is not None
                try:
                    return await self._door.call(resolution.profile, ref, sent, origin, listener)
                except NotFound:
                    raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}") from None
                except ServerError as fault:
                    return tool_error(f"{fault} {fault.hint}".strip())

    def _offer(self, resolution: Resolution) -> Offer | None:
        return self._hub.current.offers.get(resolution.profile) if resolution.profile else None
