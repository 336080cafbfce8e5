"""A server for the measurement: ``fixture_server.py NAME COUNT`` speaks MCP on stdin and stdout.

Started by its path, so that it needs the standard library alone. The server ``tracker`` has issues that can be
searched, read and commented on; all others only have tools. Nothing depends on time, chance or earlier calls.

The tools are about as long as real ones: 184 tokens on average, 133 to 150 in the middle, a tenth above 300. Of 4,032
tools of 132 public servers these are 210, 128 and, for a tenth, above 490.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

VERSION = "2025-06-18"
ISSUES = 40
FOUND = 5
_SUBJECTS = ("Login", "Export", "Search", "Upload", "Payment", "Reminder", "Import", "Report")
_FAULTS = ("fails on Safari", "is slow with many rows", "shows the wrong date", "loses the last line", "asks twice")
_VERBS = (
    ("list", "List the {things}, newest first. Archived ones are left out unless they are asked for."),
    ("get", "Get one {thing} with all of its fields and its history."),
    ("create", "Create a {thing}. It is visible to everybody in the workspace at once."),
    ("update", "Update a {thing}. Fields that are not given stay as they are."),
    ("delete", "Delete a {thing} for good. This cannot be undone."),
)
_THINGS = ("entry", "folder", "member", "template", "comment", "webhook", "label", "view", "rule", "report")


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _texts(description: str) -> dict[str, Any]:
    return {"type": "array", "items": {"type": "string"}, "description": description}


def _schema(required: tuple[str, ...], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


_ISSUE_ID = _text("Number of the issue, as search_issues gives it.")
_STATE = {"type": "string", "enum": ["open", "closed", "all"], "description": "Which issues; open by default."}
_LIMIT = {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many to give at most; 20 by default."}
TRACKER: tuple[dict[str, Any], ...] = (
    {
        "name": "search_issues",
        "description": "Search issues by words of their title and text. Gives number, title and state of each.",
        "inputSchema": _schema(("query",), query=_text("Words to look for."), state=_STATE, limit=_LIMIT),
    },
    {
        "name": "get_issue",
        "description": "Get one issue with its text, labels, people and comments.",
        "inputSchema": _schema(("issue_id",), issue_id=_ISSUE_ID),
    },
    {
        "name": "add_comment",
        "description": "Add a comment to an issue. Everybody who watches the issue is told.",
        "inputSchema": _schema(("issue_id", "body"), issue_id=_ISSUE_ID, body=_text("The comment, in Markdown.")),
    },
    {
        "name": "list_issues",
        "description": "List the issues of a project, the last changed ones first.",
        "inputSchema": _schema(("project",), project=_text("Key of the project."), state=_STATE, limit=_LIMIT),
    },
    {
        "name": "create_issue",
        "description": "Create an issue in a project.",
        "inputSchema": _schema(
            ("project", "title"),
            project=_text("Key of the project."),
            title=_text("One line."),
            body=_text("The text, in Markdown."),
            labels=_texts("Names of labels."),
        ),
    },
    {
        "name": "close_issue",
        "description": "Close an issue, with a reason.",
        "inputSchema": _schema(("issue_id",), issue_id=_ISSUE_ID, reason=_text("Why it is closed.")),
    },
    {
        "name": "assign_issue",
        "description": "Make somebody responsible for an issue.",
        "inputSchema": _schema(("issue_id", "person"), issue_id=_ISSUE_ID, person=_text("Login of the person.")),
    },
    {
        "name": "delete_project",
        "description": "Delete a project with all of its issues, for good.",
        "inputSchema": _schema(("project",), project=_text("Key of the project.")),
    },
)


# What longer tools have beside that, in this order: further parameters of what reads, and of what writes.
_READING: Mapping[str, Any] = {
    "fields": _texts("Names of the fields to give. Leave it out for all of them, which makes the answer long."),
    "filter": _text("A condition such as `status = open and updated > 2024-01-01`; letter case makes no difference."),
    "sort_by": {"type": "string", "enum": ["created", "updated", "title", "position"], "description": "The order."},
    "cursor": _text("Where to go on: `next_cursor` of the answer before. Leave it out for the first page."),
    "created_after": {"type": "string", "format": "date-time", "description": "Only what was created after this time."},
    "owner": _text("Login of the person it belongs to; `me` for the account that is connected."),
    "expand": _texts("Related records to give in full instead of by their number, such as `owner` or `parent`."),
    "descending": {"type": "boolean", "default": True, "description": "Whether the last comes first."},
    "language": _text("Language of names that the service translates, as in `en` or `pt-BR`."),
    "with_counts": {"type": "boolean", "default": False, "description": "Whether to count related records; slow."},
}
_WRITING: Mapping[str, Any] = {
    "notify": {"type": "boolean", "default": True, "description": "Whether people who watch the record are told."},
    "tags": _texts("Tags to set. They replace those that are there, and are made where they do not exist yet."),
    "parent_id": _text("Number of the record to put it under. Leave it out to keep it at the top of the workspace."),
    "assignees": _texts("Logins of those who are responsible; ten at most, who must be members of the workspace."),
    "due_on": {"type": "string", "format": "date", "description": "Day on which it is due, in the workspace's zone."},
    "visibility": {"type": "string", "enum": ["private", "team", "public"], "description": "Who can see it."},
    "attachments": {
        "type": "array",
        "description": "Files to attach, by an address that the service can read without signing in.",
        "items": _schema(("url",), url=_text("Address of the file."), name=_text("Name to show.")),
    },
    "position": {"type": "integer", "minimum": 0, "description": "Place among its siblings, from 0; last by default."},
    "properties": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Custom properties."},
    "dry_run": {"type": "boolean", "default": False, "description": "Whether only to check what would be done."},
}
_ADVICE = (
    "Needs the right to read the workspace, and for changes the right to write in it.",
    "Dates are ISO 8601 in UTC; a date without a time means its first moment.",
    "Fails with `not_found` where the record was removed or is not visible to the account that is connected.",
    "Do not call it in a loop for many records: above 60 requests a minute the service answers `rate_limited`, and "
    "each further one makes the wait longer.",
    "Text may be Markdown; HTML is taken out, and what is longer than 20,000 characters is cut.",
    "Example: with the workspace `acme` and no other argument it works on what was opened last.",
)
# How many of these a tool has, by its place; nothing but names and types where it is None.
_DEPTHS = (3, 0, 1, 5, 6, 1, 1, None, 10, 2, 0, 4, 1)


def tools_of(name: str, count: int) -> list[dict[str, Any]]:
    """The first `count` tools of the server `name`, as it lists them."""
    own = [*(TRACKER if name == "tracker" else ()), *_usual_tools(name)][:count]
    # Servers begin at different places, so that the same act is not the longest in each.
    first = 0 if name == "tracker" else len(name)
    return [_as_long(tool, _DEPTHS[place % len(_DEPTHS)]) for place, tool in enumerate(own, first)]


def _as_long(tool: dict[str, Any], depth: int | None) -> dict[str, Any]:
    """`tool` with `depth` further parameters and half as many lines of advice; without any explanation for None."""
    schema, described = tool["inputSchema"], tool["description"]
    properties = schema["properties"]
    if depth is None:
        short = {key: {part: one[part] for part in one if part != "description"} for key, one in properties.items()}
        return {**tool, "description": described.split(".")[0], "inputSchema": {**schema, "properties": short}}
    reads = tool["name"].startswith(("list", "get", "search"))
    more = list((_READING if reads else _WRITING).items())[:depth]
    advice = " ".join((described, *_ADVICE[: -(-depth // 2)]))
    return {**tool, "description": advice, "inputSchema": {**schema, "properties": {**properties, **dict(more)}}}


def _usual_tools(name: str) -> Iterator[dict[str, Any]]:
    for thing in _THINGS:
        things = f"{thing[:-1]}ies" if thing.endswith("y") else f"{thing}s"
        for verb, text in _VERBS:
            shown = f"{name}_{things if verb == 'list' else thing}"
            yield {
                "name": f"{verb}_{shown}",
                "description": text.format(thing=f"{name} {thing}", things=f"{name} {things}"),
                "inputSchema": _usual_schema(verb, thing),
            }


def _usual_schema(verb: str, thing: str) -> dict[str, Any]:
    workspace = _text("Key of the workspace.")
    if verb == "list":
        archived = {"type": "boolean", "description": f"Whether archived {thing} records are given too."}
        return _schema(("workspace",), workspace=workspace, archived=archived, limit=_LIMIT)
    number = _text(f"Number of the {thing}.")
    if verb in ("get", "delete"):
        return _schema(("workspace", "id"), workspace=workspace, id=number)
    title, body = _text("One line."), _text("The text, in Markdown.")
    if verb == "create":
        return _schema(("workspace", "title"), workspace=workspace, title=title, body=body)
    return _schema(("workspace", "id"), workspace=workspace, id=number, title=title, body=body)


def answer_call(tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a call."""
    match tool:
        case "search_issues":
            words = str(arguments.get("query", "")).lower().split()
            issues = [_issue(number) for number in range(1, ISSUES + 1)]
            found = [one for one in issues if all(word in one["title"].lower() for word in words)]
            said: Any = {"issues": [{key: one[key] for key in ("id", "title", "state")} for one in found[:FOUND]]}
        case "get_issue":
            said = _issue(int(str(arguments.get("issue_id", "1"))))
        case "add_comment":
            said = {"issue": str(arguments.get("issue_id")), "characters": len(str(arguments.get("body", "")))}
        case _:
            said = {"done": tool}
    return {"content": [{"type": "text", "text": json.dumps(said)}]}


def _issue(number: int) -> dict[str, Any]:
    subject, fault = _SUBJECTS[number % len(_SUBJECTS)], _FAULTS[number % len(_FAULTS)]
    steps = "\n".join(f"{step}. Open the page, choose entry {step * number} and wait." for step in range(1, 6))
    return {
        "id": str(number),
        "title": f"{subject} {fault}",
        "state": "closed" if number % 3 == 0 else "open",
        "body": f"{subject} {fault}.\n\nTo see it:\n{steps}\n\nExpected: it works. Seen: it does not.",
        "labels": ["bug", subject.lower()],
        "author": f"person{number % 7}",
        "comments": [{"author": f"person{number % 5}", "body": f"Seen here too, with {number} rows."}],
    }


def main(name: str, count: int) -> None:
    """Serve until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if "id" not in message:
            continue
        params = message.get("params") or {}
        match message.get("method"):
            case "initialize":
                info = {"name": name, "version": "1"}
                result: Any = {"protocolVersion": VERSION, "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                result = {"tools": tools_of(name, count)}
            case "tools/call":
                result = answer_call(params["name"], params.get("arguments") or {})
            case _:
                result = {}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
