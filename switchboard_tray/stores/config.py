"""config.json: loaded, watched, and edited by many (a person's editor, CLI, window) without losing anyone's words.

The only writer of the file. Each edit takes a lock between processes, works on the document as it is at that moment,
and replaces the file in one step; a process that dies leaves the old file or the new one. What a hand broke is never
written over. Knows no server and no profile: those are `config.edit`.
"""

import contextlib
import copy
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from switchboard_tray.config.first import first_document
from switchboard_tray.config.model import Config
from switchboard_tray.config.problems import BrokenFile, InvalidConfig, Problem
from switchboard_tray.errors import ConfigConflict, NotFound, Refused, SwitchboardError
from switchboard_tray.jsonfile import digest, make_private_folder, remove_leftovers, render, write_atomic
from switchboard_tray.paths import Paths
from switchboard_tray.stores.config_file import ABSENT, ConfigFile, Look, Stamp, read_config
from switchboard_tray.stores.history import History, Version

LOCK_WAIT_S = 10.0
_ATTEMPTS = 10
# The coarsest clock of a file system in use (FAT). A younger file may have changed without a trace in its stat.
_TRUSTED_AGE_NS = 2_000_000_000
_MEND = "Mend the file, or take back the edit: switchboard config restore"

Edit = Callable[[dict[str, Any]], dict[str, Any]]
Check = Callable[[Config], Sequence[Problem]]
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Loaded:
    """The config in force, and what is to be said about the file.

    `document` and `etag` belong to `config`. `problems` are those of the file on disk: while there are any, `config`
    is the last good one. `is_writable` is False then, and where a newer version of ours wrote the file.
    """

    config: Config
    document: Mapping[str, Any]
    etag: str
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    is_writable: bool = True


class _Moved(Exception):
    """Somebody else wrote the file since the look that an edit is based on."""


