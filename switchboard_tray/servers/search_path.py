"""Where commands are looked for. A program started from a desktop has a poor PATH; a person's shell knows better.

The login shell is asked once, with a limit; well-known folders follow. Nothing else of its environment is taken.
"""

import asyncio
import contextlib
import logging
import os
import sys
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

log = logging.getLogger(__name__)

SHELL_TIMEOUT_S = 5.0
_MARK = "__switchboard_path__"
_SHELLS = frozenset({"sh", "bash", "zsh", "fish", "dash", "ksh"})
_FOLDERS = (
    "~/.local/bin ~/bin ~/.cargo/bin ~/.bun/bin ~/.deno/bin ~/.volta/bin ~/.asdf/shims ~/.local/share/mise/shims "
    "~/.pyenv/shims ~/.nodenv/shims ~/.rbenv/shims ~/.local/share/pnpm ~/Library/pnpm ~/.nix-profile/bin "
    "/opt/homebrew/bin /home/linuxbrew/.linuxbrew/bin /usr/local/bin /snap/bin /usr/bin /bin"
).split()
_WINDOWS_FOLDERS = (
    r"%APPDATA%\npm %LOCALAPPDATA%\pnpm %USERPROFILE%\.local\bin %USERPROFILE%\.cargo\bin %USERPROFILE%\.bun\bin "
    r"%USERPROFILE%\.deno\bin %LOCALAPPDATA%\Microsoft\WinGet\Links %LOCALAPPDATA%\Volta\bin"
).split()


async def find_search_path(environ: Mapping[str, str]) -> str:
    """The PATH for servers: ours, then what the login shell adds, then well-known folders that exist."""
    own = environ.get("PATH", os.defpath).split(os.pathsep)
    shell = await _ask_login_shell(_login_shell(environ), environ)
    return os.pathsep.join(_once([*own, *shell, *_well_known(environ)]))


def _once(folders: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(folder for folder in folders if folder))


def _well_known(environ: Mapping[str, str]) -> list[str]:
    if sys.platform == "win32":
        known = [_expand_windows(folder, environ) for folder in _WINDOWS_FOLDERS]
    else:
        # Without a home, folders below it would be looked for where we happen to be.
        home = environ.get("HOME")
        known = [folder.replace("~", home or "", 1) for folder in _FOLDERS if home or not folder.startswith("~")]
        known += [str(folder) for folder in _node_versions(Path(home))] if home else []
    return [folder for folder in known if os.path.isdir(folder)]


def _node_versions(home: Path) -> list[Path]:
    """The folders in which nvm and fnm keep each Node; the newest comes first."""
    patterns = (".nvm/versions/node/v*/bin", ".local/share/fnm/node-versions/v*/installation/bin")
    folders = [folder for pattern in patterns for folder in home.glob(pattern)]
    return sorted(folders, key=_version, reverse=True)


def _version(folder: Path) -> tuple[int, ...]:
    named = next((part for part in reversed(folder.parts) if part.startswith("v")), "v0")
    return tuple(int(number) for number in named[1:].split(".") if number.isdigit())


def _expand_windows(folder: str, environ: Mapping[str, str]) -> str:
    name = folder[1 : folder.index("%", 1)]
    return folder.replace(f"%{name}%", environ.get(name, ""))


def _login_shell(environ: Mapping[str, str]) -> str | None:
    """The user's shell, if it is one that can be asked."""
    shell = environ.get("SHELL", "")
    is_known = os.path.basename(shell) in _SHELLS and os.path.isfile(shell)
    return shell if is_known and sys.platform != "win32" else None


async def _ask_login_shell(shell: str | None, environ: Mapping[str, str]) -> list[str]:
    """The PATH of the user's login shell; nothing where it cannot be asked, or does not answer in time."""
    if shell is None:
        return []
    # A plain shell prints the variable with colons, also where the login shell has it as a list, as fish does. Into a
    # file: a pipe would stay open as long as anything lives that the shell's own files have started.
    command = f"/bin/sh -c 'echo; echo {_MARK}; echo \"$PATH\"; echo {_MARK}'"
    with tempfile.TemporaryFile() as said:
        try:
            process = await asyncio.create_subprocess_exec(
                shell,
                "-ilc",
                command,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=said,
                stderr=asyncio.subprocess.DEVNULL,
                env=dict(environ),
                start_new_session=True,
            )
        except OSError as exc:
            log.info("the login shell was not asked for its PATH: %s", exc)
            return []
        try:
            async with asyncio.timeout(SHELL_TIMEOUT_S):
                await process.wait()
        except TimeoutError:
            log.info("the login shell did not tell its PATH within %g s", SHELL_TIMEOUT_S)
        finally:
            if process.returncode is None:
                _end_group(process.pid)
                await process.wait()
        said.seek(0)
        return _read_path(said.read().decode(errors="replace"))


def _end_group(pid: int) -> None:
    import signal

    if sys.platform != "win32":
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)


def _read_path(said: str) -> list[str]:
    """PATH between the marks: what the shell's own files print stands outside of them."""
    parts = said.split(f"\n{_MARK}\n")
    return parts[1].split(os.pathsep) if len(parts) > 2 else []
