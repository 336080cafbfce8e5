"""Looks for what keeps Switchboard from working on this machine. A check is a value; nothing is changed.

Does not speak to the gateway itself: whoever asks says whether it answers.
"""

import asyncio
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from switchboard_tray.config.model import DEFAULT_PORT, Config, ServerConfig
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import ConfigError, GatewayError, NotFound, ServerError, SwitchboardError
from switchboard_tray.paths import Paths

PYTHONS = ((3, 11), (3, 14))

State = Literal["ok", "warning", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """What was looked at, how it is, and what to do about it."""

    name: str
    state: State
    message: str
    hint: str = ""


def examine(paths: Paths, environ: Mapping[str, str], find_gateway: Callable[[], str]) -> list[Check]:
    """All checks, in the order in which they matter. `find_gateway` gives its address or raises `GatewayError`."""
    config, config_checks = check_config(paths)
    return [
        check_python(sys.version_info[:3]),
        *check_folders(paths),
        *check_permissions(paths),
        *config_checks,
        check_gateway(config.settings.port if config else DEFAULT_PORT, find_gateway),
        check_search_path(environ),
        check_code(),
        *(check_server(server, environ, paths) for server in (config.servers.values() if config else ())),
    ]


def check_python(version: tuple[int, ...]) -> Check:
    """Whether this Python is one that Switchboard is tested on."""
    found = ".".join(map(str, version))
    if PYTHONS[0] <= version[:2] <= PYTHONS[1]:
        return Check("python", "ok", f"{found}, {sys.executable}")
    oldest, newest = (".".join(map(str, one)) for one in PYTHONS)
    return Check("python", "warning", f"This is Python {found}.", f"Switchboard is tested on {oldest} to {newest}.")


def check_code() -> Check:
    """Whether code of models can be run, found out by running some, and what holds it."""
    from switchboard_tray.sandbox.check import check_sandbox

    found = asyncio.run(check_sandbox())
    if found.fault:
        hint = "The surface code does not work; reinstall Switchboard, or use another surface."
        return Check("code", "problem", f"Code cannot be run: {found.fault}.", hint)
    held = f"it runs, and is held by: {', '.join(found.protections) or 'its own limits alone'}"
    escapes = [name for name, is_refused in found.refused.items() if not is_refused]
    if escapes:
        hint = "Run only code that you would run yourself, or use another surface."
        return Check("code", "warning", f"Code that breaks the engine could {' and '.join(escapes)}; {held}.", hint)
    return Check("code", "ok", f"{held}; tried and refused: {', '.join(found.refused)}")


def check_folders(paths: Paths) -> Iterator[Check]:
    """Whether our folders can be written, or made where they are missing."""
    folders = dict.fromkeys((paths.config.parent, paths.catalog.parent, paths.state, paths.logs))
    for folder in folders:
        there = next(one for one in (folder, *folder.parents) if one.exists())
        if not there.is_dir():
            yield Check("folder", "problem", f"{there} is not a folder.", "Move that file away.")
        elif not os.access(there, os.W_OK | os.X_OK):
            yield Check("folder", "problem", f"{there} cannot be written.", "Make it yours, or set SWITCHBOARD_HOME.")
        else:
            yield Check("folder", "ok", str(folder))


def check_permissions(paths: Paths) -> Iterator[Check]:
    """Whether our files can be read, and by this user alone. Windows has no such bits."""
    folders = {paths.state, paths.logs, paths.history}
    for path in (paths.config, paths.state, paths.history, paths.logs, paths.admin_token, paths.audit, paths.catalog):
        if not path.exists():
            continue
        if not os.access(path, os.R_OK):
            yield Check("file", "problem", f"{path} cannot be read.", "Make it yours.")
        elif os.name == "posix" and path.stat().st_mode & 0o077:
            wanted = "700" if path in folders else "600"
            found = f"{path} is open to other users (mode {path.stat().st_mode & 0o777:o})."
            yield Check("file", "warning", found, f"chmod {wanted} {path}")
        else:
            yield Check("file", "ok", str(path))


def check_config(paths: Paths) -> tuple[Config | None, list[Check]]:
    """The config in force, if there is one, and what is to be said about its file."""
    from switchboard_tray.stores.config import ConfigStore

    try:
        loaded = ConfigStore(paths).load()
    except NotFound:
        return None, [Check("config", "ok", f"There is no {paths.config} yet.", "The first start makes one.")]
    except InvalidConfig as exc:
        return None, [_config_check(fault, "problem") for fault in exc.faults]
    except SwitchboardError as exc:
        return None, [Check("config", "problem", exc.message, exc.hint)]
    checks = [_config_check(fault, "problem") for fault in loaded.problems]
    checks += [_config_check(fault, "warning") for fault in loaded.warnings]
    return loaded.config, checks or [Check("config", "ok", str(paths.config))]


def check_gateway(port: int, find_gateway: Callable[[], str]) -> Check:
    """Whether our gateway has the port, or nobody, or who else."""
    try:
        return Check("gateway", "ok", f"It runs at {find_gateway()}.")
    except GatewayError as exc:
        fault = exc
    # Imports psutil, which the rest of the command line does without.
    from switchboard_tray.wire.listen import listen

    try:
        sockets = listen(port)
    except (GatewayError, OSError) as exc:
        hint = exc.hint if isinstance(exc, GatewayError) else fault.hint
        return Check("gateway", "problem", str(exc), hint)
    for socket in sockets:
        socket.close()
    return Check("gateway", "ok", f"It is not running; port {port} is free.", "Start it with: switchboard serve")


def check_search_path(environ: Mapping[str, str]) -> Check:
    """Where commands are searched, and which of these folders are not there."""
    folders = environ.get("PATH", os.defpath).split(os.pathsep)
    missing = [folder for folder in folders if folder and not Path(folder).is_dir()]
    hint = f"Not there: {', '.join(missing)}" if missing else ""
    return Check("PATH", "ok", os.pathsep.join(folders), hint)


def check_server(server: ServerConfig, environ: Mapping[str, str], paths: Paths) -> Check:
    """Whether what starts `server` is there."""
    name = f"server {server.name}"
    if not server.enabled:
        return Check(name, "ok", "It is disabled.")
    if server.url is not None:
        return Check(name, "warning", "Remote servers are not in force in this version.")
    try:
        return Check(name, "ok", find_program(server, environ, paths))
    except (ServerError, ConfigError) as exc:
        return Check(name, "problem", exc.message, exc.hint)


def find_program(server: ServerConfig, environ: Mapping[str, str], paths: Paths) -> str:
    """The absolute path of what starts `server`.

    Raises `ServerError` where its command or its folder is not there, `ConfigError` where a variable is not set.
    """
    from switchboard_tray.servers.environment import plan_launch
    from switchboard_tray.servers.search_path import find_search_path
    from switchboard_tray.stores.secrets import SecretStore

    # As the gateway searches, which may know more folders than the terminal.
    environ = {**environ, "PATH": asyncio.run(find_search_path(environ))}
    return plan_launch(server, environ, paths, SecretStore(paths.secrets).get).argv[0]


def _config_check(problem: Problem, state: State) -> Check:
    place = "" if problem.line is None else f"{problem.line}:{problem.column}: "
    pointer = f"{problem.pointer}: " if problem.pointer else ""
    return Check("config", state, f"{place}{pointer}{problem.message}", problem.hint)
