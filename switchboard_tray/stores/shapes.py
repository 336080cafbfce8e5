"""What results of tools without an output schema looked like, kept over restarts: `shapes.json`, sole writer.

Losing it costs nothing but that models guess again until the tools were called once more.
"""

import json
import logging
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec

from switchboard_tray.jsonfile import write_atomic
from switchboard_tray.typescript.shapes import Shape, merge, observe

log = logging.getLogger(__name__)

VALUE_BYTES = 64 * 1024
"""A longer result tells nothing that a shorter one does not, and costs."""
ENOUGH = 20
"""So many results in one run of the gateway are looked at for each tool."""
MOST_TOOLS = 5000


class ShapeStore:
    """The shapes, by reference of the tool in lower case. Used from the event loop alone."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._shapes: dict[str, Shape] = dict(_read(path))
        self._seen: dict[str, int] = {}
        self._is_saved = True

    @property
    def current(self) -> Mapping[str, Shape]:
        """All shapes as they are now; what is learnt later is not in it."""
        return MappingProxyType(dict(self._shapes))

    def of(self, ref: str) -> Shape | None:
        """The shape of a tool's results, where one is known."""
        return self._shapes.get(ref.casefold())

    def wants(self, ref: str) -> bool:
        """Whether another result of the tool would be looked at."""
        return self._seen.get(ref.casefold(), 0) < ENOUGH

    def saw(self, ref: str, value: bytes) -> None:
        """Learn from one result, as JSON."""
        key = ref.casefold()
        self._seen[key] = self._seen.get(key, 0) + 1
        if len(value) > VALUE_BYTES or (key not in self._shapes and len(self._shapes) >= MOST_TOOLS):
            return
        try:
            shape = merge(self._shapes.get(key), observe(msgspec.json.decode(value)))
        except (msgspec.MsgspecError, RecursionError):
            return
        if shape is not None and shape != self._shapes.get(key):
            self._shapes[key] = shape
            self._is_saved = False

    def save(self) -> None:
        """Write what was learnt since the last time. Blocks for a moment; from any thread."""
        if self._is_saved:
            return
        try:
            self._is_saved = True
            # A copy in one step: the event loop may learn meanwhile.
            write_atomic(self._path, json.dumps(dict(self._shapes), separators=(",", ":")).encode())
        except OSError as exc:
            log.warning("shapes of results not written down: %s", exc)


def _read(path: Path) -> Mapping[str, Shape]:
    try:
        said: Any = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(said, dict):
        return {}
    return {key: shape for key, shape in said.items() if isinstance(shape, dict)}
