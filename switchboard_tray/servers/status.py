"""What a person is told of a server. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A server at one moment. Times are in seconds."""

    name: str
    state: str
    """stopped, starting, ready, failing or disabled."""
    scope: str = ""
    """Whom the process is for, where it is not for all."""
    pid: int | None = None
    uptime_s: float | None = None
    calls: int = 0
    in_flight: int = 0
    fault: str = ""
    """Why the last start failed or the last run ended; empty after an orderly end."""
    retry_in_s: float | None = None
    junk_lines: int = 0
    """Lines on stdout that were no messages."""
    first_junk: str = ""
    last_stderr: str = ""
    others: tuple["ServerStatus", ...] = ()
    """Further processes of the same server: a profile's or client's own, one for the modern era."""
