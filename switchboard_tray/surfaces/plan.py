"""What a client's tool call comes to: an answer that is ready, or a tool of a server to be called. Pure."""

from collections.abc import Mapping

import msgspec
from msgspec import Raw

from switchboard_tray.names import ToolRef


class Invoke(msgspec.Struct, frozen=True):
    """Call `ref` with these request parameters (``arguments`` and whatever else the client sent, without the name)."""

    ref: ToolRef
    params: Mapping[str, Raw]


class Reply(msgspec.Struct, frozen=True):
    """Answer with this tool result; no server is involved."""

    result: bytes


class Unknown(msgspec.Struct, frozen=True):
    """No such tool on this surface, under this name."""

    name: str


Plan = Invoke | Reply | Unknown
