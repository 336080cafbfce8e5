"""Scripts of a profile: JavaScript in the sandbox, each call of a tool checked and sent through the one door."""

import secrets
from collections.abc import Mapping
from contextlib import suppress

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.code_names import CodeName
from switchboard_tray.config.model import Profile
from switchboard_tray.errors import NotFound, Refused, ServerError
from switchboard_tray.gateway.door import Door, Origin
from switchboard_tray.gateway.searching import Searcher
from switchboard_tray.protocol.calls import Silent
from switchboard_tray.protocol.messages import RpcError
from switchboard_tray.protocol.spans import members
from switchboard_tray.sandbox.model import Budgets, Clock, Outcome, Script, ToolFailed
from switchboard_tray.sandbox.pool import SandboxPool
from switchboard_tray.sandbox.process import WorkerGone
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.snapshot import Offer
from switchboard_tray.surfaces.arguments import find_faults
from switchboard_tray.surfaces.calling import SUMMARY_CHARS, described, find_entries
from switchboard_tray.surfaces.code import by_code_name
from switchboard_tray.surfaces.material import summary, text_of
from switchboard_tray.typescript.render import signature


class Scripts:
    """Runs scripts with the tools of a profile."""

    def __init__(self, pool: ServerPool, door: Door, searcher: Searcher, sandbox: SandboxPool) -> None:
        self._pool, self._door, self._searcher, self._sandbox = pool, door, searcher, sandbox

    async def run(self, source: str, offer: Offer, origin: Origin) -> Outcome:
        """Run `source` to its end. Rows of its calls in the audit name the run.

        Raises `ServerError` where no process can be started for it.
        """
        origin = msgspec.structs.replace(origin, run=secrets.token_hex(6))
        script = Script(source, _methods(offer), _budgets(offer.profile))
        try:
            return await self._sandbox.run(script, _Host(self, offer, origin))
        except (OSError, WorkerGone) as exc:
            raise ServerError(f"Code cannot be run: {exc}.", hint="Run `switchboard doctor`.") from exc

    def expect(self) -> None:
        """Have a process ready: a client was just told that it may send scripts."""
        self._sandbox.expect()

    async def call(self, offer: Offer, origin: Origin, name: CodeName, arguments: bytes, clock: Clock) -> bytes | Raw:
        """Call a tool for a script. Raises `ToolFailed`."""
        entry = offer.view.by_code.get(name)
        if entry is None:
            raise ToolFailed(f"{name} is not a tool of this profile")
        shown = signature(str(name), entry.tool)
        try:
            members(arguments)
        except msgspec.MsgspecError:
            raise ToolFailed(f"{name}: expected one object as its argument", hint=shown) from None
        if faults := find_faults(entry.tool, Raw(arguments)):
            raise ToolFailed(f"{name}: {'; '.join(faults)}", hint=shown)
        profile, params, listener = offer.profile.name, {"arguments": Raw(arguments)}, Silent()
        # What is wrong with a server is told, and noted, by the call itself.
        with suppress(ServerError, RpcError):
            async with clock.starting():
                await self._pool.ready(entry.ref.server, profile, listener.caller)
        try:
            return await self._door.call(profile, entry.ref, params, origin, listener)
        except NotFound:
            raise ToolFailed(f"{name} is not a tool of this profile") from None
        except (ServerError, Refused) as fault:
            raise ToolFailed(f"{name}: {fault} {fault.hint}".strip()) from None
        except RpcError as fault:
            raise ToolFailed(f"{name}: {fault.message}") from None

    def missed(self, offer: Offer, origin: Origin, name: str) -> None:
        """Record that a script asked for a tool that its profile does not have."""
        self._door.refuse(offer.profile.name, name, {}, origin)

    async def search(self, offer: Offer, query: str, limit: int) -> list[tuple[str, str]]:
        """Code name and summary of each tool that fits."""
        found = await self._searcher.answer(lambda around: find_entries(offer.material, query, limit, around), offer)
        return [(by_code_name(entry), summary(text_of(entry), SUMMARY_CHARS)) for entry in found]

    async def describe(self, offer: Offer, names: list[str]) -> str:
        """TypeScript of the named tools."""
        return await self._searcher.answer(
            lambda around: described(offer.material, names, around, by_code_name), offer
        )


class _Host:
    """What one script reaches."""

    def __init__(self, scripts: Scripts, offer: Offer, origin: Origin) -> None:
        self._scripts, self._offer, self._origin = scripts, offer, origin

    async def call(self, server: str, method: str, arguments: bytes, clock: Clock) -> bytes:
        """Call a tool."""
        return bytes(await self._scripts.call(self._offer, self._origin, CodeName(server, method), arguments, clock))

    def missed(self, server: str, method: str) -> None:
        """Who tries names leaves traces, here too."""
        self._scripts.missed(self._offer, self._origin, f"{server}.{method}")

    async def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        """Tools that fit."""
        return await self._scripts.search(self._offer, query, limit)

    async def describe(self, names: list[str]) -> str:
        """TypeScript of tools."""
        return await self._scripts.describe(self._offer, names)


def _methods(offer: Offer) -> Mapping[str, tuple[str, ...]]:
    methods: dict[str, list[str]] = {}
    for entry in offer.view.entries:
        methods.setdefault(entry.code_name.server, []).append(entry.code_name.method)
    return {server: tuple(names) for server, names in methods.items()}


def _budgets(profile: Profile) -> Budgets:
    limits = profile.budgets
    return Budgets(
        wall_s=limits.timeout_ms / 1000,
        calls=limits.max_tool_calls,
        memory_mb=limits.memory_mb,
        result_chars=limits.max_result_chars,
        source_bytes=limits.max_source_bytes,
    )
