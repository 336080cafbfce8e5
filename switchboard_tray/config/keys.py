"""Every key of config.json in one table: its kind, its range, and a line about it. Pure.

`config.read` checks values by it, `config.schema` renders it, and the key reference in docs/ is made from it. Defaults
are not here but in `config.model`; `field` names the field that a key fills.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from switchboard_tray.config.model import AuditSettings, Budgets, Config, Profile, ServerConfig, Settings
from switchboard_tray.names import OVERRIDE_NAME, RESERVED_SERVERS

VERSION = 1


@dataclass(frozen=True, slots=True)
class Text:
    """Text that fits `pattern` as a whole; `what` says so in words. The text itself is never repeated in an error."""

    what: str = "text"
    pattern: str = ""
    has_references: bool = False


@dataclass(frozen=True, slots=True)
class Url:
    """An http or https address with a host, references allowed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of a few words; each accepted spelling with what it means."""

    spellings: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Flag:
    """true or false."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number with its bounds; `above` is a lower bound that does not itself belong to the range."""

    minimum: int | None = None
    maximum: int | None = None
    above: int | None = None
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class NewName:
    """The name under which a server or a profile is defined."""

    of: Literal["server", "profile"]


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a server or a profile that is defined in this config, in any letter case."""

    of: Literal["server", "profile"]


@dataclass(frozen=True, slots=True)
class ToolPattern:
    """A ``server.tool`` pattern with ``*``."""


@dataclass(frozen=True, slots=True)
class ExactTool:
    """A ``server.tool`` reference without ``*``."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list; in a set, an item that stands twice is pointed out and counts once."""

    item: "Kind"
    is_set: bool = False


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object whose keys are names: `key` says which."""

    key: "Text | NewName | Name | ExactTool"
    item: "Kind"
    ignores_case: bool = True


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a `Table`; `about` is its line in schema and docs."""

    name: str
    kind: "Kind"
    about: str
    field: str = ""
    is_required: bool = False
    may_be_null: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """An object with known keys; `model` is the class whose fields they fill, where defaults are found."""

    keys: tuple[Key, ...]
    model: type | None = None
    by_name: Mapping[str, Key] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {key.name: key for key in self.keys})


Kind: TypeAlias = (
    Text | Url | Choice | Flag | Number | NewName | Name | ToolPattern | ExactTool | ListOf | MapOf | Table
)


def _choice(*words: str, **also: str) -> Choice:
    return Choice({**{word: word for word in words}, **also})


_NO_NUL = r"^[^\u0000]*$"
NEW_NAMES: Mapping[str, Text] = {
    "server": Text(
        "a server name: 1 to 32 of A-Z a-z 0-9 _ -, no leading -, no __", r"^(?!-)(?!.*__)[A-Za-z0-9_-]{1,32}$"
    ),
    "profile": Text("a profile name: 1 to 32 of A-Z a-z 0-9 _ -, no leading -", r"^(?!-)[A-Za-z0-9_-]{1,32}$"),
}
RESERVED: Mapping[str, frozenset[str]] = {"server": RESERVED_SERVERS, "profile": frozenset()}

