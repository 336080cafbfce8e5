"""How a model reaches tools on each surface, and from a shell: what it asks first, and how it calls."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol

from switchboard_tray.bench_context.home import EXCLUDED, Home
from switchboard_tray.bench_context.requests import Counts, McpClient, Said, Shell
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.names import ToolRef, wire_name
from switchboard_tray.surfaces.tokens import estimate_tokens

QUERIES = ("search issues", "comment on an issue")
NEEDED = ("tracker.search_issues", "tracker.get_issue", "tracker.add_comment")
COMMENT = "Seen on Safari 18 too. The page asks for the password again after each reload."
HINT = (
    "Tools are reached with the command `switchboard`. `switchboard search WHAT --signature` finds tools and shows how "
    "they are called; `switchboard call SERVER.TOOL JSON` calls one and prints its answer."
)
"""What a model that has only a shell is told instead of definitions."""


class Way(Protocol):
    """One way to reach tools."""

    @property
    def counts(self) -> Counts:
        """What was spent."""

    @property
    def definition_tokens(self) -> int:
        """What the model is told before it does anything."""

    @property
    def definition_count(self) -> int:
        """How many tools are listed."""

    def look(self) -> None:
        """Ask what has to be known before tools can be called. Raises `SwitchboardError` where it is not told."""

    def do(self) -> None:
        """Do the task, and try what the profile does not have.

        Raises `SwitchboardError` where that comes out otherwise.
        """

    def close(self) -> None:
        """Let go of it."""


class _StepByStep:
    """Does the task by calls of the single tools."""

    def call(self, ref: str, arguments: Mapping[str, Any]) -> Said:
        """Call a tool of a server."""
        raise NotImplementedError

    def do(self) -> None:
        """Find an issue, read it, comment on it; then try a tool that the profile does not have."""
        found = _expect(self.call("tracker.search_issues", {"query": "login safari", "limit": 5}), "issues")
        number = found["issues"][0]["id"]
        _expect(self.call("tracker.get_issue", {"issue_id": number}), "title")
        _expect(self.call("tracker.add_comment", {"issue_id": number, "body": COMMENT}), "issue")
        _expect_refused(self.call(EXCLUDED, {"project": "WEB"}))


class _OverMcp:
    def __init__(self, client: McpClient) -> None:
        self._client = client

    @property
    def counts(self) -> Counts:
        """What was spent."""
        return self._client.counts

    @property
    def definition_tokens(self) -> int:
        """What the model is told before it does anything."""
        return self._client.definition_tokens

    @property
    def definition_count(self) -> int:
        """How many tools are listed."""
        return len(self._client.tools)

    def close(self) -> None:
        """Let go of it."""
        self._client.close()


class Flat(_StepByStep, _OverMcp):
    """All tools are listed: nothing has to be asked."""

    def look(self) -> None:
        """Nothing."""

    def call(self, ref: str, arguments: Mapping[str, Any]) -> Said:
        """By its own name."""
        return self._client.call(wire_name(_parsed(ref)), arguments)


class Meta(_StepByStep, _OverMcp):
    """A search, then the schemas of what is needed."""

    def look(self) -> None:
        """Two searches, one look at three schemas."""
        _expect_names(self._search(), NEEDED)
        _expect_names(self._client.call("get_schema", {"names": list(NEEDED)}, "schema"), NEEDED)

    def _search(self) -> Said:
        return _joined(self._client.call("search_tools", {"query": query}, "search") for query in QUERIES)

    def call(self, ref: str, arguments: Mapping[str, Any]) -> Said:
        """Through call_tool."""
        return self._client.call("call_tool", {"name": ref, "arguments": arguments})


class Compact(Meta):
    """A search that answers signatures."""

    def look(self) -> None:
        """Two searches."""
        _expect_names(self._search(), NEEDED)


class Apps(_StepByStep, _OverMcp):
    """The server's tool lists its tools, then describes those that are needed."""

    def look(self) -> None:
        """One list, three descriptions."""
        _expect_names(self._client.call("tracker", {"action": "list"}, "search"), NEEDED)
        for ref in NEEDED:
            asked = {"action": "describe", "tool": _parsed(ref).tool}
            _expect_names(self._client.call("tracker", asked, "schema"), (ref,))

    def call(self, ref: str, arguments: Mapping[str, Any]) -> Said:
        """Through the server's tool."""
        parsed = _parsed(ref)
        return self._client.call(parsed.server, {"action": "call", "tool": parsed.tool, "arguments": arguments})


