"""``bench context``: what each way to reach tools costs a model."""

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from switchboard_tray.cli.main import DONE
from switchboard_tray.cli.output import note, print_json
from switchboard_tray.cli.parsing import Parser, add_action, add_actions
from switchboard_tray.errors import SwitchboardError
from switchboard_tray.paths import Paths

SIZES = (40, 200, 500)
FEWEST, MOST = 24, 1000
"""The task needs the tools of one server; more than the most no fixture server has."""


def add_arguments(parser: Parser, command: str) -> None:
    """Give `command` its arguments."""
    examples = "switchboard bench context\nswitchboard bench context --tools 100 --json"
    about = "do one task on each surface, over a gateway of its own, and show the costs"
    context = add_action(add_actions(parser), "context", about, _context, examples)
    about = f"how many tools, {FEWEST} to {MOST}; several with commas; {','.join(map(str, SIZES))} where none is given"
    context.add_argument("--tools", type=_sizes, default=SIZES, metavar="N", help=about)
    context.add_argument("--output", metavar="FILE", help="write the Markdown to a file")


def _sizes(text: str) -> tuple[int, ...]:
    words = text.split(",")
    if not all(word.isascii() and word.isdigit() and FEWEST <= int(word) <= MOST for word in words):
        raise argparse.ArgumentTypeError(f"{text!r} is not one or more numbers from {FEWEST} to {MOST}")
    return tuple(map(int, words))


def _context(args: argparse.Namespace, paths: Paths) -> int:
    from switchboard_tray.bench_context.measure import measure
    from switchboard_tray.bench_context.report import as_json, as_markdown

    file = Path(args.output).absolute() if args.output else None
    if file is not None:
        _refuse_place(file)
    measured = []
    with _cleaned_up_after_signals():
        for tools in args.tools:
            note(f"Measuring with {tools} tools ...")
            measured.append(measure(tools))
    if file is not None:
        file.write_text(as_markdown(measured), "utf-8")
    if args.json:
        print_json(as_json(measured))
    elif file is None:
        sys.stdout.write(as_markdown(measured))
    return DONE


def _refuse_place(file: Path) -> None:
    """Raise `SwitchboardError` where no file can be, before any time is spent."""
    if file.is_dir():
        raise SwitchboardError(f"{file} is a folder.", hint="Name a file.")
    if not file.parent.is_dir():
        raise SwitchboardError(f"There is no folder {file.parent}.", hint="Make it, or name another file.")


@contextmanager
def _cleaned_up_after_signals() -> Iterator[None]:
    """Have signals end the command as Ctrl-C does, by an exception: else folder and processes would stay."""

    def leave(number: int, _: object) -> None:
        # A second one would break off what cleans up.
        signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    known = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    # What nohup has us ignore stays ignored.
    former = {number: signal.signal(number, leave) for number in known if signal.getsignal(number) != signal.SIG_IGN}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
