"""Checks the project: `python3 build/test.py` is the quick run, `--all` adds every group, `GROUP...` runs those alone.

The quick run: lint, types, each test without a group under coverage, full branch coverage of the pure modules. The last
line of output is pytest's own summary, followed only by what else failed. Does not change any file of the project.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from build.environment import ROOT, TEST_LOCKS, SetupError, prepare
from build.layers import PURE

GROUPS = ("clients", "browser", "desktop", "engines", "package")

_NO_TESTS_COLLECTED = 5
_INTERRUPTED = 130


@dataclass(frozen=True)
class Options:
    """What to run: `groups` empty is the quick run, `pytest` are arguments that pytest gets as they are."""

    groups: tuple[str, ...] = ()
    is_all: bool = False
    pytest: tuple[str, ...] = ()

    @property
    def is_whole(self) -> bool:
        """Nothing is left out of the quick run, so lint, types and coverage have a say too."""
        return not self.pytest and (self.is_all or not self.groups)


def main(arguments: list[str]) -> int:
    """Run what `arguments` ask for; the exit code is 0 only when all of it passed."""
    options = parse_options(arguments)
    started = time.monotonic()
    try:
        python = str(prepare(TEST_LOCKS))
    except SetupError as exc:
        print(f"test: {exc}", file=sys.stderr)
        return 1
    _report("environment", started)
    failed = []
    if options.is_whole:
        failed += [] if _passes("ruff", [python, "-m", "ruff", "check", "--quiet"]) else ["ruff"]
        failed += [] if _passes("mypy", [python, "-m", "mypy", "--no-error-summary"]) else ["mypy"]
    with tempfile.TemporaryDirectory() as folder:
        # A folder of its own, so that two runs at once do not read each other's numbers.
        os.environ["COVERAGE_FILE"] = str(Path(folder) / "coverage")
        tests_pass, summary = _run_pytest(python, options)
        if options.is_whole and not _pure_is_covered(python):
            failed.append("coverage")
    print(summary)
    if failed:
        print(f"also failed: {', '.join(failed)}")
    return 0 if tests_pass and not failed else 1


def parse_options(arguments: list[str]) -> Options:
    """Options from the command line; ends the process with 2 and a usage line when they make no sense."""
    own, passed_on = arguments, []
    if "--" in arguments:
        at = arguments.index("--")
        own, passed_on = arguments[:at], arguments[at + 1 :]
    parser = argparse.ArgumentParser(
        usage="test.py [--all | GROUP ...] [-k EXPRESSION] [-- PYTEST_ARGUMENT ...]",
        description="Check the project. With -k or arguments for pytest only tests run: no lint, types or coverage.",
        epilog=f"groups: {', '.join(GROUPS)}",
    )
    parser.add_argument("groups", nargs="*", metavar="GROUP", help="run this group of tests alone")
    parser.add_argument("--all", action="store_true", dest="is_all", help="the quick run and every group")
    parser.add_argument("-k", metavar="EXPRESSION", help="only tests whose names match, as pytest's -k")
    found = parser.parse_args(own)
    unknown = [name for name in found.groups if name not in GROUPS]
    if unknown:
        parser.error(f"no group {unknown[0]!r}: there are {', '.join(GROUPS)}; a path goes behind --")
    narrowed = ["-k", found.k] if found.k else []
    return Options(tuple(found.groups), found.is_all, (*narrowed, *passed_on))


def pytest_arguments(options: Options) -> list[str]:
    """What pytest is asked for: a marker expression, unless all is wanted or a path says what is."""
    names_path = any((ROOT / argument.partition("::")[0]).exists() for argument in options.pytest)
    if options.is_all or (names_path and not options.groups):
        return list(options.pytest)
    chosen = " or ".join(options.groups) if options.groups else f"not ({' or '.join(GROUPS)})"
    return ["-m", chosen, *options.pytest]


def pure_files(root: Path = ROOT) -> list[str]:
    """Paths of the pure modules that are written, relative to `root`, in order."""
    paths = [f"{name.replace('.', '/')}.py" for name in sorted(PURE)]
    return [path for path in paths if (root / path).exists()]


def _run_pytest(python: str, options: Options) -> tuple[bool, str]:
    started = time.monotonic()
    colour = ["--color=yes"] if sys.stdout.isatty() else []
    runner = ["-m", "coverage", "run", "-m", "pytest"] if options.is_whole else ["-m", "pytest"]
    code, summary = _show_all_but_last_line([python, *runner, *colour, *pytest_arguments(options)])
    # A group may have no test yet. A name or a path that finds none is a slip of the person who typed it.
    is_empty_group = code == _NO_TESTS_COLLECTED and bool(options.groups) and not options.pytest
    _report("pytest", started, is_ok=code == 0 or is_empty_group)
    return code == 0 or is_empty_group, summary


def _show_all_but_last_line(command: list[str]) -> tuple[int, str]:
    held = b""
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stdout.buffer.write(held)
            sys.stdout.buffer.flush()
            held = line
    return process.returncode, held.decode("utf-8", "replace").rstrip()


def _pure_is_covered(python: str) -> bool:
    files = pure_files()
    if not files:
        print("coverage     skipped: no pure module is written yet")
        return True
    coverage = [python, "-m", "coverage"]
    combined = subprocess.run([*coverage, "combine", "--quiet"], cwd=ROOT).returncode == 0
    return combined and _passes("coverage", [*coverage, "report", "--fail-under=100", f"--include={','.join(files)}"])


def _passes(name: str, command: list[str]) -> bool:
    started = time.monotonic()
    done = subprocess.run(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    _report(name, started, is_ok=done.returncode == 0)
    if done.returncode != 0:
        sys.stdout.buffer.write(done.stdout)
        sys.stdout.buffer.flush()
    return done.returncode == 0


def _report(step: str, started: float, *, is_ok: bool = True) -> None:
    print(f"{step:<12} {'ok' if is_ok else 'FAILED':<6} {time.monotonic() - started:6.1f} s", flush=True)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(_INTERRUPTED)
