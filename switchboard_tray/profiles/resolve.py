"""Which profile a request is for, and why. Pure; worked out anew for each request, from what the request carries."""

from typing import NamedTuple

import msgspec

from switchboard_tray.config.model import Config
from switchboard_tray.errors import NotFound
from switchboard_tray.names import did_you_mean, matches


class ClientFacts(msgspec.Struct, frozen=True):
    """What a request tells about the client that sent it."""

    url_profile: str | None = None
    header_profile: str | None = None
    client_id: str | None = None
    """The `client` parameter of the address."""
    client_name: str | None = None
    """The name the client gives itself."""
    is_bundle: bool = False
    """Whether the address wants all tools as they are, whatever the profile's surface."""
    url_server: str | None = None
    """The one server whose tools the address wants."""


class Resolution(NamedTuple):
    """A profile's name as the config spells it, or None for a client that waits; and the reason."""

    profile: str | None
    reason: str


def resolve_profile(facts: ClientFacts, config: Config) -> Resolution:
    """URL, else header, else the first client rule that matches, else the default profile.

    Raises `NotFound` where the URL or the header names a profile that does not exist.

    Source: docs/profiles.md, "Which profile".
    """
    if facts.url_profile is not None:
        return Resolution(_known(facts.url_profile, config), "the address names it")
    if facts.header_profile is not None:
        return Resolution(_known(facts.header_profile, config), "the header X-Switchboard-Profile names it")
    client = facts.client_id or facts.client_name or ""
    for rule in config.clients:
        if matches(rule.match, client):
            return Resolution(rule.profile, f"the client rule {rule.match!r} matches {client!r}")
    if config.default_profile is not None:
        return Resolution(config.default_profile, "it is the default profile")
    return Resolution(None, "no client rule matches and there is no default profile")


def _known(name: str, config: Config) -> str:
    profile = config.profile(name)
    if profile is None:
        hint = did_you_mean(name, config.profiles) or "Run `switchboard profile list` to see the profiles."
        raise NotFound(f"There is no profile {name!r}.", hint=hint)
    return profile.name
