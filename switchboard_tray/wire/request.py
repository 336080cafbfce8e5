"""What an HTTP request to an MCP address says apart from its body."""

from dataclasses import dataclass, replace
from urllib.parse import parse_qs

from starlette.types import Scope

from switchboard_tray.profiles.resolve import ClientFacts


@dataclass(frozen=True, slots=True)
class Incoming:
    """Verb, headers and address of a request, read once."""

    verb: str
    facts: ClientFacts
    """Without the client's name, which a session or the body tells."""
    version: str | None
    session_id: str | None
    takes_json: bool
    takes_stream: bool

    def facts_for(self, client_name: str | None) -> ClientFacts:
        """The facts with the name the client gave itself."""
        return replace(self.facts, client_name=client_name)

    def without_stream(self) -> "Incoming":
        """The same request, answered by JSON alone."""
        return replace(self, takes_stream=False)


def read_incoming(scope: Scope) -> Incoming:
    """Read the headers we know of; of one that is repeated, the last counts."""
    headers = {name: value.decode("latin-1").strip() for name, value in scope["headers"]}
    accepted = headers.get(b"accept", "*/*").lower()
    takes_all = "*/*" in accepted
    client = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("client", [None])[0]
    facts = ClientFacts(
        url_profile=scope.get("path_params", {}).get("profile"),
        header_profile=headers.get(b"x-switchboard-profile"),
        client_id=client,
    )
    return Incoming(
        verb=scope["method"],
        facts=facts,
        version=headers.get(b"mcp-protocol-version"),
        session_id=headers.get(b"mcp-session-id"),
        takes_json=takes_all or "application/json" in accepted or "application/*" in accepted,
        takes_stream=takes_all or "text/event-stream" in accepted or "text/*" in accepted,
    )
