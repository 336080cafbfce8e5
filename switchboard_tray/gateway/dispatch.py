"""An MCP request -> profile -> plan -> result. The one translator of our errors to MCP's.

What a model should read is a tool result that says so; what a client did wrong is a JSON-RPC error. Results are in the
form of the legacy era, or in that of the client where a server gave it; `wire` completes them.
"""

import logging
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager

from msgspec import Raw

from switchboard_tray import __version__
from switchboard_tray.errors import NotFound, Refused, ServerError
from switchboard_tray.gateway.door import Door, Origin
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.gateway.relay import capabilities, find_resource, relay
from switchboard_tray.gateway.scripts import Scripts
from switchboard_tray.gateway.searching import Searcher
from switchboard_tray.gateway.shown import Shown, find_shown
from switchboard_tray.profiles.resolve import ClientFacts
from switchboard_tray.protocol.calls import Listener
from switchboard_tray.protocol.eras import MODERN_VERSIONS
from switchboard_tray.protocol.headers import ParamHeader, param_headers
from switchboard_tray.protocol.messages import (
    INTERNAL_ERROR,
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
from switchboard_tray.surfaces.plan import Execute, Invoke, Plan, Reply, Search, Unknown

log = logging.getLogger(__name__)

SERVER_INFO = {"name": "switchboard", "title": "Switchboard", "version": __version__}
LIST_PATIENCE_S = 3.0
"""How long a request waits, in all, for servers that were never listed."""


class Dispatcher:
    """Answers the requests of clients."""

    def __init__(self, hub: Hub, pool: ServerPool, door: Door, searcher: Searcher, scripts: Scripts) -> None:
        self._hub, self._pool, self._door, self._searcher, self._scripts = hub, pool, door, searcher, scripts

    def shown(self, facts: ClientFacts) -> Shown:
        """What the client is shown as things are now. Raises `NotFound` as `find_shown` does."""
        return find_shown(facts, self._hub.current)

    def fingerprints(self, facts: ClientFacts) -> Mapping[str, str]:
        """What this client would be listed now: for each kind of change, a text that is equal for equal lists."""
        try:
            offer = self.shown(facts).offer
        except NotFound:
            return {}
        return offer.fingerprints if offer else {}

    # -- what we say of ourselves ----------------------------------------------------------------------------------

    def initialize(self, facts: ClientFacts, version: str) -> bytes:
        """The answer to ``initialize``. Raises `NotFound` as `shown` does."""
        offer = self.shown(facts).offer
        return dumps(
            {
                "protocolVersion": version,
                "capabilities": capabilities(offer),
                "serverInfo": SERVER_INFO,
                "instructions": _instructions(offer),
            }
        )

    def discover(self, facts: ClientFacts) -> bytes:
        """The answer to ``server/discover``. Raises `NotFound` as `shown` does."""
        offer = self.shown(facts).offer
        return dumps(
            {
                "supportedVersions": MODERN_VERSIONS,
                "capabilities": capabilities(offer),
                "instructions": _instructions(offer),
            }
        )

    def param_headers(self, facts: ClientFacts, name: str) -> list[ParamHeader]:
        """The arguments that a listed tool wants repeated as headers. Raises `NotFound` as `shown` does."""
        offer = self.shown(facts).offer
        entry = offer.view.by_wire.get(name) if offer and offer.display.is_flat else None
        return list(param_headers(entry.tool.definition["inputSchema"])) if entry else []

    # -- requests --------------------------------------------------------------------------------------------------

    async def answer(
        self, method: str, params: Mapping[str, Raw], facts: ClientFacts, listener: Listener
    ) -> bytes | Raw:
        """The result of a request. Raises `RpcError`, and `NotFound` as `shown` does."""
        shown = self.shown(facts)
        match method:
            case "ping":
                return b"{}"
            case "server/discover":
                return self.discover(facts)
            case "tools/call":
                return await self._call_tool(params, facts, shown, listener)
            case "tools/list" | "prompts/list" | "resources/list" | "resources/templates/list":
                return await self._list(method, params, facts, listener)
            case _:
                return await self._relay((await self._listed(facts)).offer, method, params, listener)

    def watching(self, facts: ClientFacts, uri: str) -> AbstractAsyncContextManager[None]:
        """Have updates of a resource reported while the context lasts. Raises `RpcError`, `NotFound` as `shown`."""
        offer = self.shown(facts).offer
        if offer is None or "resources" not in offer.profile.relay:
            raise RpcError(METHOD_NOT_FOUND, "Method not found: resources/subscribe")
        server, own = find_resource(offer.relayed, {"uri": Raw(dumps(uri))})
        return self._pool.watching(server, own)

    def shown_uris(self, facts: ClientFacts, server: str, own: str) -> Sequence[str]:
        """The URIs under which the client of `facts` knows a server's resource; none where it does not have it."""
        try:
            offer = self.shown(facts).offer
        except NotFound:
            return ()
        if offer is None:
            return ()
        spellings = (own, f"switchboard://{server}/{own}")
        return [uri for uri in spellings if offer.relayed.find_resource(uri) == (server, own)]

    def told(self, facts: ClientFacts, method: str, params: Raw | None) -> None:
        """Pass on what a client tells to the servers of its profile. Raises `NotFound` as `shown` does."""
        offer = self.shown(facts).offer
        if offer is not None and method == "notifications/roots/list_changed":
            self._pool.notify((server.name for server, _ in offer.servers), method, params)

    def set_level(self, level: str | None) -> None:
        """Have servers send log messages of `level` and above: what the most curious client wants."""
        self._pool.set_level(level)

    async def _list(
        self, method: str, params: Mapping[str, Raw], facts: ClientFacts, listener: Listener
    ) -> bytes | Raw:
        if "cursor" in params and bytes(params["cursor"]) != b"null":
            raise RpcError(INVALID_PARAMS, "Unknown cursor: the list has one page")
        resolution, offer = await self._listed(facts)
        if method == "tools/list":
            # The name comes from outside, and must not look like lines of the log.
            client = facts.client_id or facts.client_name or ""
            log.debug("client %r: tools/list of profile %s", client, resolution.profile)
            if offer is not None and offer.surface == "code":
                self._scripts.expect()
            return b'{"tools":' + (offer.display.tools if offer else b"[]") + b"}"
        return await self._relay(offer, method, params, listener)

    async def _relay(
        self, offer: Offer | None, method: str, params: Mapping[str, Raw], listener: Listener
    ) -> bytes | Raw:
        try:
            return await relay(self._pool, offer, method, params, listener)
        except ServerError as fault:
            raise RpcError(INTERNAL_ERROR, f"{fault} {fault.hint}".strip()) from None

    async def _call_tool(
        self, params: Mapping[str, Raw], facts: ClientFacts, shown: Shown, listener: Listener
    ) -> bytes | Raw:
        name = read_text(params.get("name"))
        if name is None:
            raise RpcError(INVALID_PARAMS, "tools/call needs the name of a tool as a string")
        plan = _plan(shown.offer, name, params)
        if isinstance(plan, Unknown | Search) and shown.offer is not None and shown.offer.unlisted:
            # A client may know the tool from before our cache was lost.
            shown = await self._listed(facts)
            plan = _plan(shown.offer, name, params)
        (profile, reason), offer = shown
        origin = Origin("mcp", facts.client_id or facts.client_name or "", reason)
        if profile is None or offer is None:
            self._door.refuse("", name, params, origin)
            raise _unknown_tool(name)
        match plan:
            case Reply(result):
                return result
            case Search(find):
                return await self._searcher.answer(find, offer)
            case Execute(source):
                try:
                    return (await self._scripts.run(source, offer, origin)).result
                except ServerError as fault:
                    return tool_error(f"{fault} {fault.hint}".strip())
            case Unknown(missing, explain):
                self._door.refuse(profile, missing, params, origin)
                if explain is None:
                    raise _unknown_tool(name)
                return await self._searcher.answer(explain, offer)
            case Invoke(ref, sent):
                try:
                    return await self._door.call(profile, ref, sent, origin, listener)
                except NotFound:
                    raise _unknown_tool(name) from None
                except (ServerError, Refused) as fault:
                    return tool_error(f"{fault} {fault.hint}".strip())

    async def _listed(self, facts: ClientFacts) -> Shown:
        """What the client is shown, after a few seconds for servers that were never listed."""
        shown = self.shown(facts)
        if shown.offer is not None and shown.offer.unlisted:
            await self._pool.wait_for_lists(shown.offer.unlisted, LIST_PATIENCE_S)
            shown = self.shown(facts)
        return shown


def _instructions(offer: Offer | None) -> str:
    return offer.instructions if offer else instructions.WAITING


def _plan(offer: Offer | None, name: str, params: Mapping[str, Raw]) -> Plan:
    return offer.display.plan(name, params) if offer else Unknown(name)


def _unknown_tool(name: str) -> RpcError:
    """For what the profile does not have, there or not."""
    return RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