class Code(_OverMcp):
    """A script that does the whole task in one run, written after the tools were found."""

    _TASK = """async () => {{
  const found = await tracker.search_issues({{ query: "login safari", limit: 5 }});
  const issue = await tracker.get_issue({{ issue_id: found.issues[0].id }});
  const done = await tracker.add_comment({{ issue_id: issue.id, body: {comment} }});
  return {{ title: issue.title, ...done }};
}}"""

    def look(self) -> None:
        """Two searches and three schemas, where the declarations do not stand in the description already."""
        listed = [tool["name"] for tool in self._client.tools]
        if "search_tools" in listed:
            found = _joined(self._client.call("search_tools", {"query": query}, "search") for query in QUERIES)
            _expect_names(found, NEEDED)
            _expect_names(self._client.call("get_schema", {"names": list(NEEDED)}, "schema"), NEEDED)

    def do(self) -> None:
        """The task, and the tool that is left out."""
        said = self._client.call("execute", {"code": self._TASK.format(comment=json.dumps(COMMENT))})
        _expect(Said(said.text.removeprefix("Result:\n"), said.is_error), "issue")
        _expect_refused(self._client.call("execute", {"code": f"async () => {EXCLUDED}({{ project: 'WEB' }})"}))


class CommandLine(_StepByStep):
    """A shell with our command in it."""

    definition_count = 0
    definition_tokens = estimate_tokens(HINT)

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    @property
    def counts(self) -> Counts:
        """What was spent."""
        return self._shell.counts

    def look(self) -> None:
        """Two searches that show signatures."""
        options = ("--signature", "--limit", "5", "--profile", "cli")
        found = _joined(self._shell.run(("search", query, *options), "search") for query in QUERIES)
        _expect_names(found, NEEDED)

    def call(self, ref: str, arguments: Mapping[str, Any]) -> Said:
        """By a command."""
        return self._shell.run(("call", ref, json.dumps(arguments), "--profile", "cli"))

    def close(self) -> None:
        """Nothing is held."""


def _over_mcp(kind: Callable[[McpClient], Way], profile: str) -> Callable[[Home], Way]:
    return lambda home: kind(McpClient(home.port, profile))


WAYS: Mapping[str, tuple[str, Callable[[Home], Way]]] = {
    "flat": ("passthrough", _over_mcp(Flat, "flat")),
    "apps": ("apps", _over_mcp(Apps, "apps")),
    "compact": ("compact", _over_mcp(Compact, "compact")),
    "meta": ("meta", _over_mcp(Meta, "meta")),
    "code": ("code", _over_mcp(Code, "code")),
    "cli": ("passthrough", lambda home: CommandLine(Shell(home.environ, str(home.folder)))),
}
"""The surface of each way's profile, and how it is opened."""


def _expect_refused(said: Said) -> None:
    if not said.is_error:
        raise SwitchboardError(f"{EXCLUDED} is not in the profile and was called: {said.text}")


def _expect(said: Said, key: str) -> Any:
    try:
        answer = json.loads(said.text)
        if not said.is_error and key in answer:
            return answer
    except ValueError:
        pass
    raise SwitchboardError(f"The measurement's task was answered with: {said.text}")


def _joined(said: Iterable[Said]) -> Said:
    every = list(said)
    return Said("\n".join(one.text for one in every), any(one.is_error for one in every))


def _expect_names(said: Said, names: Sequence[str]) -> None:
    missing = [name for name in names if name not in said.text]
    if said.is_error or missing:
        raise SwitchboardError(f"The measurement's search did not find {', '.join(missing)}: {said.text}")


def _parsed(ref: str) -> ToolRef:
    parsed = ToolRef.parse(ref)
    assert parsed is not None
    return parsed
