"""The user's intent as frozen values. Pure; knows no JSON spelling (that is `config.parse`) and no file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TypeVar

DEFAULT_PORT = 7923
_Value = TypeVar("_Value")
SURFACES = ("auto", "passthrough", "meta", "code", "apps", "compact")


def _empty() -> Mapping[str, str]:
    return MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """A server we run (`command`), connect to (`url`), or carry with us (`builtin`): exactly one of the three."""

    name: str
    command: str | None = None
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=_empty)
    cwd: str | None = None
    url: str | None = None
    headers: Mapping[str, str] = field(default_factory=_empty)
    transport: str = "stdio"
    builtin: str | None = None
    enabled: bool = True
    description: str = ""
    idle_timeout_s: float = 600.0
    call_timeout_s: float = 120.0
    start_timeout_s: float = 60.0
    isolation: str = "shared"
    max_concurrent: int | None = None
    tool_changes: str = "warn"


@dataclass(frozen=True, slots=True)
class Override:
    """What a profile calls a tool instead of the tool's own name and description."""

    name: str | None = None
    description: str | None = None


@dataclass(frozen=True, slots=True)
class Budgets:
    """The limits of one run of code."""

    timeout_ms: int = 30_000
    max_tool_calls: int = 64
    memory_mb: int = 64
    max_source_bytes: int = 65_536
    max_result_chars: int = 24_000


@dataclass(frozen=True, slots=True)
class Account:
    """A profile's own environment and headers for one server."""

    env: Mapping[str, str] = field(default_factory=_empty)
    headers: Mapping[str, str] = field(default_factory=_empty)


@dataclass(frozen=True, slots=True)
class Profile:
    """A named selection of servers and tools. Server names are spelled as in `Config.servers`."""

    name: str
    description: str = ""
    servers: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    surface: str = "auto"
    auto_threshold: int = 40
    auto_above: str = "meta"
    overrides: Mapping[str, Override] = field(default_factory=lambda: MappingProxyType({}))
    """Keyed by reference, case folded (`ToolRef.folded`)."""
    budgets: Budgets = Budgets()
    accounts: Mapping[str, Account] = field(default_factory=lambda: MappingProxyType({}))
    relay: tuple[str, ...] = ("tools",)
    confirm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ClientRule:
    """Clients whose name fits `match` get `profile`; None lets them wait, despite a default."""

    match: str
    profile: str | None


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """What is kept of past calls."""

    days: int = 30
    max_mb: int = 200
    bodies: bool = False


@dataclass(frozen=True, slots=True)
class Settings:
    """What holds for the gateway as a whole."""

    port: int = DEFAULT_PORT
    surface: str = "auto"
    auto_threshold: int = 40
    auto_above: str = "meta"
    max_request_mb: int = 32
    audit: AuditSettings = AuditSettings()
    log_level: str = "info"
    autostart: bool = False
    theme: str = "system"
    notifications: bool = True
    shortcuts: bool = True


@dataclass(frozen=True, slots=True)
class Config:
    """A whole valid config. Names in `servers` and `profiles` are unique without regard to case."""

    servers: Mapping[str, ServerConfig] = field(default_factory=lambda: MappingProxyType({}))
    profiles: Mapping[str, Profile] = field(default_factory=lambda: MappingProxyType({}))
    default_profile: str | None = None
    clients: tuple[ClientRule, ...] = ()
    settings: Settings = Settings()

    def profile(self, name: str) -> Profile | None:
        """The profile called `name`, in any letter case."""
        return self.profiles.get(name) or _any_case(self.profiles, name)

    def server(self, name: str) -> ServerConfig | None:
        """The server called `name`, in any letter case."""
        return self.servers.get(name) or _any_case(self.servers, name)


def _any_case(values: Mapping[str, _Value], name: str) -> _Value | None:
    folded = name.casefold()
    return next((value for key, value in values.items() if key.casefold() == folded), None)
