"""The project's own `.venv/`: made, refreshed and healed for the commands in this folder.

Standard library only, and readable by Python 3.7, so that a Python that is too old gets a sentence instead of a syntax
error. Does not choose versions: those stand in `build/locks/`.
"""

from __future__ import annotations

import enum
import hashlib
import importlib.machinery
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

ROOT = Path(__file__).resolve().parent.parent
RUN_LOCKS = ("runtime", "build")
TEST_LOCKS = (*RUN_LOCKS, "test")

_OLDEST = (3, 11)
_NEWEST = (3, 14)
_VENV = ROOT / ".venv"
_STAMP = _VENV / "installed.json"
_SETUP_LOCK = ROOT / ".venv.lock"
_LOCK_RETRY_S = 0.2
# What pip, or npm, prints when no package index answers.
_SIGNS_OF_NO_NETWORK = (
    "NameResolutionError",
    "NewConnectionError",
    "ConnectTimeoutError",
    "ReadTimeoutError",
    "ProxyError",
    "Connection refused",
    "Network is unreachable",
    "code EAI_AGAIN",
    "code ECONNREFUSED",
    "code ECONNRESET",
    "code ENETUNREACH",
    "code ENOTFOUND",
    "code ETIMEDOUT",
    "code FETCH_ERROR",
)


class SetupError(Exception):
    """The environment could not be made; the text says why and what to do next."""


class Unavailable(SetupError):
    """What it is made from is not to be had here and now; nothing in the project is at fault."""


@dataclass(frozen=True)
class Stamp:
    """What an environment was made from: the Python and place, and the SHA-256 of each lock and of pyproject.toml."""

    identity: str
    locks: Mapping[str, str]
    project: str


class Step(enum.Enum):
    """What has to be done before an environment can be used."""

    NOTHING = "nothing"
    REFRESH = "refresh"
    MAKE_ANEW = "make anew"


def prepare(locks: tuple[str, ...]) -> Path:
    """The Python of a `.venv/` in which `locks` and the project are installed.

    Made or refreshed first where needed, which takes about half a minute and the network. Raises SetupError.
    """
    check_python(sys.version_info[:2])
    wanted = _wanted_stamp(locks)
    if next_step(_read_stamp(), wanted) is not Step.NOTHING:
        with only_one_setup():
            # Read again: whoever held the lock may have done the work.
            found = _read_stamp()
            _set_up(next_step(found, wanted), found, wanted)
    return venv_python(_VENV)


def prepare_alone(lock: str) -> Path:
    """The Python of `.venv-LOCK/`, an environment that has that lock and nothing of ours.

    Made first where it is missing or its lock changed. Raises Unavailable, SetupError.
    """
    venv = ROOT / f".venv-{lock}"
    wanted = f"{sys.version_info[:2]} {venv} {digest(lock_file(lock))}"
    stamp = venv / "installed"
    if read_text(stamp) != wanted:
        with only_one_setup():
            # Read again: whoever held the lock may have done the work.
            if read_text(stamp) != wanted:
                print(f"setting up {venv.name} (once for each change of its lock) ...", file=sys.stderr, flush=True)
                make_venv(venv)
                install_locks(venv_python(venv), [lock])
                stamp.write_text(wanted, "utf-8")
    return venv_python(venv)


def read_text(path: Path) -> str | None:
    """What a file says; None where there is none."""
    try:
        return path.read_text("utf-8")
    except OSError:
        return None


def check_python(version: tuple[int, int]) -> None:
    """Refuse a Python that the project does not run on; raises SetupError."""
    if not _OLDEST <= version <= _NEWEST:
        have, oldest, newest = (f"{major}.{minor}" for major, minor in (version, _OLDEST, _NEWEST))
        raise SetupError(
            f"this is Python {have}, Switchboard needs {oldest} to {newest}: install one of these and start the "
            f"command with it, for example python{newest} {' '.join(sys.argv[:1])}"
        )


def next_step(found: Stamp | None, wanted: Stamp) -> Step:
    """What turns the environment that `found` describes into the wanted one.

    No stamp means that no set-up came to its end, so nothing in the folder is trusted. A lock that changed means the
    same: pip would leave packages behind that the lock no longer names.
    """
    if found is None or found.identity != wanted.identity:
        return Step.MAKE_ANEW
    if any(found.locks.get(name, digest) != digest for name, digest in wanted.locks.items()):
        return Step.MAKE_ANEW
    if found.project != wanted.project or not wanted.locks.keys() <= found.locks.keys():
        return Step.REFRESH
    return Step.NOTHING


def _wanted_stamp(locks: tuple[str, ...]) -> Stamp:
    # The suffix names implementation, minor version, build and machine. The place matters because a copied .venv still
    # points at the source it was made for.
    identity = f"{importlib.machinery.EXTENSION_SUFFIXES[0]} {_VENV}"
    digests = {name: digest(lock_file(name)) for name in locks}
    return Stamp(identity, digests, digest(ROOT / "pyproject.toml"))


