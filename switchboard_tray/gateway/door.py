"""The one door: every tool call goes through here, looked up in the snapshot of now, and leaves a row in the audit.

What a caller may do comes from the profile it hands in, never from a global. A tool outside the profile is not found.
"""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress

import msgspec
from msgspec import Raw

from switchboard_tray.catalog.model import Tool
from switchboard_tray.errors import NotFound, Refused
from switchboard_tray.gateway.hub import Hub
from switchboard_tray.names import ToolRef, matches_ref
from switchboard_tray.protocol.calls import Listener
from switchboard_tray.protocol.messages import dumps, is_error_result
from switchboard_tray.sandbox.model import ToolFailed
from switchboard_tray.sandbox.values import Notes, to_value
from switchboard_tray.servers.pool import ServerPool
from switchboard_tray.stores.audit import HANDED_OVER_BYTES, AuditRow, AuditSink, estimate_tokens
from switchboard_tray.stores.shapes import VALUE_BYTES, ShapeStore

NAME_CHARS = 256
"""A made-up name may be of any length; the audit keeps so much of it."""


class Origin(msgspec.Struct, frozen=True):
    """Who calls, for the audit."""

    kind: str
    """How it came: mcp, api."""
    client: str = ""
    reason: str = ""
    """Why this profile."""
    process: str = ""
    """The client's process, where it is known."""
    run: str = ""
    """The run of code that calls; empty for a direct call."""


class Door:
    """Calls tools of a profile."""

    def __init__(self, hub: Hub, pool: ServerPool, audit: AuditSink, shapes: ShapeStore) -> None:
        self._hub, self._pool, self._audit, self._shapes = hub, pool, audit, shapes

    async def call(
        self,
        profile: str,
        ref: ToolRef,
        params: Mapping[str, Raw],
        origin: Origin,
        listener: Listener,
    ) -> bytes | Raw:
        """Call `ref` with the request parameters `params` (``arguments``, ``_meta``, whatever else) and wait.

        Raises `NotFound` where the profile does not have the tool now, `RpcError` with the server's own error,
        `ServerError` where the server cannot answer, `Refused` where the tool would have to ask first.
        """
        came, started = time.time(), time.perf_counter()
        status, result = "failed", b""
        try:
            tool = self._tool(profile, ref)
            self._refuse_unconfirmed(profile, ref)
            sent = {**params, "name": Raw(dumps(ref.tool))}
            answer = await self._pool.call(
                ref.server, "tools/call", sent, listener, profile=profile, is_repeatable=tool.is_repeatable
            )
            status, result = ("tool-error" if is_error_result(answer) else "ok"), bytes(answer)
            if status == "ok":
                self._learn(ref, tool, result)
            return answer
        except (NotFound, Refused):
            status = "refused"
            raise
        except asyncio.CancelledError:
            status = "cancelled"
            raise
        finally:
            took_s = time.perf_counter() - started
            self._record(came, profile, ref, origin, status, took_s, bytes(params.get("arguments", b"")), result)

    def _learn(self, ref: ToolRef, tool: Tool, result: bytes) -> None:
        """Take note of what results of a tool look like that does not say so itself."""
        if len(result) > VALUE_BYTES or not self._shapes.wants(str(ref)) or "outputSchema" in tool.members:
            return
        with suppress(ToolFailed):
            self._shapes.saw(str(ref), to_value(str(ref), result, Notes()))

    def refuse(self, profile: str, name: str, params: Mapping[str, Raw], origin: Origin) -> None:
        """Record a call of something the profile does not show; who tries names leaves traces."""
        arguments = bytes(params.get("arguments", b""))
        self._record(time.time(), profile, ToolRef("", name[:NAME_CHARS]), origin, "refused", 0.0, arguments, b"")

    def _record(
        self,
        came: float,
        profile: str,
        ref: ToolRef,
        origin: Origin,
        status: str,
        took_s: float,
        arguments: bytes,
        result: bytes,
    ) -> None:
        has_bodies = self._hub.current.config.settings.audit.bodies
        self._audit.write(
            AuditRow(
                time=came,
                client=origin.client,
                profile=profile,
                reason=origin.reason,
                server=ref.server,
                tool=ref.tool,
                origin=origin.kind,
                status=status,
                duration_ms=took_s * 1000,
                arguments_bytes=len(arguments),
                result_bytes=len(result),
                arguments_tokens=estimate_tokens(len(arguments)),
                result_tokens=estimate_tokens(len(result)),
                process=origin.process,
                run=origin.run,
                arguments=_handed_over(arguments) if has_bodies else "",
                result=_handed_over(result) if has_bodies else "",
            )
        )

    def _refuse_unconfirmed(self, profile: str, ref: ToolRef) -> None:
        """Nobody can be asked yet, so a tool that is to ask before it runs does not run."""
        patterns = self._hub.current.offers[profile].profile.confirm
        if any(matches_ref(pattern, ref) for pattern in patterns):
            message = f"{ref} asks before it runs in profile {profile}, and this version cannot ask."
            raise Refused(message, hint="Take it out of the profile's confirm list to have it run without.")

    def _tool(self, profile: str, ref: ToolRef) -> Tool:
        offer = self._hub.current.offers.get(profile)
        entry = offer.view.by_ref.get(ref) if offer else None
        if entry is None:
            raise NotFound(f"There is no tool {str(ref)!r} in profile {profile!r}.")
        return entry.tool


def _handed_over(body: bytes) -> str:
    return body[:HANDED_OVER_BYTES].decode(errors="replace")
