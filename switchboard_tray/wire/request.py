"""What an HTTP request to an MCP address says apart from its body."""

from collections.abc import Iterable, Mapping
from urllib.parse import parse_qs

import msgspec
from starlette.types import Scope

from switchboard_tray.profiles.resolve import ClientFacts


class Incoming(msgspec.Struct, frozen=True):
    """Verb, headers and address of a request, read once."""

    verb: str
    headers: Mapping[str, str]
    """Names in lower case; of one that is repeated, the last counts."""
    repeated: str | None
    """A header of the protocol that came more than once."""
    facts: ClientFacts
    """Without the client's name, which a session or the body tells."""
    takes_json: bool
    takes_stream: bool

    @property
    def version(self) -> str | None:
        """The revision of MCP the client names."""
        return self.headers.get("mcp-protocol-version")

    @property
    def session_id(self) -> str | None:
        """The session the client names."""
        return self.headers.get("mcp-session-id")

    def facts_for(self, client_name: object) -> ClientFacts:
        """The facts with the name the client gave itself, if it is one."""
        facts, name = self.facts, client_name if isinstance(client_name, str) else None
        return msgspec.structs.replace(facts, client_name=name)

    def without_stream(self) -> "Incoming":
        """The same request, answered by JSON alone."""
        return msgspec.structs.replace(self, takes_stream=False)


def read_incoming(scope: Scope) -> Incoming:
    """Read verb, headers and address."""
    pairs = scope["headers"]
    headers = {name.decode("latin-1"): value.decode("latin-1").strip(" \t") for name, value in pairs}
    repeated = None if len(headers) == len(pairs) else _repeated(pairs)
    accepted = headers.get("accept", "*/*").lower()
    takes_all = "*/*" in accepted
    query = scope.get("query_string", b"")
    client = parse_qs(query.decode("latin-1")).get("client", [None])[0] if query else None
    named = scope.get("path_params", {})
    facts = ClientFacts(
        url_profile=named.get("profile"),
        header_profile=headers.get("x-switchboard-profile"),
        client_id=client,
        is_bundle=scope["path"].startswith("/b/"),
        url_server=named.get("server"),
    )
    return Incoming(
        verb=scope["method"],
        headers=headers,
        repeated=repeated,
        facts=facts,
        takes_json=takes_all or "application/json" in accepted or "application/*" in accepted,
        takes_stream=takes_all or "text/event-stream" in accepted or "text/*" in accepted,
    )


def _repeated(pairs: Iterable[tuple[bytes, bytes]]) -> str | None:
    """A header of the protocol that came more than once."""
    names = [name.decode("latin-1") for name, _ in pairs]
    return next((name for name in names if name.startswith("mcp-") and names.count(name) > 1), None)