def digest(path: Path) -> str:
    """The SHA-256 of a text file."""
    # Line ends differ between checkouts of one commit.
    return hashlib.sha256(path.read_bytes().replace(b"\r\n", b"\n")).hexdigest()


def lock_file(name: str) -> Path:
    """Where the lock of that name is."""
    return ROOT / "build" / "locks" / f"{name}.txt"


def _read_stamp() -> Stamp | None:
    try:
        stamp = Stamp(**json.loads(_STAMP.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None
    return stamp if _base_python_exists() else None


def _base_python_exists() -> bool:
    # An upgrade of the system can remove the Python below: a dead link on POSIX, a launcher without aim on Windows.
    config = _VENV / "pyvenv.cfg"
    lines = config.read_text("utf-8").splitlines() if config.exists() else []
    keys_and_values = (line.partition("=") for line in lines)
    homes = [value.strip() for key, _, value in keys_and_values if key.strip() == "home"]
    return venv_python(_VENV).exists() and all(Path(home).is_dir() for home in homes)


def venv_python(folder: Path) -> Path:
    """The Python of the virtual environment in `folder`."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def _set_up(step: Step, found: Stamp | None, wanted: Stamp) -> None:
    if step is Step.NOTHING:
        return
    print("setting up .venv (half a minute, once for each change of build/locks) ...", file=sys.stderr, flush=True)
    try:
        if step is Step.MAKE_ANEW or found is None:
            make_venv(_VENV)
            kept: Mapping[str, str] = {}
        else:
            # From here to the new stamp the environment is half-done, and without a stamp the next run knows.
            _STAMP.unlink()
            kept = found.locks
        install_locks(venv_python(_VENV), wanted.locks)
        _install_project(venv_python(_VENV))
        _write_stamp(Stamp(wanted.identity, {**kept, **wanted.locks}, wanted.project))
    except OSError as exc:
        raise SetupError(f"cannot write .venv ({exc}): end what uses it, delete it, then run this again") from exc


def make_venv(folder: Path) -> None:
    """Make an empty virtual environment in `folder`, in place of what is there. Raises SetupError."""
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        package = f"python{sys.version_info[0]}.{sys.version_info[1]}-venv"
        raise SetupError(
            f"this Python comes without its venv module: install the package {package} "
            f"(Debian, Ubuntu: sudo apt install {package}), then run this again"
        )
    # The Python below, because .venv's own may be the one that runs this.
    python = getattr(sys, "_base_executable", None) or sys.executable
    if folder.exists():
        shutil.rmtree(folder)
    run([python, "-I", "-m", "venv", str(folder)], f"make {folder.name}")


def install_locks(python: Path, locks: Iterable[str]) -> None:
    """Install the packages of `locks` for `python`. Raises SetupError."""
    files = [option for name in locks for option in ("--requirement", str(lock_file(name)))]
    run([*_pip_install(python), "--retries", "2", "--require-hashes", *files], "install build/locks")


def _install_project(python: Path) -> None:
    offline = ["--no-index", "--no-deps", "--no-build-isolation"]
    run([*_pip_install(python), *offline, "--editable", str(ROOT)], "install the project")


def _pip_install(python: Path) -> list[str]:
    return [str(python), "-I", "-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"]


def run(command: list[str], purpose: str, folder: Path = ROOT) -> None:
    """Run a command of the set-up in `folder`. Raises SetupError where it fails, Unavailable for want of a network."""
    # Some people set PIP_USER for all of pip; inside a virtual environment it is an error.
    environment = {**os.environ, "PIP_USER": "0"}
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        env=environment,
        cwd=folder,
    )
    if done.returncode == 0:
        return
    if any(sign in done.stdout for sign in _SIGNS_OF_NO_NETWORK):
        raise Unavailable("no package index answers: check the network and its proxy settings, then run this again")
    print(done.stdout.strip(), file=sys.stderr)
    raise SetupError(f"could not {purpose} (exit code {done.returncode}): mend what is said above, then run this again")


def _write_stamp(stamp: Stamp) -> None:
    beside = _STAMP.with_suffix(".new")
    beside.write_text(json.dumps(asdict(stamp), indent=2), "utf-8")
    os.replace(beside, _STAMP)


@contextmanager
def only_one_setup() -> Iterator[None]:
    """Wait until no other set-up of this project is under way, and keep others out."""
    # The system lets go of the lock when its holder dies. The file stays: deleting it would let two holders in.
    with _SETUP_LOCK.open("ab") as file:
        if not _try_lock(file):
            print("waiting for another set-up of .venv ...", file=sys.stderr, flush=True)
            while not _try_lock(file):
                time.sleep(_LOCK_RETRY_S)
        yield


if sys.platform == "win32":
    import msvcrt

    def _try_lock(file: BinaryIO) -> bool:
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def _try_lock(file: BinaryIO) -> bool:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
