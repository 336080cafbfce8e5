"""What a client's tool call comes to: an answer, or a tool of a server to be called. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec
from msgspec import Raw

from switchboard_tray.names import ToolRef

if TYPE_CHECKING:
    from switchboard_tray.search.meaning import Vectors
    from switchboard_tray.typescript.shapes import Shape


@dataclass(frozen=True, slots=True)
class ServerTrouble:
    """Why a server gives nothing now: it is off, failing, or needs a login."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a search depends on besides the profile."""

    troubles: tuple[ServerTrouble, ...] = ()
    load_vectors: Callable[[], Vectors | None] = lambda: None
    """Gives the table for search by meaning; None where it cannot be loaded."""
    shape_of: Callable[[ToolRef], Shape | None] = lambda ref: None
    """What results of a tool looked like so far."""


Find = Callable[[Surroundings], bytes]
"""Searches the profile's tools and gives a tool result: at once, but for the first time, which may take a second."""


class Invoke(msgspec.Struct, frozen=True):
    """Call `ref` with these request parameters (``arguments`` and whatever else the client sent, without the name)."""

    ref: ToolRef
    params: Mapping[str, Raw]


class Reply(msgspec.Struct, frozen=True):
    """Answer with this tool result; no server is involved."""

    result: bytes


class Search(msgspec.Struct, frozen=True):
    """Answer with what a search finds."""

    find: Find


class Execute(msgspec.Struct, frozen=True):
    """Run this JavaScript, with the profile's tools in reach."""

    source: str


class Unknown(msgspec.Struct, frozen=True):
    """No such tool in this profile, under this name."""

    name: str
    explain: Find | None = None
    """What a model is told that named it as an argument; None where it is no tool that is listed."""


Plan = Invoke | Reply | Search | Execute | Unknown
