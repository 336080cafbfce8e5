"""The table of word pieces in `data/toolvec`: read once, when somebody first searches.

Without it search goes by words alone, so that nothing here is an error.
"""

import logging
import threading
from collections.abc import Callable
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from switchboard_tray.search.meaning import Vectors

log = logging.getLogger(__name__)


class VectorStore:
    """Holds the table from the first `load` on."""

    def __init__(self, find_table: Callable[[], Traversable] | None = None) -> None:
        self._find_table = find_table or _packaged_table
        self._lock = threading.Lock()
        self._is_read = False
        self._vectors: Vectors | None = None

    def load(self) -> "Vectors | None":
        """The table; None where it, or numpy, cannot be loaded. From any thread.

        The first time takes a tenth of a second, most of it for numpy.
        """
        with self._lock:
            if not self._is_read:
                self._vectors = self._read()
                self._is_read = True
        return self._vectors

    def _read(self) -> "Vectors | None":
        try:
            return _read_table(self._find_table())
        # zipfile.BadZipFile and the like are what numpy lets through for a damaged file.
        except Exception as exc:
            log.warning("search: goes by words alone, the table of meanings cannot be loaded: %s", exc)
            return None


def _packaged_table() -> Traversable:
    return files("switchboard_tray").joinpath("data", "toolvec", "toolvec.npz")


def _read_table(table: Traversable) -> "Vectors":
    import numpy as np

    from switchboard_tray.search.meaning import Vectors

    with table.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
        rows, scales = arrays["vec"], arrays["scale"].astype(np.float32)
        pieces = arrays["vocab"].tobytes().decode("ascii").split("\n")
    if rows.dtype != np.int8 or rows.ndim != 2 or not len(rows) == len(scales) == len(pieces):
        raise ValueError(f"{len(rows)} rows, {len(scales)} scales and {len(pieces)} pieces are no table")
    return Vectors(rows, scales, {piece: place for place, piece in enumerate(pieces)})
