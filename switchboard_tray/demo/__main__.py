"""Entry: ``python -m switchboard_tray.demo --db PATH`` serves the notebook in the file PATH on stdin and stdout."""

import argparse
import os
import signal
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from switchboard_tray.demo.database import UnreadableNotebook
from switchboard_tray.demo.notebook import open_notebook
from switchboard_tray.demo.stdio import serve


def main(argv: Sequence[str] | None = None) -> int:
    """Serve until stdin ends or stdout is closed; returns the exit code: 0, or 1 when the file cannot be used."""
    parser = argparse.ArgumentParser(prog="python -m switchboard_tray.demo", description="Demo notebook, an MCP server")
    parser.add_argument("--db", type=Path, required=True, metavar="PATH", help="SQLite file; created when missing")
    path: Path = parser.parse_args(argv).db
    # A parent that ignores SIGTERM hands that down, and then nothing but SIGKILL would end this process. The notes
    # are safe either way: SQLite undoes what was not committed.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        notebook = open_notebook(path)
    except (OSError, sqlite3.Error, UnreadableNotebook) as exc:
        print(f"demo notebook {path}: {exc}", file=sys.stderr)
        return 1
    try:
        with closing(notebook), os.fdopen(os.dup(sys.stdout.fileno()), "wb") as protocol_out:
            # From here on a stray print, ours or a library's, goes to the log and not between two messages.
            os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
            serve(sys.stdin.buffer, protocol_out, notebook)
    except KeyboardInterrupt:
        return 130
    except OSError:
        # The client closed its end; closing ours raises once more when something is left to write, hence out here.
        pass
    return 0


if __name__ == "__main__":
    sys.exit(main())
