"""``secret``: set, list, remove. A value comes from a hidden prompt or from stdin, never from the command line."""

import argparse
import getpass
import sys

from switchboard_tray.cli.main import DONE
from switchboard_tray.cli.output import print_json
from switchboard_tray.cli.parsing import Parser, add_action, add_actions
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.paths import Paths
from switchboard_tray.stores.secrets import SecretStore

_SET_EXAMPLES = """
switchboard secret set github
pass show github | switchboard secret set github
"""


def add_arguments(parser: Parser, command: str) -> None:
    """Give ``secret`` its actions."""
    actions = add_actions(parser)
    about = "keep a value that the config refers to as ${secret:NAME}; asks for it, or reads a line of stdin"
    _named(add_action(actions, "set", about, _set, _SET_EXAMPLES))
    add_action(actions, "list", "list the names of all secrets", _list, "switchboard secret list")
    _named(add_action(actions, "remove", "forget a secret", _remove, "switchboard secret remove github"))


def ask_value(name: str) -> str:
    """The value for `name`: typed unseen, or the next line of stdin. Raises SwitchboardError where there is none."""
    if sys.stdin is not None and sys.stdin.isatty():
        value = getpass.getpass(f"Value of {name} (not shown): ")
    else:
        value = sys.stdin.readline().rstrip("\r\n") if sys.stdin is not None else ""
    if not value:
        raise SwitchboardError(f"No value was given for {name}.", hint="Type it at the prompt, or pipe it to stdin.")
    return value


def _named(parser: Parser) -> None:
    parser.add_argument("name", metavar="NAME", help="how the config refers to it: ${secret:NAME}")


def _set(args: argparse.Namespace, paths: Paths) -> int:
    SecretStore(paths.secrets).set(args.name, ask_value(args.name))
    if args.json:
        print_json({"name": args.name})
    else:
        print(f"Secret {args.name} is kept. A server gets it at its next start, as ${{secret:{args.name}}} in its env.")
    return DONE


def _list(args: argparse.Namespace, paths: Paths) -> int:
    names = SecretStore(paths.secrets).names()
    if args.json:
        print_json([{"name": name} for name in names])
    else:
        print("\n".join(names) if names else "No secrets are kept.")
    return DONE


def _remove(args: argparse.Namespace, paths: Paths) -> int:
    SecretStore(paths.secrets).remove(args.name)
    if args.json:
        print_json({"name": args.name})
    else:
        print(f"Secret {args.name} is forgotten.")
    return DONE