class ConfigStore:
    """The config of these `paths`. Its methods may be called from any thread."""

    def __init__(self, paths: Paths, *, lock_wait_s: float = LOCK_WAIT_S) -> None:
        self._paths = paths
        self._lock_wait_s = lock_wait_s
        self._file = ConfigFile(paths.config)
        self._history = History(paths.history)
        self._guard = threading.Lock()
        self._current: Loaded | None = None
        self._shown = ""
        self._suspect = ""
        self._stamp: Stamp | None = None

    @property
    def current(self) -> Loaded:
        """What was taken into force last, without a look at the file; `load` at its first use."""
        return self._current or self.load()

    def load(self) -> Loaded:
        """Read the file. Where it is broken, the last good config stays, or the newest valid one of the history.

        Migrates an older format and keeps the old file. Raises NotFound where there is no file yet, and InvalidConfig
        where it is broken and nothing good is at hand.
        """
        look = self._file.settled_look()
        if look.identity == ABSENT and self._current is None:
            raise NotFound(f"there is no {self._paths.config} yet", hint="switchboard makes one at its first start")
        with self._guard:
            loaded = self._publish(look)
        return self._migrated(look) or loaded

    def create_first(self) -> Loaded:
        """Write the config of a first start, or load the file where there is one."""

        def create() -> Loaded | None:
            look = self._file.settled_look()
            return self._write(render(first_document()), look) if look.identity == ABSENT else None

        return self._alone(create) or self.load()

    def modify(self, edit: Edit, *, if_match: str | None = None, check: Check | None = None) -> Loaded:
        """Apply `edit` to the document as it is on disk now, and write the outcome if it is valid and new.

        `edit` gets a copy and may run more than once; `check` may find further problems. `if_match` is the ETag that
        the edit is based on. Where there is no file yet, the edit is of a first config. Raises InvalidConfig where the
        file or the outcome is broken, ConfigConflict for another ETag, Refused where the file is read-only or the lock
        is not free within 10 s; then nothing is written.
        """
        return self._alone(lambda: self._modified(edit, if_match, check))

    def poll(self) -> Loaded | None:
        """What is new since the last look, None where nothing is. Costs a stat; call it about once a second.

        A fault is believed when two polls in a row see the same one, since an editor may be half-way through writing.
        """
        if self._current is None:
            return self.load()
        with self._guard:
            stamp = self._file.stamp()
            if stamp is not None and stamp == self._stamp:
                return None
            look = self._file.look()
            if look.identity == self._shown:
                is_trusted = look.stamp is not None and time.time_ns() - look.stamp[0] > _TRUSTED_AGE_NS
                self._stamp = look.stamp if is_trusted else None
                self._suspect = ""
                return None
            if not look.is_good and look.identity != self._suspect:
                self._suspect = look.identity
                return None
            loaded = self._publish(look)
        return self._migrated(look) or loaded

    def history(self) -> list[Version]:
        """The last ten versions that were in force, newest first; the newest is usually the present one."""
        return self._history.versions()

    def restore(self, version_id: str | None = None) -> Loaded:
        """Put a version of the history back, or the newest valid one that differs from the file.

        A broken file is kept as ``config.broken.json``, a good one in the history. Raises NotFound where there is no
        such version, InvalidConfig where it is not valid.
        """
        return self._alone(lambda: self._restored(version_id))

    def _modified(self, edit: Edit, if_match: str | None, check: Check | None) -> Loaded:
        look = self._file.settled_look()
        if look.identity == ABSENT and self._current is None and if_match is None:
            before = first_document()
        elif not look.is_good:
            raise self._broken(look)
        elif look.reading.is_newer:
            raise Refused(f"a newer Switchboard wrote {self._paths.config}", hint="Update this one to edit it.")
        elif if_match is not None and if_match != look.identity:
            raise ConfigConflict("the config changed since it was read", hint="Read it again, then edit.")
        else:
            before = look.reading.document
        data = render(edit(copy.deepcopy(before)))
        if look.is_good and not look.reading.is_older and data == render(before):
            with self._guard:
                return self._publish(look)
        _refuse_faults(data, check)
        return self._write(data, look)

    def _restored(self, version_id: str | None) -> Loaded:
        look = self._file.settled_look()
        if look.data is None and look.identity != ABSENT:
            raise self._broken(look)
        data = self._version_bytes(version_id, look)
        if look.data is not None and not look.is_good:
            with _writing(self._paths.config):
                write_atomic(self._paths.config.with_name("config.broken.json"), look.data)
        return self._write(data, look)

    def _write(self, data: bytes, base: Look) -> Loaded:
        """Replace the file by `data` if it is still as in `base`, which goes into the history where it is good."""

        def stop_if_moved() -> None:
            # No file system replaces a file only if it is still the same, so microseconds are left to chance.
            if self._file.read() != base.data:
                raise _Moved

        with self._guard:
            with _writing(self._paths.config):
                if base.data is not None and base.is_good:
                    self._history.keep(base.data)
                write_atomic(self._paths.config, data, before_replace=stop_if_moved)
            return self._publish(Look(digest(data), data, read_config(data)))

    def _publish(self, look: Look) -> Loaded:
        """Make `look` the current state; the guard is held. Keeps a good file in the history."""
        reading = look.reading
        if reading.config is not None and look.data is not None:
            is_writable = not reading.is_newer
            loaded = Loaded(reading.config, reading.document, look.identity, (), reading.warnings, is_writable)
            with contextlib.suppress(OSError):
                self._history.keep(look.data)
        elif self._current is not None:
            loaded = replace(self._current, problems=reading.problems, is_writable=False)
        else:
            loaded = self._last_good(look)
        self._current, self._shown, self._suspect, self._stamp = loaded, look.identity, "", None
        return loaded

    def _last_good(self, look: Look) -> Loaded:
        for version in self._history.versions():
            with contextlib.suppress(NotFound):
                data = self._history.read(version.id)
                reading = read_config(data)
                if reading.config is not None:
                    in_force = f"the version of {version.saved_at:%Y-%m-%d %H:%M:%S} UTC from the history is in force"
                    problems = (*look.reading.problems, Problem("", in_force, _MEND))
                    return Loaded(reading.config, reading.document, digest(data), problems, reading.warnings, False)
        raise self._broken(look)

    def _migrated(self, look: Look) -> Loaded | None:
        """Write an older file in the current format; None where it is current, or cannot be written now."""
        if look.is_good and look.reading.is_older:
            with contextlib.suppress(SwitchboardError):
                return self.modify(lambda document: document)
        return None

    def _version_bytes(self, version_id: str | None, look: Look) -> bytes:
        if version_id is not None:
            data = self._history.read(version_id)
            reading = read_config(data)
            if reading.config is None or reading.is_newer:
                raise InvalidConfig(f"the version {version_id} is not valid", reading.problems or reading.warnings)
            return render(reading.document) if reading.is_older else data
        for version in self._history.versions():
            with contextlib.suppress(InvalidConfig, NotFound):
                data = self._version_bytes(version.id, look)
                if data != look.data:
                    return data
        raise NotFound("the history has no other valid version", hint="switchboard config history")

    def _broken(self, look: Look) -> BrokenFile:
        first = look.reading.problems[0]
        return BrokenFile(f"{self._paths.config} is broken: {first}", look.reading.problems, hint=_MEND)

    def _alone(self, action: Callable[[], _Result]) -> _Result:
        """The result of `action`, with other processes and threads kept from editing; again where a hand came first."""
        with self._locked():
            for _ in range(_ATTEMPTS):
                with contextlib.suppress(_Moved):
                    return action()
        raise ConfigConflict(f"{self._paths.config} changes all the time", hint="Try again in a moment.")

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        # Costs 50 ms that a command which only reads need not pay.
        from filelock import FileLock, Timeout

        with _writing(self._paths.config_lock):
            make_private_folder(self._paths.config_lock.parent)
            lock = FileLock(self._paths.config_lock, timeout=self._lock_wait_s, mode=0o600, poll_interval=0.02)
            try:
                lock.acquire()
            except Timeout as exc:
                message = f"another process has been editing the config for {self._lock_wait_s:.0f} s"
                raise Refused(message, hint="Try again; if it stays so: switchboard doctor") from exc
        try:
            # Left behind by processes that were killed while they wrote.
            remove_leftovers(self._paths.config)
            self._history.remove_leftovers()
            yield
        finally:
            lock.release()


def _refuse_faults(data: bytes, check: Check | None) -> None:
    """Raise InvalidConfig unless `data` reads back as a config that this version may write."""
    reading = read_config(data)
    faults = list(reading.problems)
    if reading.is_newer:
        faults.append(Problem("/version", "this Switchboard writes no newer format"))
    if reading.config is not None and check is not None:
        faults += check(reading.config)
    if faults:
        # The lines are those of a file that nobody will ever see.
        unplaced = [replace(fault, line=None, column=None) for fault in faults]
        raise InvalidConfig("the config would not be valid, so nothing was changed", unplaced)


@contextlib.contextmanager
def _writing(path: os.PathLike[str]) -> Iterator[None]:
    try:
        yield
    except OSError as exc:
        raise SwitchboardError(f"cannot write {path}: {exc.strerror or exc}") from exc
