"""The one way to edit the config: a function from document to document, applied by the gateway or, without one, here.

An edit is in force when `apply_edit` returns. Knows no server and no profile: edits are made of `config.edit`.
"""

import time
from collections.abc import Callable, Iterable
from typing import Any

from switchboard_tray.admin.client import AdminClient, problem_from, running_gateway
from switchboard_tray.cli.output import warn
from switchboard_tray.cli.reading import broken_config, load_config
from switchboard_tray.config.edit import difference
from switchboard_tray.config.problems import BrokenFile, InvalidConfig, Problem
from switchboard_tray.errors import ConfigConflict, SwitchboardError
from switchboard_tray.paths import Paths
from switchboard_tray.stores.config import ConfigStore

Document = dict[str, Any]
Edit = Callable[[Document], Document]

ATTEMPTS = 20
BETWEEN_ATTEMPTS_S = 0.25
"""The gateway looks at the file once a second, and believes a change by hand at the second look."""
IN_FORCE_WAIT_S = 10.0


def apply_edit(paths: Paths, edit: Edit) -> None:
    """Apply `edit`, and print what it newly gives reason to warn of.

    Raises InvalidConfig where the file is broken, SwitchboardError where the outcome would be, and what `edit` raises;
    then nothing is written.
    """
    client = running_gateway(paths)
    before, after = _edit_here(paths, edit) if client is None else _edit_there(client, edit)
    known = {(problem.pointer, problem.message) for problem in before}
    for problem in after:
        if (problem.pointer, problem.message) not in known:
            warn(f"{problem.pointer}: {problem.message}", problem.hint)


def restore(paths: Paths, version_id: str | None) -> None:
    """Put a version of the history in force. Raises NotFound where there is no such version."""
    loaded = ConfigStore(paths).restore(version_id)
    client = running_gateway(paths)
    give_up = time.monotonic() + IN_FORCE_WAIT_S
    while client is not None and not _is_in_force(client.get("/config"), loaded.etag):
        if time.monotonic() > give_up:
            message = "The config is restored, and the gateway has not taken it up."
            raise SwitchboardError(message, hint="See: switchboard status")
        time.sleep(BETWEEN_ATTEMPTS_S)


def _is_in_force(shown: Document, etag: str) -> bool:
    return shown["etag"] == etag and not shown["problems"]


def _edit_here(paths: Paths, edit: Edit) -> tuple[Iterable[Problem], Iterable[Problem]]:
    """Edit the file. The warnings before and after."""
    before = load_config(paths)
    if before.problems:
        raise broken_config(before.problems, str(paths.config))
    try:
        return before.warnings, ConfigStore(paths).modify(edit).warnings
    except InvalidConfig as exc:
        raise _refusal(exc, str(paths.config)) from exc


def _edit_there(client: AdminClient, edit: Edit) -> tuple[Iterable[Problem], Iterable[Problem]]:
    """Have the gateway edit the file: its redacted document and the patch of it never meet a secret."""
    for _ in range(ATTEMPTS):
        shown = client.get("/config")
        if shown["problems"]:
            raise broken_config(_problems(shown["problems"]), shown["path"])
        patch = difference(shown["document"], edit(shown["document"]))
        try:
            answer = client.patch("/config", patch, if_match=shown["etag"]) if patch else shown
        except ConfigConflict:
            time.sleep(BETWEEN_ATTEMPTS_S)
            continue
        except InvalidConfig as exc:
            raise _refusal(exc, shown["path"]) from exc
        return _problems(shown["warnings"]), _problems(answer["warnings"])
    raise ConfigConflict("The config changes all the time, so it was not edited.", hint="Try again in a moment.")


def _refusal(error: InvalidConfig, path: str) -> SwitchboardError:
    """The error to report: of a broken file, or of an edit whose outcome would not be valid."""
    if isinstance(error, BrokenFile):
        return broken_config(error.faults, path)
    return SwitchboardError(f"Nothing was changed: {'; '.join(error.problems)}", hint=error.hint)


def _problems(said: Iterable[Any]) -> tuple[Problem, ...]:
    return tuple(problem_from(one) for one in said)
