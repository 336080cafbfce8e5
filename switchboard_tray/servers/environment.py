"""From a server's config to what is started: the command's absolute path, its variables, its folder.

A server gets its own `env` and a small base, nothing else of ours.
"""

import asyncio
import os
import re
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.config.references import expand
from switchboard_tray.errors import ServerError, SwitchboardError
from switchboard_tray.paths import Paths
from switchboard_tray.redact import redact, spellings
from switchboard_tray.servers.search_path import find_search_path

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
_SECRET_KEY = re.compile("TOKEN|SECRET|PASS|KEY|CREDENTIAL|AUTH", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Launch:
    """What is started: `argv[0]` is an absolute path."""

    argv: tuple[str, ...]
    env: Mapping[str, str]
    cwd: str
    hidden: tuple[str, ...] = ()
    """Values that must not be shown wherever the server repeats them."""


class Launcher:
    """Plans launches. Reads the search path once, when the first server needs it."""

    def __init__(self, environ: Mapping[str, str], paths: Paths, secret: Callable[[str], str | None]) -> None:
        self._environ, self._paths, self._secret = environ, paths, secret
        self._reading: asyncio.Task[str] | None = None

    async def close(self) -> None:
        """Stop reading the search path, if that is not done yet."""
        if self._reading is not None:
            self._reading.cancel()
            await asyncio.wait([self._reading])

    async def plan(self, server: ServerConfig) -> Launch:
        """How to start `server`. Raises `ServerError` where its command, its folder or a value is not there."""
        if self._reading is None:
            self._reading = asyncio.get_running_loop().create_task(find_search_path(self._environ))
        environ = {**self._environ, "PATH": await asyncio.shield(self._reading)}
        try:
            return plan_launch(server, environ, self._paths, self._secret)
        except ServerError:
            raise
        except SwitchboardError as fault:
            # A value that refers to nothing, or secrets that cannot be read.
            raise ServerError(f"Server {server.name} cannot be started: {fault}", hint=fault.hint) from fault


def plan_launch(
    server: ServerConfig, environ: Mapping[str, str], paths: Paths, secret: Callable[[str], str | None]
) -> Launch:
    """How to start `server` in these surroundings.

    Raises `ServerError` where its command or its folder is not there, `ConfigError` where a value refers to nothing.
    """
    used: list[str] = []

    def look_up_secret(name: str) -> str | None:
        value = secret(name)
        used.extend([value] if value else [])
        return value

    def expanded(value: str) -> str:
        return expand(value, environ.get, look_up_secret)

    own = {key: expanded(value) for key, value in server.env.items()}
    used += [value for key, value in own.items() if _SECRET_KEY.search(key)]
    env = {**base_environment(environ), **own}
    cwd = os.path.expanduser(expanded(server.cwd or "~"))
    words = [expanded(word) for word in (*([server.command] if server.command else ()), *server.args)]
    hidden = tuple(dict.fromkeys(used))
    try:
        return Launch(_argv(server, words, env, cwd, paths), env, cwd, hidden)
    except ServerError as fault:
        spelled = spellings(hidden)
        raise ServerError(redact(str(fault), spelled), hint=redact(fault.hint, spelled)) from None


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


def _argv(server: ServerConfig, words: list[str], env: Mapping[str, str], cwd: str, paths: Paths) -> tuple[str, ...]:
    if not os.path.isdir(cwd):
        raise ServerError(f"The folder {cwd} does not exist.", hint=f"Set cwd of server {server.name}.")
    if server.builtin is not None:
        return _builtin(server.builtin, paths)
    if server.command is None:
        raise ServerError(f"Server {server.name} is a remote one, which is not in force in this version.")
    return (find_command(words[0], env, cwd), *words[1:])


def _builtin(name: str, paths: Paths) -> tuple[str, ...]:
    if name not in BUILTINS:
        raise ServerError(f"There is no built-in server {name!r}.", hint=f"Built in: {', '.join(BUILTINS)}.")
    return (sys.executable, "-m", f"switchboard_tray.{name}", "--db", str(paths.demo))

