"""From the arguments of ``server add`` to a server's entry in the config; warns of what will not work as meant."""

import argparse
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from switchboard_tray.cli.output import warn
from switchboard_tray.cli.parsing import Parser
from switchboard_tray.cli.secrets import ask_value
from switchboard_tray.cli.values import looks_secret
from switchboard_tray.config.keys import VERSION
from switchboard_tray.config.model import ServerConfig
from switchboard_tray.config.parse import parse_config
from switchboard_tray.errors import ConfigError
from switchboard_tray.paths import Paths
from switchboard_tray.stores.secrets import SecretStore

_DASHES = "put -- before the command: switchboard server add NAME -- COMMAND ARG..."


def add_server_arguments(parser: Parser) -> None:
    """Give ``server add`` its arguments. What follows ``--`` is not among them: `cli.main` keeps it apart."""
    parser.usage = (
        "switchboard server add NAME [options] -- COMMAND [ARG...]\n"
        "       switchboard server add NAME [options] --url URL [--header KEY=VALUE]"
    )
    parser.add_argument("name", metavar="NAME", help="how profiles and tools name it: letters, digits, _ and -")
    parser.add_argument("extra", nargs="*", default=[], help=argparse.SUPPRESS)
    parser.add_argument("--url", help="the address of a remote server, instead of a command")
    parser.add_argument("--header", action="append", default=[], metavar="KEY=VALUE", help="sent to the remote server")
    about = "a variable for the command; KEY alone asks for its value and keeps it as a secret"
    parser.add_argument("--env", action="append", default=[], metavar="KEY=VALUE", help=about)
    about = "a variable whose value is asked for, or read from stdin, and kept as a secret"
    parser.add_argument("--secret", action="append", default=[], metavar="KEY", help=about)
    parser.add_argument("--cwd", metavar="FOLDER", help="where the command starts; your home by default")
    parser.add_argument("--description", metavar="D", help="what the server is for")


def spec_from(args: argparse.Namespace) -> dict[str, Any]:
    """The entry in the config. Ends the process with status 2 where the arguments contradict each other."""
    fail = args.parser.error
    if args.extra:
        fail(f"what is {args.extra[0]!r}? To add a command, {_DASHES}")
    if bool(args.url) == bool(args.passed_on):
        fail("it takes a command behind --, or --url" if not args.url else "it takes a command or --url, not both")
    for key in secret_keys(args):
        if not key.isidentifier():
            fail(f"--secret takes the name of a variable, not {key!r}")
    env, headers = _pairs(args, "env"), _pairs(args, "header")
    env.update({key: f"${{secret:{secret_name(args.name, key)}}}" for key in secret_keys(args)})
    if args.url and (env or args.cwd):
        fail("--env and --cwd are for commands; a remote server takes --header")
    if headers and not args.url:
        fail("--header is for remote servers; a command takes --env")
    warn_of_secrets({**env, **headers})
    if args.url:
        spec: dict[str, Any] = {"url": args.url, "headers": headers}
    else:
        folder = _absolute(args.cwd) if args.cwd else None
        command, *rest = args.passed_on
        spec = {"command": _found_here(command, folder), "args": rest, "env": env, "cwd": folder}
        _warn_of_relative_files(rest, folder)
    spec["description"] = args.description
    return {key: value for key, value in spec.items() if value}


def secret_keys(args: argparse.Namespace) -> list[str]:
    """The variables whose values are asked for."""
    return list(dict.fromkeys([*args.secret, *(text for text in args.env if "=" not in text)]))


def secret_name(server: str, key: str) -> str:
    """What the secret for a server's variable is called."""
    return f"{server}.{key}"


@contextmanager
def kept_secrets(args: argparse.Namespace, paths: Paths) -> Iterator[None]:
    """Ask for the values of secrets and keep them; what comes to nothing leaves none behind."""
    store = SecretStore(paths.secrets)
    before = {name: store.get(name) for name in (secret_name(args.name, key) for key in secret_keys(args))}
    for key in secret_keys(args):
        store.set(secret_name(args.name, key), ask_value(key))
    try:
        yield
    except BaseException:
        for name, value in before.items():
            store.remove(name) if value is None else store.set(name, value)
        raise


def check_program(name: str, spec: dict[str, Any], paths: Paths) -> None:
    """Raise ServerError where the command or the folder of `spec` is not there, and warn of variables that are not set.

    Says nothing of a remote server, or of an entry that the config's own checks will refuse.
    """
    from switchboard_tray.doctor import find_program

    server = _server(name, spec)
    if server is None or server.url is not None:
        return
    try:
        find_program(server, os.environ, paths)
    except ConfigError as exc:
        warn(exc.message, exc.hint)


def warn_of_secrets(pairs: Mapping[str, str]) -> None:
    """Warn of values of `pairs`, env or headers, that stand in the clear and look like secrets by their names."""
    for key, value in pairs.items():
        if looks_secret(key) and value and "${" not in value:
            hint = f"Give --secret {key} instead, which asks for it and keeps it out of the config."
            warn(f"{key} looks like a secret, and it stands in config.json in the clear", hint)


def _server(name: str, spec: dict[str, Any]) -> ServerConfig | None:
    config = parse_config({"version": VERSION, "servers": {name: spec}}).config
    return config.server(name) if config else None


def _pairs(args: argparse.Namespace, option: str) -> dict[str, str]:
    pairs = {}
    for text in getattr(args, option):
        key, is_given, value = text.partition("=")
        if not is_given and option == "env":
            continue
        if not is_given or not key:
            args.parser.error(f"--{option} takes KEY=VALUE, not {key!r}")
        pairs[key] = value
    return pairs


def _absolute(folder: str) -> str:
    # The gateway runs elsewhere, so a folder is as seen from here. One that the gateway works out stays as it is.
    return folder if folder.startswith(("~", "${")) else os.path.abspath(folder)


def _found_here(command: str, folder: str | None) -> str:
    """`command` with its whole path where it names a file relative to this folder, as a shell would take it."""
    is_relative = bool(os.path.dirname(command)) and not os.path.isabs(command) and not command.startswith(("~", "${"))
    is_in_folder = folder is not None and Path(folder, command).is_file()
    return os.path.abspath(command) if is_relative and not is_in_folder and Path(command).is_file() else command


def _warn_of_relative_files(arguments: list[str], folder: str | None) -> None:
    start = Path(folder).expanduser() if folder else Path.home()
    for text in arguments:
        if text and not os.path.isabs(text) and Path(text).is_file() and not Path(start, text).exists():
            warn(f"{text} will be looked for in {start}, where the command starts", "Give --cwd . or its whole path.")
