"""Secrets by name, in a file that only its user can read, until the operating system's keychain holds them.

Values leave this store for the environment of a server alone.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from switchboard_tray.config.references import REFERENCE_NAME
from switchboard_tray.errors import NotFound, SwitchboardError
from switchboard_tray.jsonfile import JsonSyntaxError, make_private_folder, parse_json, write_atomic
from switchboard_tray.names import did_you_mean

NAME_CHARS = 128


class SecretStore:
    """Sole writer of the secrets file. May be used from several processes at once."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def names(self) -> list[str]:
        """The names of all secrets, sorted."""
        return sorted(self._read())

    def get(self, name: str) -> str | None:
        """The value of a secret; None where there is none."""
        return self._read().get(name)

    def values(self) -> list[str]:
        """All values, to find them where they must not be shown."""
        return list(self._read().values())

    def set(self, name: str, value: str) -> None:
        """Keep `value` under `name`. Raises `SwitchboardError` for a name that no config can refer to."""
        if len(name) > NAME_CHARS or not REFERENCE_NAME.match(name):
            raise SwitchboardError(f"{name!r} is no name for a secret.", hint="Use letters, digits and _ . - / ( ).")
        if not value or "\0" in value:
            raise SwitchboardError(f"The value of the secret {name} is empty, or holds a NUL.")
        with self._locked():
            self._write({**self._read(), name: value})

    def remove(self, name: str) -> None:
        """Forget a secret. Raises `NotFound`."""
        with self._locked():
            secrets = self._read()
            if name not in secrets:
                raise NotFound(f"There is no secret {name!r}.", hint=did_you_mean(name, secrets))
            self._write({key: value for key, value in secrets.items() if key != name})

    def _read(self) -> dict[str, str]:
        try:
            said = parse_json(self._path.read_bytes())
        except FileNotFoundError:
            return {}
        except (OSError, JsonSyntaxError) as exc:
            raise SwitchboardError(f"The secrets file {self._path} cannot be read: {exc}.", hint="Mend it.") from exc
        if not isinstance(said, dict) or not all(isinstance(value, str) for value in said.values()):
            # Not taken for empty: the next secret that is set would put an end to it.
            raise SwitchboardError(f"The secrets file {self._path} is not an object of strings.", hint="Mend it.")
        return said

    def _write(self, secrets: dict[str, str]) -> None:
        write_atomic(self._path, json.dumps(secrets).encode())

    @contextmanager
    def _locked(self) -> Iterator[None]:
        from filelock import FileLock

        make_private_folder(self._path.parent)
        with FileLock(self._path.with_suffix(".lock"), timeout=10, mode=0o600):
            yield
