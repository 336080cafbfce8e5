"""From a server's config to what is started: the command's absolute path, its variables, its folder.

A server gets its own `env` and a small base, nothing else of ours.
"""

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.config.references import expand
from switchboard_tray.errors import ServerError
from switchboard_tray.paths import Paths

_BASE = (
    "HOME LOGNAME USER PATH SHELL TERM LANG LANGUAGE LC_ALL LC_CTYPE TZ TMPDIR TMP TEMP "
    "XDG_RUNTIME_DIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_STATE_HOME "
    "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS"
).split()
_WINDOWS_BASE = (
    "APPDATA LOCALAPPDATA PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) SYSTEMROOT SYSTEMDRIVE WINDIR COMSPEC PATHEXT "
    "USERPROFILE USERNAME HOMEDRIVE HOMEPATH NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE"
).split()
BUILTINS = ("demo",)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started: `argv[0]` is an absolute path."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str


def plan_launch(server: ServerConfig, environ: Mapping[str, str], paths: Paths) -> Launch:
    """How to start `server`. Raises `ServerError` where its command or its folder is not there."""
    env = {**base_environment(environ), **{key: _expanded(value, environ) for key, value in server.env.items()}}
    cwd = str(Path(server.cwd).expanduser()) if server.cwd else str(Path.home())
    if not os.path.isdir(cwd):
        raise ServerError(f"The folder {cwd} does not exist.", hint=f"Set cwd of server {server.name}.")
    if server.builtin is not None:
        return Launch(_builtin(server.builtin, paths), env, cwd)
    assert server.command is not None
    command = _expanded(server.command, environ)
    return Launch((find_command(command, env, cwd), *(_expanded(arg, environ) for arg in server.args)), env, cwd)


def base_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The variables every server gets."""
    names = [*_BASE, *_WINDOWS_BASE] if sys.platform == "win32" else _BASE
    return {**{name: environ[name] for name in names if name in environ}, "NO_COLOR": "1"}


def find_command(command: str, env: Mapping[str, str], cwd: str) -> str:
    """The absolute path of `command`. Raises `ServerError` that says where it was looked for."""
    if os.path.dirname(command):
        path = Path(cwd, os.path.expanduser(command))
        if path.is_file():
            return str(path)
        raise ServerError(f"There is no file {path}.", hint="Check the server's command.")
    searched = env.get("PATH", os.defpath)
    found = shutil.which(command, path=searched)
    if found is None:
        raise ServerError(
            f"The command {command} was not found.",
            hint=f"Install it, or give its full path. Searched: {searched}",
        )
    return os.path.abspath(found)


def _builtin(name: str, paths: Paths) -> tuple[str, ...]:
    if name not in BUILTINS:
        raise ServerError(f"There is no built-in server {name!r}.", hint=f"Built in: {', '.join(BUILTINS)}.")
    return (sys.executable, "-m", f"switchboard_tray.{name}", "--db", str(paths.demo))


def _expanded(value: str, environ: Mapping[str, str]) -> str:
    return expand(value, environ.get, lambda name: None)
