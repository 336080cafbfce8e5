"""Prompts and resources that a profile passes on: the names they go by, and whose they are. Pure.

Names and URIs stay as they are while only one server of the profile has them; what two servers share is told apart by
the server's name.

Source: docs/profiles.md, "Prompts and resources".
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from msgspec import Raw

from switchboard_tray.catalog.model import Named, ServerTools
from switchboard_tray.config.model import Profile
from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.protocol.messages import dumps
from switchboard_tray.protocol.spans import members

_SCHEME = "switchboard://"
_EXPRESSION = re.compile(r"\{[^}]*\}")

_Distinct = Callable[[str, str], str]

Origin = tuple[str, str]
"""A server, and its own name for the thing."""


@dataclass(frozen=True, slots=True)
class Relayed:
    """What is passed on: lists as JSON arrays, and the origin of each shown name."""

    prompts: bytes = b"[]"
    resources: bytes = b"[]"
    templates: bytes = b"[]"
    prompt_origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))
    resource_origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))
    template_origins: Mapping[str, Origin] = field(default_factory=lambda: MappingProxyType({}))
    servers: tuple[str, ...] = ()
    """The servers whose resources are passed on."""

    def find_resource(self, uri: str) -> Origin | None:
        """Whose resource `uri` is: a listed one, one that fits a template, or one of the only server there is."""
        if (known := self.resource_origins.get(uri)) is not None:
            return known
        for server in self.servers:
            prefix = f"{_SCHEME}{server}/"
            if uri.startswith(prefix):
                return server, uri.removeprefix(prefix)
        for template, origin in self.template_origins.items():
            if _fits(template, uri):
                return origin[0], uri
        return (self.servers[0], uri) if len(self.servers) == 1 else None

    def find_template(self, template: str) -> Origin | None:
        """Whose resource template this is, or whose resource: completion asks for either by its URI."""
        return self.template_origins.get(template) or self.find_resource(template)


def build_relayed(profile: Profile, servers: Iterable[tuple[str, ServerTools | None]]) -> Relayed:
    """What `profile` passes on of the servers it has as a whole."""
    listed = [(name, tools) for name, tools in servers if tools is not None and name in profile.servers]
    prompts = [(name, tools.prompts) for name, tools in listed] if "prompts" in profile.relay else []
    shared = listed if "resources" in profile.relay else []
    prompt_list, prompt_origins = _told_apart(prompts, "name", lambda server, name: wire_name(ToolRef(server, name)))
    resource_list, resource_origins = _told_apart([(n, t.resources) for n, t in shared], "uri", _own_uri)
    template_list, template_origins = _told_apart([(n, t.templates) for n, t in shared], "uriTemplate", _own_uri)
    return Relayed(
        prompt_list,
        resource_list,
        template_list,
        prompt_origins,
        resource_origins,
        template_origins,
        tuple(name for name, tools in shared if tools.resources or tools.templates),
    )


def _told_apart(
    groups: list[tuple[str, tuple[Named, ...]]], key: str, distinct: _Distinct
) -> tuple[bytes, Mapping[str, Origin]]:
    count = Counter(item.name for _, items in groups for item in items)
    rendered: list[bytes] = []
    origins: dict[str, Origin] = {}
    for server, items in groups:
        for item in items:
            shown = item.name if count[item.name] == 1 else distinct(server, item.name)
            if shown in origins:
                # Somebody named a prompt like another one's distinct name: the first keeps it.
                continue
            origins[shown] = (server, item.name)
            is_same = shown == item.name
            rendered.append(item.raw if is_same else dumps({**members(item.raw), key: Raw(dumps(shown))}))
    return b"[" + b",".join(rendered) + b"]", MappingProxyType(origins)


def _own_uri(server: str, uri: str) -> str:
    return f"{_SCHEME}{server}/{uri}"


def _fits(template: str, uri: str) -> bool:
    """Whether `uri` may have come from a URI template: what is fixed in the template stands in it, in order."""
    first, *others = _EXPRESSION.split(template)
    if not others:
        return uri == template
    if not uri.startswith(first):
        return False
    at = len(first)
    for part in others:
        at = uri.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return uri.endswith(others[-1])
