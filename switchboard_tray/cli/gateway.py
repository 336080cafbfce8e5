"""``serve``, ``status``, ``stop``: the gateway as a whole."""

import argparse
import time
from typing import Any

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.cli.main import DONE, FAILED
from switchboard_tray.cli.output import count, print_json, report, span, warn
from switchboard_tray.cli.parsing import Parser, finish
from switchboard_tray.cli.reading import error_line
from switchboard_tray.errors import GatewayError, SwitchboardError
from switchboard_tray.paths import Paths

STOP_WAIT_S = 60.0
_LOOK_EVERY_S = 0.05


def add_arguments(parser: Parser, command: str) -> None:
    """Give `command` its arguments."""
    match command:
        case "serve":
            about = "run the gateway in this terminal, until Ctrl-C or switchboard stop"
            finish(parser, about, _serve, "switchboard serve\nswitchboard serve --port 8923 --verbose")
            parser.add_argument("--port", type=_port, metavar="N", help="another port than the config's, for this run")
            parser.add_argument("--verbose", action="store_true", help="write the log to the terminal too")
        case "status":
            finish(parser, "say how the gateway is", _status, "switchboard status\nswitchboard status --json")
        case "stop":
            about = "end the gateway and every server it runs, and wait until they are gone"
            finish(parser, about, _stop, "switchboard stop")


def _serve(args: argparse.Namespace, paths: Paths) -> int:
    from switchboard_tray.gateway_app import run

    try:
        return run(paths, port=args.port, verbose=args.verbose)
    except GatewayError as exc:
        # Status 3 is for those who need a gateway; this one has a port or a lock in its way.
        report(exc)
        return FAILED


def _status(args: argparse.Namespace, paths: Paths) -> int:
    try:
        status = find_gateway(paths).get("/status")
    except GatewayError:
        _warn_of_config(paths)
        raise
    if args.json:
        print_json(status)
    else:
        _print_status(status)
    return DONE


def _print_status(status: dict[str, Any]) -> None:
    config, servers = status["config"], status["servers"]
    print(f"gateway: {status['url']}/mcp, process {status['pid']}, up {span(status['uptimeSec'])}, {status['version']}")
    if config["problems"]:
        print(_config_line(config["problems"]))
    else:
        print(f"config: ok, {config['path']}")
    print(f"servers: {servers['total']}, {servers['ready']} ready, {servers['failing']} failing")
    names = [f"{name} (default)" if name == status["defaultProfile"] else name for name in status["profiles"]]
    print(f"profiles: {', '.join(names) or 'none'}")
    print(f"clients: {count(status['sessions'], 'session')}")
    for problem in config["warnings"]:
        warn(f"{problem['pointer']}: {problem['message']}", problem["hint"])
    for text in status["warnings"]:
        warn(text)


def _config_line(problems: list[dict[str, Any]]) -> str:
    from switchboard_tray.admin.client import problem_from

    return error_line(tuple(problem_from(one) for one in problems))


def _warn_of_config(paths: Paths) -> None:
    """Say what is wrong with the file while no gateway does."""
    from switchboard_tray.config.problems import InvalidConfig
    from switchboard_tray.errors import NotFound
    from switchboard_tray.stores.config import ConfigStore

    try:
        problems = ConfigStore(paths).load().problems
    except NotFound:
        return
    except InvalidConfig as exc:
        problems = exc.faults
    if problems:
        warn(error_line(problems))


def _stop(args: argparse.Namespace, paths: Paths) -> int:
    client = find_gateway(paths)
    client.post("/stop")
    give_up = time.monotonic() + STOP_WAIT_S
    while not _is_gone(paths, client.pid):
        if time.monotonic() > give_up:
            message = f"The gateway (process {client.pid}) has not ended within {STOP_WAIT_S:.0f} s."
            raise SwitchboardError(message, hint=f"Its log is in {paths.logs}")
        time.sleep(_LOOK_EVERY_S)
    if args.json:
        print_json({})
    else:
        print("The gateway ended.")
    return DONE


def _is_gone(paths: Paths, pid: int) -> bool:
    """Whether the gateway `pid` gave its lock back, which is the last thing it does; or another one has it by now."""
    from switchboard_tray.stores.daemon import only_instance, read_daemon

    daemon = read_daemon(paths.daemon)
    if daemon is not None:
        return daemon.pid != pid
    try:
        with only_instance(paths.instance_lock, paths.daemon):
            return True
    except GatewayError:
        return False


def _port(text: str) -> int:
    if not text.isdecimal() or not 0 < int(text[:6]) < 65_536:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: a number from 1 to 65535")
    return int(text)
