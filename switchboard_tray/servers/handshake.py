"""The first words with a server: which era it speaks, and what it says of itself.

The legacy era is tried first, since nearly every server of the modern era speaks it too, and over it a server may still
ask its client something in the middle of a call.
"""

from dataclasses import dataclass

from msgspec import Raw

from switchboard_tray import __version__
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    UNSUPPORTED_VERSION,
    Members,
    RpcError,
    dumps,
    read_members,
    read_text,
)
from switchboard_tray.servers.stdio import StdioConnection

OUR_INFO = {"name": "switchboard", "title": "Switchboard", "version": __version__}
OUR_CAPABILITIES = {"roots": {"listChanged": True}, "sampling": {}, "elicitation": {"form": {}, "url": {}}}
"""What we pass on to the client whose call is in flight; one that cannot do it is declined for."""


@dataclass(frozen=True, slots=True)
class Hello:
    """What a server said of itself."""

    era: Era
    capabilities: Members
    instructions: str
    title: str

    @property
    def has_logging(self) -> bool:
        """Whether it can be told which log messages are wanted."""
        return self.era is Era.LEGACY and "logging" in self.capabilities


async def shake_hands(connection: StdioConnection, era: Era) -> Hello:
    """Open the protocol, in `era` if the server speaks it. Raises `ServerError`; the caller limits the time."""
    if era is Era.MODERN:
        return await _discover(connection)
    try:
        return await _initialize(connection)
    except RpcError as refusal:
        if refusal.code not in (UNSUPPORTED_VERSION, METHOD_NOT_FOUND, INVALID_REQUEST):
            raise _refused("initialize", refusal) from refusal
        # A server of the modern era alone.
        return await _discover(connection)


async def speaks_modern_too(connection: StdioConnection) -> bool:
    """Whether a server whose connection is of the legacy era speaks the modern one as well.

    It says so by what it answers to a modern request that comes too late: that it is invalid now, not that it is
    unknown.
    """
    try:
        await connection.question("server/discover", dumps({"_meta": our_envelope()}))
    except RpcError as refusal:
        return refusal.code == INVALID_REQUEST
    except ServerError:
        return False
    return True


def our_envelope() -> dict[str, Raw]:
    """What a question of our own carries to a modern server."""
    return eras.envelope({}, OUR_INFO)


async def _initialize(connection: StdioConnection) -> Hello:
    asked = {"protocolVersion": eras.LATEST_LEGACY, "capabilities": OUR_CAPABILITIES, "clientInfo": OUR_INFO}
    said = read_members(await connection.question("initialize", dumps(asked)))
    version = read_text(said.get("protocolVersion"))
    if version not in eras.LEGACY_VERSIONS:
        raise ServerError(f"The server speaks revision {version!r} of MCP, which Switchboard does not.")
    connection.notify("notifications/initialized")
    return _hello(Era.LEGACY, said, read_members(said.get("serverInfo")))


async def _discover(connection: StdioConnection) -> Hello:
    try:
        said = read_members(await connection.question("server/discover", dumps({"_meta": our_envelope()})))
    except RpcError as refusal:
        raise _refused("server/discover", refusal) from refusal
    if eras.LATEST_MODERN not in bytes(said.get("supportedVersions", b"[]")).decode(errors="replace"):
        raise ServerError("The server speaks no revision of MCP that Switchboard speaks.")
    return _hello(Era.MODERN, said, read_members(read_members(said.get("_meta")).get(eras.SERVER_KEY)))


def _hello(era: Era, said: Members, info: Members) -> Hello:
    title = read_text(info.get("title")) or read_text(info.get("name")) or ""
    capabilities = read_members(said.get("capabilities"))
    return Hello(era, capabilities, read_text(said.get("instructions")) or "", title)


def _refused(method: str, refusal: RpcError) -> ServerError:
    return ServerError(f"The server answered {method} with error {refusal.code}: {refusal.message}.")
