"""Text from the command line as values of the config, by the table of its keys. Whether they are valid is not asked."""

import json
import re
import shlex
from collections.abc import Iterable, Sequence
from typing import Any

from switchboard_tray.config.keys import ROOT, Flag, Kind, ListOf, MapOf, Number, Table
from switchboard_tray.errors import NotFound, SwitchboardError
from switchboard_tray.names import did_you_mean
from switchboard_tray.pointers import pointer_keys

_WHOLE = re.compile(r"[+-]?[0-9]{1,400}")
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_SECRET_ENDINGS = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "PASSPHRASE", "CREDENTIALS", "AUTHORIZATION")
_SECRET_WORDS = frozenset({"AUTH", "COOKIE", "CREDENTIAL", "PASS", "PAT", "PIN"})


def typed(kind: Kind | None, text: str) -> Any:
    """`text` as a value of `kind`, where it reads as one; otherwise the text, for the config's checks to refuse.

    Lists are JSON, or words as in a shell, or items between commas where an item is a name or a pattern. `kind` None
    (nobody knows the key) takes JSON, else text. Raises SwitchboardError for a number that is none.
    """
    match kind:
        case Flag():
            return _FLAGS.get(text.casefold(), text)
        case Number():
            return _number(text)
        case ListOf():
            return _list(kind, text)
        case None | Table() | MapOf():
            return _json(text)
        case _:
            return text


def typed_item(table: Table, text: str) -> tuple[list[str], Any]:
    """``KEY=VALUE`` as the keys on the way and the value; None for an empty one. A dot leads into ``env.NAME``.

    Raises NotFound for a key that `table` does not have.
    """
    name, _, value = text.partition("=")
    key, dot, member = name.partition(".")
    known = table.by_name.get(key)
    if known is None:
        raise NotFound(f"There is no key {key!r}.", hint=did_you_mean(key, table.by_name) or _listed(table.by_name))
    kind: Kind | None = known.kind
    if dot:
        if not isinstance(kind, MapOf | Table):
            raise NotFound(f"The key {key!r} has no {member!r} in it.", hint=f"{key}=VALUE")
        kind = kind.item if isinstance(kind, MapOf) else kind_at((member,), kind)
    is_null = value == "null" and known.may_be_null
    return [key, member] if dot else [key], None if not value or is_null else typed(kind, value)


def key_path(key: str) -> tuple[str, ...]:
    """The keys of ``settings.port``, or of a JSON pointer. Raises NotFound for neither."""
    try:
        return pointer_keys(key) if key.startswith("/") else tuple(key.split("."))
    except ValueError as exc:
        raise NotFound(f"{key!r} is neither a dotted key nor a JSON pointer.", hint="As in: settings.port") from exc


def kind_at(keys: Sequence[str], kind: Kind | None = ROOT) -> Kind | None:
    """What stands at `keys` of the config; None where nobody knows."""
    for name in keys:
        match kind:
            case Table():
                kind = kind.by_name[name].kind if name in kind.by_name else None
            case MapOf() | ListOf():
                kind = kind.item
            case _:
                return None
    return kind


def commas(texts: Iterable[str]) -> list[str]:
    """The items between commas in `texts`, without blanks and empty ones."""
    return [item.strip() for text in texts for item in text.split(",") if item.strip()]


def looks_secret(name: str) -> bool:
    """Whether what a variable or a header of this name holds is probably a secret: ``GITHUB_TOKEN``, ``X-Api-Key``."""
    words = [word.upper() for word in re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", name)]
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words)


def _number(text: str) -> int | float:
    try:
        return int(text) if _WHOLE.fullmatch(text) else float(text)
    except ValueError as exc:
        # The config's checks would speak of quotes, which nobody typed.
        raise SwitchboardError(f"Nothing was changed: {text!r} is not a number.") from exc


def _list(kind: ListOf, text: str) -> Any:
    if text.lstrip().startswith("["):
        return _json(text)
    if kind.is_set:
        return commas([text])
    try:
        return shlex.split(text)
    except ValueError:
        return text


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def _listed(names: Iterable[str]) -> str:
    return f"There are {', '.join(names)}."
