"""Every command in one table, and how each ends: its exit status, its errors. Loads what a command needs, not more.

Standard library alone at import, so that a slip on the command line is answered at once.
"""

import contextlib
import importlib
import io
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard_tray.cli.parsing import Parser

DONE, FAILED, USAGE, NOT_RUNNING, CONFIG_INVALID = range(5)
INTERRUPTED = 130
PIPE_CLOSED = 141
DEBUG_VARIABLE = "SWITCHBOARD_DEBUG"


@dataclass(frozen=True, slots=True)
class Command:
    """A word after ``switchboard``: the file that adds its arguments, and its line of help."""

    file: str
    about: str


COMMANDS: Mapping[str, Command] = {
    "serve": Command("gateway", "run the gateway in this terminal"),
    "status": Command("gateway", "say how the gateway is"),
    "stop": Command("gateway", "end the gateway, and every server it runs"),
    "server": Command("servers", "MCP servers: add, set, list, show, logs, ..."),
    "profile": Command("profiles", "the selections of tools that clients get"),
    "secret": Command("secrets", "values that config.json must not hold: set, list, remove"),
    "tools": Command("tools", "list the tools of a profile"),
    "call": Command("tools", "call a tool, as a client of a profile would"),
    "search": Command("tools", "find tools of a profile by what they do"),
    "exec": Command("tools", "run JavaScript that calls tools of a profile"),
    "why": Command("tools", "say why a tool is in a profile, or not"),
    "config": Command("config", "the config file: path, check, set, history, restore"),
    "bench": Command("bench", "measure what each way to reach tools costs a model"),
    "doctor": Command("doctor", "look for what keeps Switchboard from working"),
}

_DESCRIPTION = "One gateway for all your MCP servers: each AI client sees only the tools of its profile."
_EXAMPLES = """\
examples:
  switchboard server add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes
  switchboard profile add work --servers files --exclude 'files.delete_*'
  switchboard serve

exit status: 0 done, 1 failed, 2 usage, 3 gateway not running, 4 config invalid"""


def main(arguments: Sequence[str]) -> int:
    """Run one command line, without the program's name; returns the exit status and raises nothing."""
    try:
        _accept_any_text()
        status = _run(list(arguments))
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return PIPE_CLOSED
    except SystemExit as exc:
        # argparse ends the process itself, with 0 after --help and 2 after a slip.
        return exc.code if isinstance(exc.code, int) else FAILED
    except Exception as exc:
        return _failed(exc)


def _run(arguments: list[str]) -> int:
    if not arguments:
        print("No tray in this version: it runs headless, as `switchboard serve` does.", file=sys.stderr)
        arguments = ["serve"]
    # What follows -- at `server add` is a command of its own, with options that are none of ours.
    own, passed_on = arguments, None
    if "--" in arguments and [word for word in arguments if not word.startswith("-")][:2] == ["server", "add"]:
        at = arguments.index("--")
        own, passed_on = arguments[:at], arguments[at + 1 :]
    args = _build_parser(own).parse_args(own)
    args.passed_on = passed_on
    from switchboard_tray.paths import find_paths

    status: int = args.run(args, find_paths(os.environ))
    return status


def _build_parser(arguments: Sequence[str]) -> "Parser":
    """The parser of everything, with the arguments of only that command which stands in `arguments`."""
    from switchboard_tray import __version__
    from switchboard_tray.cli.parsing import Parser

    wanted = next((word for word in arguments if not word.startswith("-")), None)
    parser = Parser(prog="switchboard", description=_DESCRIPTION, epilog=_EXAMPLES)
    parser.set_defaults(json=False)
    parser.add_argument("--version", action="version", version=f"switchboard {__version__}", help="say the version")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        own = commands.add_parser(name, help=command.about, description=f"{command.about.capitalize()}.")
        if name == wanted:
            importlib.import_module(f"switchboard_tray.cli.{command.file}").add_arguments(own, name)
    return parser


def _failed(error: Exception) -> int:
    from switchboard_tray.cli.output import report
    from switchboard_tray.errors import ConfigConflict, ConfigError, GatewayError, SwitchboardError

    if os.environ.get(DEBUG_VARIABLE) == "1":
        import traceback

        traceback.print_exception(error)
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        # What a task group was left with: it says no more than what is in it.
        error = error.exceptions[0]
    match error:
        case SwitchboardError():
            report(error)
        case OSError():
            place = f"{error.filename}: " if error.filename else ""
            report(SwitchboardError(f"{place}{error.strerror or error}", hint="See: switchboard doctor"))
        case ModuleNotFoundError():
            message = f"Switchboard is not installed whole: its module {error.name} is missing."
            report(SwitchboardError(message, hint="Install Switchboard again."))
        case _:
            _report_bug(error)
    match error:
        case GatewayError():
            return NOT_RUNNING
        case ConfigError() if not isinstance(error, ConfigConflict):
            return CONFIG_INVALID
        case _:
            return FAILED


def _report_bug(error: Exception) -> None:
    from switchboard_tray.cli.output import report
    from switchboard_tray.errors import SwitchboardError
    from switchboard_tray.paths import find_paths

    message = f"Switchboard failed through a fault of its own ({type(error).__name__})."
    hint = f"{DEBUG_VARIABLE}=1 shows where; the gateway's log is in {find_paths(os.environ).logs}"
    report(SwitchboardError(message, hint=hint))


def _accept_any_text() -> None:
    """Write text that the terminal's encoding does not know as escapes, instead of failing half-way.

    A stream that was closed before we were started swallows it.
    """
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _nowhere() -> io.TextIOWrapper:
    return open(os.devnull, "w", encoding="utf-8")


def _let_go_of_stdout() -> None:
    """Have nothing written at exit to a pipe that nobody reads."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
