"""What the parsers of all commands share: ``--json`` in any position, errors in two lines, examples in every help."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from switchboard_tray.cli.main import USAGE
from switchboard_tray.paths import Paths

Run = Callable[[argparse.Namespace, Paths], int]
Actions: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """A parser that takes ``--json`` at every level and shortens nothing."""

    def __init__(self, **kwargs: Any) -> None:
        own = {"allow_abbrev": False, "formatter_class": argparse.RawDescriptionHelpFormatter, "add_help": False}
        super().__init__(**{**own, **kwargs})
        # Python 3.14 would colour the help.
        self.color = False
        self.add_argument("-h", "--help", action="help", help="show this help")
        # Without a default, so that a level which does not have it leaves what another one found.
        self.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="print JSON")

    def error(self, message: str) -> NoReturn:
        """End the process with status 2 and two lines on stderr."""
        self.exit(USAGE, f"{self.prog}: {message}\nSee: {self.prog} --help\n")


def add_actions(parser: Parser) -> Actions:
    """The place for the verbs of a noun."""
    actions: Actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    return actions


def add_action(actions: Actions, name: str, about: str, run: Run, examples: str = "") -> Parser:
    """A verb of a noun, which `run` carries out; `examples` are whole command lines."""
    parser = actions.add_parser(name, help=about)
    return finish(parser, about, run, examples)


def finish(parser: Parser, about: str, run: Run, examples: str = "") -> Parser:
    """Give a command its description, its examples and what it runs."""
    parser.description = f"{about[0].upper()}{about[1:]}."
    if examples:
        parser.epilog = "examples:\n" + "\n".join(f"  {line}" for line in examples.strip().splitlines())
    parser.set_defaults(run=run, parser=parser)
    return parser


def whole_number(most: int) -> Callable[[str], int]:
    """The type of an option that is a number from 1 to `most`."""

    def read(text: str) -> int:
        if not text.isdecimal() or not 0 < int(text[:9]) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {most}")
        return int(text)

    return read
