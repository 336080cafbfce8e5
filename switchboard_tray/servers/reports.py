"""Where the care of servers reports what they said and did unasked."""

from collections.abc import Mapping
from typing import Protocol

from msgspec import Raw

from switchboard_tray.catalog.model import ServerTools
from switchboard_tray.config.model import ServerConfig


class Reports(Protocol):
    """Told by workers; what comes of it is not theirs to know."""

    def listed(self, server: ServerConfig, tools: ServerTools) -> None:
        """The server's lists were read."""

    def starting(self) -> Mapping[str, str]:
        """A process is about to start; what it must be given beside its own variables."""

    def started(self, env: Mapping[str, str], pid: int) -> None:
        """The process that was about to start with `env` runs; 0 where it could not be started."""

    def ended(self, pid: int) -> None:
        """A process and all it started has ended."""

    def updated(self, server: ServerConfig, params: Raw | None, uri: str) -> None:
        """A watched resource changed."""
