"""Where our files live: the platform's user directories, or all below ``SWITCHBOARD_HOME``.

Creates nothing; each writer makes the folder it needs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

APP_NAME = "switchboard"
HOME_VARIABLE = "SWITCHBOARD_HOME"


@dataclass(frozen=True, slots=True)
class Paths:
    """Every file and folder the product writes.

    Source: docs/files.md.
    """

    config: Path
    history: Path
    catalog: Path
    state: Path
    logs: Path

    @property
    def config_lock(self) -> Path:
        """Held while the config is edited, by whichever process edits it."""
        return self.state / "config.lock"

    @property
    def instance_lock(self) -> Path:
        """Held by the running gateway for as long as it lives."""
        return self.state / "gateway.lock"

    @property
    def daemon(self) -> Path:
        """Where the running gateway is: pid, url, version."""
        return self.state / "daemon.json"

    @property
    def admin_token(self) -> Path:
        """The admin API's bearer token, readable by its user alone."""
        return self.state / "admin.token"

    @property
    def sessions(self) -> Path:
        """The sessions that outlive a restart of the gateway."""
        return self.state / "sessions.jsonl"

    @property
    def audit(self) -> Path:
        """One row for each tool call."""
        return self.state / "audit.db"

    @property
    def running(self) -> Path:
        """The server processes that run, to end them after a crash of the gateway."""
        return self.state / "running.json"

    @property
    def shapes(self) -> Path:
        """What results of tools looked like."""
        return self.state / "shapes.json"

    @property
    def secrets(self) -> Path:
        """Secrets by name, where no keychain holds them."""
        return self.state / "secrets.json"

    @property
    def demo(self) -> Path:
        """The built-in demo server's notebook."""
        return self.state / "demo.db"


def find_paths(environ: Mapping[str, str]) -> Paths:
    """The paths of this user, or of ``SWITCHBOARD_HOME`` where that is set."""
    if home := environ.get(HOME_VARIABLE):
        root = Path(home).expanduser().absolute()
        return Paths(root / "config.json", root / "history", root / "catalog.json", root / "state", root / "logs")
    # Costs 10 ms that `SWITCHBOARD_HOME` and `--version` need not pay.
    from platformdirs import PlatformDirs

    dirs = PlatformDirs(APP_NAME, appauthor=False)
    config, state = dirs.user_config_path, dirs.user_state_path
    if state == config:
        state = config / "state"
    catalog = dirs.user_cache_path / "catalog.json"
    return Paths(config / "config.json", config / "history", catalog, state, dirs.user_log_path)
