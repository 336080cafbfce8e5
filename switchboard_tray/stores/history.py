"""The last versions of config.json, as files beside it. Knows nothing of what they hold."""

import contextlib
import os
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from switchboard_tray.errors import NotFound
from switchboard_tray.jsonfile import digest, make_private_folder, write_atomic

KEPT_VERSIONS = 10
_DIGEST_CHARS = 16
_TIME = "%Y%m%dT%H%M%S.%fZ"
_NAME = re.compile(r"config-(\d{8}T\d{6}\.\d{6}Z)-([0-9a-f]{16})\.json")


@dataclass(frozen=True, slots=True)
class Version:
    """A kept version; `saved_at` (UTC) is when it was last taken into force."""

    id: str
    saved_at: datetime
    size_bytes: int


class History:
    """Kept versions in one folder, the same bytes never twice."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, data: bytes) -> None:
        """Make `data` the newest version; the oldest goes where there are more than ten. Raises OSError."""
        versions = self._names()
        mark = digest(data)[:_DIGEST_CHARS]
        if versions and _digest_in(versions[0]) == mark:
            return
        now = datetime.now(UTC)
        if versions:
            # A clock that was set back must not change the order.
            now = max(now, _time_in(versions[0]) + timedelta(microseconds=1))
        path = self._folder / f"config-{now.strftime(_TIME)}-{mark}.json"
        older = next((name for name in versions if _digest_in(name) == mark), None)
        if older is None:
            make_private_folder(self._folder)
            write_atomic(path, data)
        else:
            with contextlib.suppress(FileNotFoundError):
                os.replace(self._folder / older, path)
        for name in self._names()[KEPT_VERSIONS:]:
            (self._folder / name).unlink(missing_ok=True)

    def remove_leftovers(self) -> None:
        """Remove what processes left behind that were killed while they wrote here."""
        with contextlib.suppress(OSError):
            for temporary in self._folder.glob(".config-*.tmp"):
                temporary.unlink(missing_ok=True)

    def versions(self) -> list[Version]:
        """What is kept, newest first."""
        found = []
        for name in self._names():
            with contextlib.suppress(FileNotFoundError):
                found.append(Version(name.removesuffix(".json"), _time_in(name), (self._folder / name).stat().st_size))
        return found

    def read(self, version_id: str) -> bytes:
        """The bytes of a version; raises NotFound where there is none of that id."""
        # Only ids that were listed: an id comes from outside and must not lead out of the folder.
        if f"{version_id}.json" not in self._names():
            raise NotFound(f"the history has no version {version_id!r}", hint="switchboard config history")
        try:
            return (self._folder / f"{version_id}.json").read_bytes()
        except OSError as exc:
            raise NotFound(f"the version {version_id!r} cannot be read: {exc.strerror}") from exc

    def _names(self) -> list[str]:
        try:
            return sorted(filter(_is_version, os.listdir(self._folder)), reverse=True)
        except (FileNotFoundError, NotADirectoryError):
            return []


def _is_version(name: str) -> bool:
    try:
        return _NAME.fullmatch(name) is not None and bool(_time_in(name))
    except ValueError:
        return False


def _time_in(name: str) -> datetime:
    return datetime.strptime(name.split("-")[1], _TIME).replace(tzinfo=UTC)


def _digest_in(name: str) -> str:
    return name.removesuffix(".json").rpartition("-")[2]
