"""Other people's MCP clients and servers, which the test group `clients` runs against the gateway.

npm packages in `tests/clients/node_modules/`, Python ones in `.venv-clients/`; each made when it is missing or its lock
changed. What they are is said in tests/clients/package.json and tests/clients/requirements.in.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

from build.environment import ROOT, Unavailable, digest, only_one_setup, prepare_alone, read_text, run

FOLDER = ROOT / "tests" / "clients"
MODULES = FOLDER / "node_modules"
NODE_NEEDED = (22, 19)


def prepare_npm() -> Path:
    """The Node that runs the packages in `MODULES`, which are installed first where needed.

    That takes half a minute, the network, and 1.6 GB. Raises Unavailable without npm or a registry, SetupError.
    """
    wanted = digest(FOLDER / "package-lock.json")
    # npm begins by deleting the folder, and with it the stamp.
    stamp = MODULES / ".installed"
    if read_text(stamp) != wanted:
        npm = shutil.which("npm")
        if npm is None:
            raise Unavailable("npm is not installed: it comes with Node.js")
        with only_one_setup():
            if read_text(stamp) != wanted:
                what = "tests/clients/node_modules (half a minute, once for each change of its lock)"
                print(f"setting up {what} ...", file=sys.stderr, flush=True)
                # No package needs its install scripts here, and some would download.
                run([npm, "ci", "--ignore-scripts", "--fetch-retries=1"], "install npm packages", FOLDER)
                stamp.write_text(wanted, "utf-8")
    return _find_node()


def prepare_python() -> Path:
    """The Python of `.venv-clients/`, which is made first where needed. Raises Unavailable, SetupError."""
    return prepare_alone("clients")


def _find_node() -> Path:
    """The packaged Node of this kind of machine, else the system's."""
    for found in sorted(MODULES.glob("node-*-*/bin/node*")):
        return found
    system = shutil.which("node")
    said = subprocess.run([system, "--version"], capture_output=True, text=True).stdout if system else ""
    version = tuple(int(number) for number in re.findall(r"\d+", said)[:2])
    if system is None or version < NODE_NEEDED:
        needed = ".".join(str(number) for number in NODE_NEEDED)
        raise Unavailable(f"Node.js {needed} or newer is not installed, and npm has none for this kind of machine")
    return Path(system)
