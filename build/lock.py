"""Makes `build/locks/` from pyproject.toml: `python3 build/lock.py` keeps versions that fit, `--upgrade` does not.

Each lock names every package with the hashes of all its files, for Python 3.11 to 3.14 on Linux, macOS and Windows, and
no index: which one is asked is the business of the person who installs. Does not install anything into `.venv/`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from build.environment import ROOT, SetupError, check_python

# What each lock is solved from, in the words of `uv pip compile`.
_SOURCES = {
    "runtime": ("pyproject.toml",),
    "build": ("--group", "pyproject.toml:build"),
    "test": ("--group", "pyproject.toml:test"),
}
# Environments of their own, which may need other versions: other people's servers and clients, the older engine.
_ALONE = {"clients": "tests/clients/requirements.in", "engines": "tests/engines/requirements.in"}
_HEAD = "# Made from {source} by `python3 build/lock.py`; not edited by hand.\n"
_LOCKS = ROOT / "build" / "locks"
# Lines by which a lock would name a host.
_INDEX_OPTIONS = ("-i ", "-f ", "--index-url", "--extra-index-url", "--find-links", "--trusted-host", "--default-index")


def main(arguments: list[str]) -> int:
    """Write the locks; the exit code is 1 when no set of versions fits or no index answers."""
    parser = argparse.ArgumentParser(description="Make build/locks/ from pyproject.toml.")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    options = parser.parse_args(arguments)
    try:
        check_python(sys.version_info[:2])
        with tempfile.TemporaryDirectory() as folder:
            _write_locks(_install_uv(Path(folder) / "venv"), Path(folder), keep=not options.upgrade)
    except SetupError as exc:
        print(f"lock: {exc}", file=sys.stderr)
        return 1
    except subprocess.CalledProcessError as exc:
        print(f"lock: {exc.cmd[0]} ended with {exc.returncode}: its reason stands above", file=sys.stderr)
        return 1
    return 0


def _install_uv(folder: Path) -> str:
    venv.create(folder, with_pip=True)
    binaries = folder / ("Scripts" if os.name == "nt" else "bin")
    subprocess.run([str(binaries / "python"), "-m", "pip", "install", "--quiet", "uv"], check=True)
    return str(binaries / "uv")


def _write_locks(uv: str, folder: Path, *, keep: bool) -> None:
    # Solved together first: one by one, a package that two locks share could get two versions.
    together = folder / "together.txt"
    if keep:
        # uv prefers the versions that its output file already names.
        known = [_lock(name) for name in _SOURCES if _lock(name).exists()]
        together.write_text("".join(lock.read_text("utf-8") for lock in known), "utf-8")
    _compile(uv, together, [word for source in _SOURCES.values() for word in source])
    for name, source in _SOURCES.items():
        lock = folder / f"{name}.txt"
        _compile(uv, lock, [*source, "--constraint", str(together)])
        _write(lock, "pyproject.toml")
    for name, requirements in _ALONE.items():
        lock = folder / f"{name}.txt"
        if keep and _lock(name).exists():
            lock.write_bytes(_lock(name).read_bytes())
        _compile(uv, lock, [requirements])
        _write(lock, requirements)


def _lock(name: str) -> Path:
    return _LOCKS / f"{name}.txt"


def _write(made: Path, source: str) -> None:
    lines = made.read_text("utf-8").splitlines(keepends=True)
    lines = [line for line in lines if not line.startswith(_INDEX_OPTIONS)]
    (_LOCKS / made.name).write_text(_HEAD.format(source=source) + "".join(lines), "utf-8", newline="\n")
    print(f"build/locks/{made.name}: {sum('==' in line for line in lines)} packages")


def _compile(uv: str, output: Path, sources: list[str]) -> None:
    shape = ["--universal", "--python-version", "3.11", "--generate-hashes", "--no-header", "--no-annotate"]
    quiet = ["--quiet", "--no-config", "--no-python-downloads", "--python", sys.executable]
    subprocess.run([uv, "pip", "compile", *shape, *quiet, "--output-file", str(output), *sources], check=True, cwd=ROOT)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
