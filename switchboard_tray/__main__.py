"""Entry: ``switchboard`` and ``python -m switchboard_tray``. Says its version before it imports anything else."""

import sys

from switchboard_tray import __version__

_INTERRUPTED = 130


def main() -> int:
    """Run the command line of this process; returns its exit status."""
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        print(f"switchboard {__version__}")
        return 0
    try:
        from switchboard_tray.cli.main import main as run

        return run(arguments)
    except KeyboardInterrupt:
        return _INTERRUPTED


if __name__ == "__main__":
    sys.exit(main())
