"""What an HTTP request to an MCP address says apart from its body."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from urllib.parse import parse_qs

from starlette.types import Scope

from switchboard_tray.profiles.resolve import ClientFacts


@dataclass(frozen=True, slots=True)
class Incoming:
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
        return replace(self.facts, client_name=client_name if isinstance(client_name, str) else None)

    def without_stream(self) -> "Incoming":
        """The same request, answered by JSON alone."""
        return replace(self, takes_stream=False)


def read_incoming(scope: Scope) -> Incoming:
    """Read verb, headers and address."""
    headers: dict[str, str] = {}
    repeated = None
    for raw_name, raw_value in scope["headers"]:
        name = raw_name.decode("latin-1")
        if name in headers and name.startswith("mcp-"):
            repeated = name
        headers[name] = raw_value.decode("latin-1").strip(" \t")
    accepted = headers.get("accept", "*/*").lower()
    takes_all = "*/*" in accepted
    client = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("client", [None])[0]
    facts = ClientFacts(
        url_profile=scope.get("path_params", {}).get("profile"),
        header_profile=headers.get("x-switchboard-profile"),
        client_id=client,
    )
    return Incoming(
        verb=scope["method"],
        headers=headers,
        repeated=repeated,
        facts=facts,
        takes_json=takes_all or "application/json" in accepted or "application/*" in accepted,
        takes_stream=takes_all or "text/event-stream" in accepted or "text/*" in accepted,
    )
