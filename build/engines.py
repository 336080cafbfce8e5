"""The older distribution of the JavaScript engine, which the test group `engines` holds to the same attacks.

Both distributions bring the same module, so that they cannot be installed side by side: it has `.venv-engines/`.
"""

from __future__ import annotations

import sys
from pathlib import Path

from build.environment import Unavailable, prepare_alone

NEWEST = (3, 12)
"""The last Python that it has wheels for."""


def prepare_old_engine() -> Path:
    """The folder with the engine's module for this Python. Raises Unavailable, SetupError."""
    if sys.version_info[:2] > NEWEST:
        raise Unavailable("quickjs 1.19.4 has no wheel for this Python")
    venv = prepare_alone("engines").parent.parent
    return next(iter(venv.glob("[Ll]ib*/**/_quickjs*"))).parent
