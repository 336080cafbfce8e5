"""``tools``, ``search``, ``call``, ``exec``, ``why``: what a profile offers, from outside a client."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.cli.main import DONE, FAILED
from switchboard_tray.cli.output import first_line, note, plain, print_json, print_table
from switchboard_tray.cli.parsing import Parser, finish, whole_number
from switchboard_tray.cli.reading import open_reader
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.paths import Paths

MOST_HITS = 50
_CALL_EXAMPLES = """
switchboard call demo.add_note '{"title": "Water the plants"}'
switchboard call github.create_issue - --profile work < issue.json
"""


def add_arguments(parser: Parser, command: str) -> None:
    """Give `command` its arguments."""
    match command:
        case "tools":
            about = "list the tools of a profile, whatever its surface"
            finish(parser, about, _tools, "switchboard tools\nswitchboard tools --profile work --as-client --json")
            parser.add_argument("--as-client", action="store_true", help="as a client of the profile lists them")
        case "search":
            examples = 'switchboard search "create an issue"\nswitchboard search github.create_issue --signature'
            finish(parser, "find tools of a profile by what they do", _search, examples)
            parser.add_argument("query", metavar="QUERY", help="what the tool should do, or a tool's or server's name")
            about = f"how many to show, 1 to {MOST_HITS}; without it 10, or all of a server whose name the query is"
            parser.add_argument("--limit", type=whole_number(MOST_HITS), metavar="N", help=about)
            about = "show how each is called, as a TypeScript signature"
            parser.add_argument("--signature", action="store_true", help=about)
        case "call":
            finish(parser, "call a tool, as a client of a profile would", _call, _CALL_EXAMPLES)
            parser.add_argument("ref", metavar="REF", help="the tool: server.tool, or the name that clients see")
            about = "its arguments as a JSON object; - reads them from stdin"
            parser.add_argument("arguments", nargs="?", default="{}", metavar="JSON", help=about)
        case "exec":
            about = "run JavaScript that calls tools, as a client of a profile with code mode would"
            finish(parser, about, _exec, "switchboard exec report.js --profile work")
            parser.add_argument("file", metavar="FILE", help="an async arrow function; - reads it from stdin")
        case "why":
            about = "say why a tool is in a profile, or not"
            finish(parser, about, _why, "switchboard why github.delete_repository --profile work")
            parser.add_argument("ref", metavar="REF", help="the tool: server.tool, or the name that clients see")
    parser.add_argument("--profile", metavar="P", help="the profile; the default one where none is given")


def _tools(args: argparse.Namespace, paths: Paths) -> int:
    reader = open_reader(paths)
    tools = reader.client_tools(args.profile) if args.as_client else reader.tools(args.profile)
    if args.json:
        print_json(tools)
        return DONE
    name = "name" if args.as_client else "ref"
    if tools:
        print_table(("TOOL", "WHAT"), [(tool[name], first_line(tool.get("description") or "")) for tool in tools])
    else:
        note("The profile has no tools.")
    unlisted = reader.profile(args.profile)["unlisted"]
    if unlisted:
        note(f"Not listed yet, so their tools are still to come: {', '.join(unlisted)}")
    return DONE


def _search(args: argparse.Namespace, paths: Paths) -> int:
    if not args.query.strip():
        args.parser.error("the query is empty")
    found = open_reader(paths).search(args.query, args.limit, args.profile)
    tools = found["tools"]
    if args.json:
        print_json(tools)
        return DONE
    if args.signature:
        for tool in tools:
            print(plain(tool["signature"]))
    elif tools:
        print_table(("TOOL", "WHAT"), [(tool["ref"], tool["summary"]) for tool in tools])
    for line in found["miss"].splitlines():
        note(line)
    return DONE


def _why(args: argparse.Namespace, paths: Paths) -> int:
    answer = open_reader(paths).why(args.ref, args.profile)
    if args.json:
        print_json(answer)
        return DONE
    verdict = f"is in profile {answer['profile']}" if answer["isIncluded"] else f"is not in profile {answer['profile']}"
    name = f", where clients see it as {answer['wireName']}" if answer["wireName"] else ""
    print(plain(f"{answer['ref']} {verdict}{name}."))
    for reason in answer["reasons"]:
        print(plain(f"  {reason}"))
    return DONE


def _call(args: argparse.Namespace, paths: Paths) -> int:
    text = sys.stdin.read() if args.arguments == "-" else args.arguments
    try:
        arguments = json.loads(text)
    except ValueError as exc:
        args.parser.error(f"the arguments are no JSON: {exc}")
    if not isinstance(arguments, dict):
        args.parser.error("the arguments are no JSON object")
    body = {"ref": args.ref, "arguments": arguments, "profile": args.profile}
    result = find_gateway(paths).post("/call", body)["result"]
    is_error = result.get("isError") is True
    if args.json:
        print_json(result)
    else:
        # What went wrong is an error like another: a program that reads stdout must not take it for an answer.
        print(plain(result_text(result)), file=sys.stderr if is_error else sys.stdout)
    return FAILED if is_error else DONE


def _exec(args: argparse.Namespace, paths: Paths) -> int:
    try:
        code = sys.stdin.read() if args.file == "-" else Path(args.file).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        why = exc.strerror if isinstance(exc, OSError) else "it is no text in UTF-8"
        raise SwitchboardError(f"{args.file} cannot be read: {why}.", hint="Name a file with JavaScript.") from exc
    answer = find_gateway(paths).post("/runs", {"code": code, "profile": args.profile})
    is_error = answer["kind"] != "ok"
    if args.json:
        print_json(answer)
    else:
        print(plain(result_text(answer["result"])), file=sys.stderr if is_error else sys.stdout)
    return FAILED if is_error else DONE


def result_text(result: dict[str, Any]) -> str:
    """A tool's result for a person: its text as it is, a short note for each other block."""
    blocks = [_block_text(block) for block in result.get("content") or ()]
    if not blocks and "structuredContent" in result:
        return json.dumps(result["structuredContent"], indent=2, ensure_ascii=False)
    return "\n".join(blocks)


def _block_text(block: dict[str, Any]) -> str:
    match block:
        case {"type": "text", "text": str(text)}:
            return text
        case {"type": "image" | "audio" as kind, "data": str(encoded)}:
            size_bytes = len(encoded) * 3 // 4 - encoded[-2:].count("=")
            return f"[{kind} {block.get('mimeType', '')} {size_bytes} bytes]"
        case {"type": "resource", "resource": {"uri": uri}}:
            return f"[resource {uri}]"
        case {"type": "resource_link", "uri": uri}:
            return f"[resource {uri}]"
        case _:
            return f"[{block.get('type', 'unknown')}]"
