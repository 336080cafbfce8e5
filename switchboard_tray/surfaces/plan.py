"""What a client's tool call comes to: an answer that is ready, or a tool of a server to be called. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass

from msgspec import Raw

from switchboard_tray.names import ToolRef


@dataclass(frozen=True, slots=True)
class Invoke:
    """Call `ref` with these request parameters (``arguments`` and whatever else the client sent, without the name)."""

    ref: ToolRef
    params: Mapping[str, Raw]


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer with this tool result; no server is involved."""

    result: bytes


@dataclass(frozen=True, slots=True)
class Unknown:
    """No such tool on this surface, under this name."""

    name: str


Plan = Invoke | Reply | Unknown
