"""What a client is shown: the profile it gets, and what its address presents of it. Pure."""

from typing import NamedTuple

from switchboard_tray.errors import NotFound
from switchboard_tray.profiles.resolve import ClientFacts, Resolution, resolve_profile
from switchboard_tray.snapshot import Offer, Snapshot


class Shown(NamedTuple):
    """A client's profile with its reason, and what it is offered: None where it waits for a profile."""

    resolution: Resolution
    offer: Offer | None


def find_shown(facts: ClientFacts, snapshot: Snapshot) -> Shown:
    """What the client of `facts` is shown by `snapshot`.

    Raises `NotFound` where it names a profile that does not exist, or a server that its profile does not have: whether
    such a server exists is not told.
    """
    resolution = resolve_profile(facts, snapshot.config)
    offer = snapshot.offers.get(resolution.profile) if resolution.profile else None
    if offer is None:
        return Shown(resolution, None)
    if facts.url_server is not None:
        server = snapshot.config.server(facts.url_server)
        own = offer.of_server(server.name) if server else None
        if own is None:
            raise NotFound(f"There is no server {facts.url_server!r} here.")
        return Shown(resolution, own)
    return Shown(resolution, offer.bundle if facts.is_bundle else offer)
