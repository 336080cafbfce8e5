"""``server``: add, set, list, show, remove, enable, disable, restart, refresh, logs."""

import argparse
import time
from typing import Any
from urllib.parse import quote

from switchboard_tray.admin.client import AdminClient, find_gateway, running_gateway
from switchboard_tray.cli.editing import apply_edit
from switchboard_tray.cli.main import DONE
from switchboard_tray.cli.new_server import (
    add_server_arguments,
    check_program,
    kept_secrets,
    spec_from,
    warn_of_secrets,
)
from switchboard_tray.cli.output import count, first_line, note, plain, print_facts, print_json, print_table, span, warn
from switchboard_tray.cli.parsing import Actions, Parser, Run, add_action, add_actions, whole_number
from switchboard_tray.cli.reading import Json, load_config, open_reader
from switchboard_tray.cli.values import typed_item
from switchboard_tray.config.edit import add_server, change_server, remove_server
from switchboard_tray.config.keys import SERVER
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.paths import Paths

FOLLOW_EVERY_S = 0.5
FOLLOWED_LINES = 1000
WARM_UP_S = 600.0

_ADD_EXAMPLES = """
switchboard server add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
switchboard server add github --secret GITHUB_TOKEN -- github-mcp-server stdio
switchboard server add linear --url https://mcp.linear.app/mcp --header X-Team=core
"""
_SET_EXAMPLES = """
switchboard server set github callTimeoutSec=300 idleTimeoutSec=0
switchboard server set github env.GITHUB_HOST=github.example.com description=
"""


def add_arguments(parser: Parser, command: str) -> None:
    """Give ``server`` its actions."""
    actions = add_actions(parser)
    about = "add a server: a command to start, or the address of a remote one"
    add_server_arguments(add_action(actions, "add", about, _add, _ADD_EXAMPLES))
    changed = _named(actions, "set", "change keys of a server; an empty value removes the key", _set, _SET_EXAMPLES)
    about = "a key as in config.json; env.NAME for a variable"
    changed.add_argument("items", nargs="+", metavar="KEY=VALUE", help=about)
    add_action(actions, "list", "list all servers", _list, "switchboard server list --json")
    _named(actions, "show", "show a server: its config, its tools, how it is", _show)
    _named(actions, "remove", "remove a server, also from the profiles that name it", _remove)
    _named(actions, "enable", "let a server run and give its tools", _enable)
    _named(actions, "disable", "stop a server and take its tools away", _disable)
    _named(actions, "restart", "end a server, start it and read its tools", _restart)
    _named(actions, "refresh", "read a server's tools anew", _refresh)
    about = "print what a server wrote to stderr"
    logs = _named(actions, "logs", about, _logs, "switchboard server logs github --follow")
    logs.add_argument("--lines", type=whole_number(100_000), default=100, metavar="N", help="the last N lines (100)")
    logs.add_argument("--follow", action="store_true", help="go on until Ctrl-C")


def _named(actions: Actions, name: str, about: str, run: Run, examples: str = "") -> Parser:
    parser = add_action(actions, name, about, run, examples or f"switchboard server {name} github")
    parser.add_argument("name", metavar="NAME", help="the server")
    return parser


def _add(args: argparse.Namespace, paths: Paths) -> int:
    spec = spec_from(args)
    # Whether the name is free comes first: nobody wants to type a secret for nothing.
    add_server(dict(load_config(paths).document), args.name, spec)
    with kept_secrets(args, paths):
        check_program(args.name, spec, paths)
        apply_edit(paths, lambda document: add_server(document, args.name, spec))
    client = running_gateway(paths)
    if client is not None and "url" not in spec:
        _warm_up(client, args.name)
    if args.json:
        return _print_server(args, paths)
    print(f"Server {args.name} is added.")
    _say_who_has_it(paths, args.name)
    return DONE


def _warm_up(client: AdminClient, name: str) -> None:
    """Start a new server once, so that its package is installed before a client waits for it; say what happens."""
    note(f"Starting {name} to read its tools; to install a package may take minutes ...")
    give_up = time.monotonic() + WARM_UP_S
    while True:
        try:
            tools = client.post(f"/servers/{quote(name, safe='')}/refresh")["tools"] or 0
        except SwitchboardError as fault:
            is_starting = client.get(f"/servers/{quote(name, safe='')}")["state"] == "starting"
            if is_starting and time.monotonic() < give_up:
                note(f"{name} is still starting ...")
                continue
            return warn(f"{name} is added, and did not start: {fault.message}", fault.hint)
        return note(f"{name} has {count(tools, 'tool')}.")


def _say_who_has_it(paths: Paths, name: str) -> None:
    config = load_config(paths).config
    profiles = [profile.name for profile in config.profiles.values() if name in profile.servers]
    if not profiles:
        chosen = config.default_profile or "PROFILE"
        print(f"No profile has it yet. Next: switchboard profile set {chosen} --servers-add {name}")


def _set(args: argparse.Namespace, paths: Paths) -> int:
    for item in args.items:
        if "=" not in item:
            args.parser.error(f"{item!r} is not KEY=VALUE")
    changes = [typed_item(SERVER, item) for item in args.items]

    def edit(document: dict[str, Any]) -> dict[str, Any]:
        for keys, value in changes:
            patch = {keys[0]: value if len(keys) == 1 else {keys[1]: value}}
            document = change_server(document, args.name, patch)
        return document

    if any(keys[0] in ("command", "cwd") for keys, _ in changes):
        edited = edit(dict(load_config(paths).document))["servers"]
        name = next(name for name in edited if name.casefold() == args.name.casefold())
        check_program(name, edited[name], paths)
    warn_of_secrets({keys[1]: value for keys, value in changes if keys[0] in ("env", "headers") and keys[1:] and value})
    apply_edit(paths, edit)
    return _done(args, paths, "is changed")


