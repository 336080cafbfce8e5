"""References inside config values: ``${env:NAME}``, ``${secret:NAME}``, and ``$${`` for a literal ``${``. Pure.

Looks nothing up by itself, and repeats no value in an error: a value with a fault may hold half a secret.

Source: docs/config.md, "References in values".
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from switchboard_tray.errors import ConfigError

_NAME = r"[A-Za-z0-9_][A-Za-z0-9_.()/-]*"
REFERENCE_NAME = re.compile(_NAME + r"\Z")
_MARK = re.compile(r"\$\$\{|\$\{(?:(?P<kind>env|secret):(?P<name>" + _NAME + r")\})?")
_HINT = "Write ${env:NAME} or ${secret:NAME}, and $${ for a literal ${."


@dataclass(frozen=True, slots=True)
class Reference:
    """A value that is kept elsewhere: in the environment of the gateway, or in the keychain."""

    kind: Literal["env", "secret"]
    name: str

    def __str__(self) -> str:
        return f"${{{self.kind}:{self.name}}}"


def value_parts(value: str) -> tuple[str | Reference, ...]:
    """`value` cut into literal text (with ``$${`` undone) and references, in order. Raises ConfigError."""
    parts: list[str | Reference] = []
    done = 0
    for mark in _MARK.finditer(value):
        literal = value[done : mark.start()]
        done = mark.end()
        if mark.group() == "$${":
            parts.append(literal + "${")
        elif mark["kind"] is None:
            raise ConfigError("a ${ here starts no reference", hint=_HINT)
        else:
            kind: Literal["env", "secret"] = "env" if mark["kind"] == "env" else "secret"
            parts += [literal, Reference(kind, mark["name"])]
    return tuple(part for part in (*parts, value[done:]) if part)


def references(value: str) -> tuple[Reference, ...]:
    """The references in `value`, in order. Raises ConfigError where a ``${`` starts none."""
    return tuple(part for part in value_parts(value) if isinstance(part, Reference))


def expand(value: str, env: Callable[[str], str | None], secret: Callable[[str], str | None]) -> str:
    """`value` with each reference replaced by what its lookup gives.

    Raises ConfigError that names the variable or secret whose lookup gives None.
    """
    return "".join(part if isinstance(part, str) else _looked_up(part, env, secret) for part in value_parts(value))


def _looked_up(reference: Reference, env: Callable[[str], str | None], secret: Callable[[str], str | None]) -> str:
    found = (env if reference.kind == "env" else secret)(reference.name)
    if found is not None:
        return found
    if reference.kind == "env":
        hint = "Set it where Switchboard is started, or keep the value with: switchboard secret set"
        raise ConfigError(f"the environment variable {reference.name} is not set", hint=hint)
    raise ConfigError(f"no secret is called {reference.name}", hint=f"switchboard secret set {reference.name}")
