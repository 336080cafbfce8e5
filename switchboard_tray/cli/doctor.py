"""``doctor``: the checks of `switchboard_tray.doctor` for a person to read."""

import argparse
import os
from dataclasses import asdict

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.cli.main import DONE, FAILED
from switchboard_tray.cli.output import one_line, print_json
from switchboard_tray.cli.parsing import Parser, finish
from switchboard_tray.doctor import examine
from switchboard_tray.paths import Paths


def add_arguments(parser: Parser, command: str) -> None:
    """Give ``doctor`` its arguments: none."""
    about = "look for what keeps Switchboard from working: commands, port, files, config"
    finish(parser, about, _doctor, "switchboard doctor")


def _doctor(args: argparse.Namespace, paths: Paths) -> int:
    checks = examine(paths, os.environ, lambda: find_gateway(paths).url)
    if args.json:
        print_json([asdict(check) for check in checks])
    else:
        for check in checks:
            print(f"{check.state:<7}  {one_line(check.name)}: {one_line(check.message)}")
            if check.hint:
                print(f"{'':<9}{one_line(check.hint)}")
    return FAILED if any(check.state == "problem" for check in checks) else DONE