def _remove(args: argparse.Namespace, paths: Paths) -> int:
    apply_edit(paths, lambda document: remove_server(document, args.name))
    if args.json:
        print_json({"name": args.name})
    else:
        print(f"Server {args.name} is removed.")
    return DONE


def _enable(args: argparse.Namespace, paths: Paths) -> int:
    apply_edit(paths, lambda document: change_server(document, args.name, {"enabled": True}))
    return _done(args, paths, "is enabled")


def _disable(args: argparse.Namespace, paths: Paths) -> int:
    apply_edit(paths, lambda document: change_server(document, args.name, {"enabled": False}))
    return _done(args, paths, "is disabled")


def _done(args: argparse.Namespace, paths: Paths, what: str) -> int:
    if args.json:
        return _print_server(args, paths)
    print(f"Server {args.name} {what}.")
    return DONE


def _print_server(args: argparse.Namespace, paths: Paths) -> int:
    print_json(open_reader(paths).server(args.name))
    return DONE


def _list(args: argparse.Namespace, paths: Paths) -> int:
    servers = open_reader(paths).servers()
    if args.json:
        print_json(servers)
    else:
        rows = [(server["name"], server["state"], server["tools"], _remark(server)) for server in servers]
        print_table(("NAME", "STATE", "TOOLS", "WHAT"), rows)
    return DONE


def _remark(server: Json) -> str:
    """The fault of a server that has one, else what it is for, else what it is."""
    config = server["config"]
    command = " ".join([str(config.get("command", "")), *map(str, config.get("args", []))]).strip()
    way = command or config.get("url") or f"built-in {config.get('builtin', '')}"
    return first_line(server["lastError"]) or server["description"] or str(way)


def _show(args: argparse.Namespace, paths: Paths) -> int:
    server = open_reader(paths).server(args.name)
    if args.json:
        print_json(server)
        return DONE
    state = server["state"]
    if server["pid"] is not None:
        state += f", process {server['pid']}, up {span(server['uptimeSec'] or 0)}{_memory(server)}"
    if server["retryInSec"] is not None:
        state += f", next try in {span(server['retryInSec'])}"
    print_facts([("name", server["name"]), ("state", state), ("last error", server["lastError"])])
    print_facts([("last stderr", server["lastStderr"].splitlines()), *server["config"].items()])
    if server["calls"] or server["inFlight"]:
        print_facts([("calls", f"{server['calls']}, {server['inFlight']} running")])
    if server["junkLines"]:
        lines = count(server["junkLines"], "line")
        print_facts([("no protocol on stdout", f"{lines}, the first: {server['firstJunk']}")])
    others = [f"for {one['for']}: {one['state']}{_memory(one)}" for one in server["otherProcesses"]]
    print_facts([("other processes", others)])
    print_facts([("set aside", [f"{one['name']}: {one['reason']}" for one in server["quarantined"]])])
    print_facts([("tools", server["toolNames"] if server["tools"] is not None else "not listed yet")])
    return DONE


def _memory(process: Json) -> str:
    """What a process and its children take up, to follow other words."""
    return f", {process['memoryBytes'] / 1e6:.0f} MB" if process["memoryBytes"] else ""


def _restart(args: argparse.Namespace, paths: Paths) -> int:
    return _ask_server(args, find_gateway(paths), "restart")


def _refresh(args: argparse.Namespace, paths: Paths) -> int:
    return _ask_server(args, find_gateway(paths), "refresh")


def _ask_server(args: argparse.Namespace, client: AdminClient, what: str) -> int:
    server = client.post(f"/servers/{quote(args.name, safe='')}/{what}")
    if args.json:
        print_json(server)
    else:
        print(f"Server {server['name']} is {server['state']}, with {count(server['tools'] or 0, 'tool')}.")
    return DONE


def _logs(args: argparse.Namespace, paths: Paths) -> int:
    known = _log_lines(args.name, paths, max(args.lines, FOLLOWED_LINES))
    text = "".join(known[-args.lines :])
    if args.json:
        print_json({"text": text})
        return DONE
    print(plain(text), end="", flush=True)
    while args.follow:
        time.sleep(FOLLOW_EVERY_S)
        lines = _log_lines(args.name, paths, FOLLOWED_LINES)
        print(plain("".join(new_lines(known, lines))), end="", flush=True)
        known = lines
    return DONE


def _log_lines(name: str, paths: Paths, lines: int) -> list[str]:
    """The last lines of a server's log, from the gateway or, where it is off, from the files."""
    client = running_gateway(paths)
    if client is not None:
        text: str = client.get(f"/servers/{quote(name, safe='')}/logs", lines=str(lines))["text"]
        return text.splitlines(keepends=True)
    from switchboard_tray.servers.stderr import read_log, stderr_path

    server = open_reader(paths).server(name)["name"]
    return read_log(stderr_path(paths, server)).splitlines(keepends=True)[-lines:]


def new_lines(known: list[str], lines: list[str]) -> list[str]:
    """What `lines` has after its longest start that is an end of `known`; both are ends of one growing log."""
    for start in range(max(0, len(known) - len(lines)), len(known)):
        if known[start:] == lines[: len(known) - start]:
            return lines[len(known) - start :]
    return lines
