"""Runs Switchboard from source: `python3 build/run.py [ARGUMENTS]`, each argument as for `switchboard` itself.

The first run makes `.venv/`; later ones start at once. Does not build anything that is shipped.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from build.environment import RUN_LOCKS, SetupError, prepare

_INTERRUPTED = 130


def main(arguments: list[str]) -> int:
    """Become the app; the exit code is the app's, or 1 when `.venv/` cannot be made."""
    try:
        python = prepare(RUN_LOCKS)
    except SetupError as exc:
        print(f"switchboard: {exc}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return _INTERRUPTED
    # -P: a file of the current folder must not be taken for a module of the standard library.
    command = [str(python), "-P", "-m", "switchboard_tray", *arguments]
    if os.name == "posix":
        os.execv(command[0], command)
    return _wait_for(subprocess.Popen(command))


def _wait_for(app: subprocess.Popen[bytes]) -> int:
    # Windows has no exec. Ctrl-C reaches the app too, and how it ends is the app's to say.
    while True:
        try:
            return app.wait()
        except KeyboardInterrupt:
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
