"""The older distribution of the JavaScript engine, which the test group `engines` holds to the same attacks.

In `.venv-engines/`, made when it is missing or its lock changed. Both distributions bring the same module, so that they
cannot be installed side by side.
"""

from __future__ import annotations

import sys
from pathlib import Path

from build.environment import (
    ROOT,
    Unavailable,
    digest,
    install_locks,
    lock_file,
    make_venv,
    only_one_setup,
    venv_python,
)

NEWEST = (3, 12)
"""The last Python that it has wheels for."""
_VENV = ROOT / ".venv-engines"


def prepare_old_engine() -> Path:
    """The folder with the engine's module for this Python. Raises Unavailable, SetupError."""
    if sys.version_info[:2] > NEWEST:
        raise Unavailable("quickjs 1.19.4 has no wheel for this Python")
    wanted = f"{sys.version_info[:2]} {_VENV} {digest(lock_file('engines'))}"
    stamp = _VENV / "installed"
    if not stamp.exists() or stamp.read_text("utf-8") != wanted:
        with only_one_setup():
            make_venv(_VENV)
            install_locks(venv_python(_VENV), ["engines"])
            stamp.write_text(wanted, "utf-8")
    return next(iter(_VENV.glob("[Ll]ib*/**/_quickjs*"))).parent
