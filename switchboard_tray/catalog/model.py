"""Tool lists as frozen values. Pure; where they are kept is `stores.catalog`."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from types import MappingProxyType
from typing import Any

import msgspec

from switchboard_tray.config.model import Account, Config, ServerConfig
from switchboard_tray.protocol.spans import members


@dataclass(frozen=True)
class Tool:
    """One tool as its server defined it, after the repairs of `catalog.check`."""

    name: str
    raw: bytes
    """The definition: a JSON object, values as the server wrote them."""
    repairs: tuple[str, ...] = ()

    @cached_property
    def members(self) -> Mapping[str, msgspec.Raw]:
        """The definition one level deep."""
        return members(self.raw)

    @cached_property
    def definition(self) -> Mapping[str, Any]:
        """The definition as plain values, which `catalog.check` made sure can be read."""
        decoded: dict[str, Any] = msgspec.json.decode(self.raw)
        return decoded

    @property
    def description(self) -> str:
        """What the tool is for; empty where the server says nothing."""
        return str(self.definition.get("description", ""))

    @property
    def is_repeatable(self) -> bool:
        """Whether the server says that calling it twice does no more than calling it once."""
        hints = self.definition.get("annotations", {})
        return bool(hints.get("readOnlyHint") or hints.get("idempotentHint"))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the definition, as hex digits."""
        return sha256(self.raw).hexdigest()


@dataclass(frozen=True, slots=True)
class Named:
    """A prompt (by name), a resource (by URI) or a resource template (by URI template), as its server defined it."""

    name: str
    raw: bytes


@dataclass(frozen=True, slots=True)
class Quarantined:
    """A tool that is not offered to anyone, and why."""

    name: str
    reason: str


@dataclass(frozen=True)
class ServerTools:
    """What one server said: its tools, the ones set aside, its instructions."""

    tools: tuple[Tool, ...] = ()
    quarantined: tuple[Quarantined, ...] = ()
    instructions: str = ""
    title: str = ""
    listed_at: float = 0.0
    """When the list was read, in seconds since 1970."""
    prompts: tuple[Named, ...] = ()
    resources: tuple[Named, ...] = ()
    templates: tuple[Named, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Equal for equal lists and instructions, whenever they were read."""
        # Hashed by themselves, so that no text in them can pass for a tool.
        seen = sha256(sha256(self.instructions.encode(errors="surrogatepass")).digest())
        for fault in self.quarantined:
            seen.update(repr((fault.name, fault.reason)).encode(errors="surrogatepass"))
        for kind in (self.tools, self.prompts, self.resources, self.templates):
            seen.update(b"\1")
            for item in kind:
                seen.update(b"\0" + item.raw)
        return seen.hexdigest()


@dataclass(frozen=True, slots=True)
class Catalog:
    """All known tool lists, by `server_key`: a server that starts another command has another list."""

    lists: Mapping[str, ServerTools] = field(default_factory=lambda: MappingProxyType({}))

    def of(self, server: ServerConfig) -> ServerTools | None:
        """The last good list of `server`; None where it was never listed."""
        return self.lists.get(server_key(server))

    def with_list(self, key: str, tools: ServerTools) -> "Catalog":
        """The same catalog with the list under `key` replaced."""
        return Catalog(MappingProxyType({**self.lists, key: tools}))

    def without_strays(self, config: Config, before: float) -> "Catalog":
        """The same catalog without lists that no server of `config` has and that were read `before` some time."""
        used = {server_key(server) for server in config.servers.values()}
        kept = {key: one for key, one in self.lists.items() if key in used or one.listed_at >= before}
        return Catalog(MappingProxyType(kept))


def server_key(server: ServerConfig, account: Account | None = None) -> str:
    """What a tool list belongs to: 32 hex digits over command, args, env names and url, and the account's names.

    Values of env and headers are not part of it, so that a new secret does not forget the list.

    Source: docs/files.md, "catalog.json".
    """
    parts: list[Any] = [server.builtin, server.command, server.args, sorted(server.env), server.url]
    if account is not None:
        parts.append([sorted(account.env), sorted(account.headers)])
    return sha256(msgspec.json.encode(parts)).hexdigest()[:32]