_NOT_EMPTY = Text("text that is not empty", r"^[^\u0000]+$")
_COMMAND = Text("text that is not empty", r"^[^\u0000]+$", has_references=True)
_LINE = Text("text", _NO_NUL)
_VALUE = Text("text", _NO_NUL, has_references=True)
_ENV = MapOf(Text("the name of a variable", r"^[^=\u0000]+$"), _VALUE, ignores_case=False)
_HEADERS = MapOf(
    Text("the name of a header", r"^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
    Text("text on one line", r"^[^\u0000\r\n]*$", has_references=True),
)
_PATTERNS = ListOf(ToolPattern(), is_set=True)
_SURFACE = _choice("auto", "passthrough", "meta", "code", "apps", "compact", flat="passthrough")
_THRESHOLD = Number(1, 500)
_AUTO_ABOVE = _choice("meta", "apps")
TRANSPORT = Choice(
    {
        "stdio": "stdio",
        "local": "stdio",
        "http": "http",
        "streamable-http": "http",
        "streamableHttp": "http",
        "streamable_http": "http",
        "remote": "http",
        "sse": "sse",
    }
)

SERVER = Table(
    (
        Key("command", _COMMAND, "The program to start.", "command"),
        Key("args", ListOf(_VALUE), "Its arguments.", "args"),
        Key("env", _ENV, "Variables for it, beside a small base of our own.", "env"),
        Key("cwd", _COMMAND, "The folder it starts in; the user's home where none is set.", "cwd"),
        Key("url", Url(), "The address of a remote server, instead of a command.", "url"),
        Key("headers", _HEADERS, "Headers for each request to the remote server.", "headers"),
        Key("transport", TRANSPORT, "How a remote server is spoken to: http (default) or sse.", "transport"),
        Key("type", TRANSPORT, "The transport, as other clients spell the key.", "type"),
        Key("builtin", _choice("demo"), "A server in our own file, instead of a command.", "builtin"),
        Key("enabled", Flag(), "Whether it may run and gives its tools to profiles.", "enabled"),
        Key("disabled", Flag(), "The opposite of enabled, as other clients spell it.", "disabled"),
        Key("description", _LINE, "What it is for; stands before the server's own words.", "description"),
        Key(
            "idleTimeoutSec",
            Number(0, 31_536_000, is_whole=False),
            "Seconds without a call after which it is stopped; 0: starts with the gateway and stays.",
            "idle_timeout_s",
        ),
        Key("callTimeoutSec", Number(None, 86_400, 0, False), "Seconds a call may take.", "call_timeout_s"),
        Key("startTimeoutSec", Number(None, 3_600, 0, False), "Seconds a start may take.", "start_timeout_s"),
        Key(
            "isolation",
            _choice("shared", "profile", "client"),
            "Who shares one process: all, the clients of a profile, or nobody.",
            "isolation",
        ),
        Key(
            "maxConcurrent",
            Number(1, 1_000),
            "Calls it gets at a time; 100 more may wait. No limit where none is set.",
            "max_concurrent",
            may_be_null=True,
        ),
        Key("toolChanges", _choice("warn", "block"), "What happens when a known tool changes.", "tool_changes"),
    ),
    ServerConfig,
)

BUDGETS = Table(
    (
        Key("timeoutMs", Number(1, 600_000), "Milliseconds a run may take.", "timeout_ms"),
        Key("maxToolCalls", Number(0, 10_000), "Tool calls a run may make.", "max_tool_calls"),
        Key("memoryMb", Number(1, 4_096), "Megabytes a run may use.", "memory_mb"),
        Key("maxSourceBytes", Number(1, 10_485_760), "Bytes of source a run may have.", "max_source_bytes"),
        Key("maxResultChars", Number(1, 1_000_000), "Characters of result a run may give.", "max_result_chars"),
    ),
    Budgets,
)

OVERRIDE = Table(
    (
        Key("name", Text("1 to 64 of A-Z a-z 0-9 _ -", f"^{OVERRIDE_NAME.pattern[:-2]}$"), "The whole name.", "name"),
        Key("description", _LINE, "The whole description.", "description"),
    )
)

ACCOUNT = Table(
    (
        Key("env", _ENV, "Variables that are added to the server's.", "env"),
        Key("headers", _HEADERS, "Headers that are added to the server's.", "headers"),
    )
)

PROFILE = Table(
    (
        Key("description", _LINE, "What it is for.", "description"),
        Key("servers", ListOf(Name("server"), is_set=True), "Servers with all their tools.", "servers"),
        Key("include", _PATTERNS, "Patterns of tools that are added, also of servers not listed.", "include"),
        Key("exclude", _PATTERNS, "Patterns of tools that are left out; always wins.", "exclude"),
        Key("surface", _SURFACE, "How the tools are presented; settings.surface where none is set.", "surface"),
        Key("autoThreshold", _THRESHOLD, "The most tools that auto lists one by one.", "auto_threshold"),
        Key("autoAbove", _AUTO_ABOVE, "What auto presents above its threshold.", "auto_above"),
        Key("overrides", MapOf(ExactTool(), OVERRIDE), "Other names and descriptions, by reference.", "overrides"),
        Key("budgets", BUDGETS, "Limits of a run of code.", "budgets"),
        Key("accounts", MapOf(Name("server"), ACCOUNT), "This profile's own keys, by server.", "accounts"),
        Key(
            "relay",
            ListOf(_choice("tools", "prompts", "resources"), is_set=True),
            "What is passed through: tools, and on request prompts and resources.",
            "relay",
        ),
        Key("confirm", _PATTERNS, "Patterns of tools that ask before they run.", "confirm"),
    ),
    Profile,
)

CLIENT = Table(
    (
        Key("match", _NOT_EMPTY, "The client's name, with *.", "match", is_required=True),
        Key(
            "profile",
            Name("profile"),
            "Its profile; null lets it wait without tools.",
            "profile",
            is_required=True,
            may_be_null=True,
        ),
    )
)

AUDIT = Table(
    (
        Key("days", Number(0, 3_650), "Days that calls are kept.", "days"),
        Key("maxMb", Number(1, 100_000), "Megabytes that they may take.", "max_mb"),
        Key("bodies", Flag(), "Whether arguments and results are kept too.", "bodies"),
    ),
    AuditSettings,
)

SETTINGS = Table(
    (
        Key("port", Number(1, 65_535), "The port on 127.0.0.1.", "port"),
        Key("surface", _SURFACE, "The surface of profiles that set none.", "surface"),
        Key("autoThreshold", _THRESHOLD, "The threshold of profiles that set none.", "auto_threshold"),
        Key("autoAbove", _AUTO_ABOVE, "autoAbove of profiles that set none.", "auto_above"),
        Key("maxRequestMb", Number(1, 1_024), "Megabytes of the largest request that is read.", "max_request_mb"),
        Key("audit", AUDIT, "What is kept of past calls.", "audit"),
        Key("logLevel", _choice("debug", "info", "warning", "error", warn="warning"), "What is logged.", "log_level"),
        Key("autostart", Flag(), "Whether Switchboard starts at login.", "autostart"),
        Key("theme", _choice("system", "light", "dark"), "Colours of the window.", "theme"),
        Key("notifications", Flag(), "Whether the desktop shows notifications.", "notifications"),
        Key("shortcuts", Flag(), "Whether single letters are keys in the window.", "shortcuts"),
    ),
    Settings,
)

ROOT = Table(
    (
        Key("$schema", _LINE, "Where an editor finds this schema; not read by Switchboard."),
        Key("version", Number(1), "The format of this file."),
        Key("servers", MapOf(NewName("server"), SERVER), "MCP servers, by name.", "servers"),
        Key("profiles", MapOf(NewName("profile"), PROFILE), "Selections of tools, by name.", "profiles"),
        Key(
            "defaultProfile",
            Name("profile"),
            "For clients that no rule gives a profile; without it they wait.",
            "default_profile",
            may_be_null=True,
        ),
        Key("clients", ListOf(CLIENT), "Rules: the first that matches a client gives its profile.", "clients"),
        Key("settings", SETTINGS, "What holds for the gateway as a whole.", "settings"),
    ),
    Config,
)
