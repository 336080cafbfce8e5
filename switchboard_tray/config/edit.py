"""Edits of the config as the person sees it: servers, profiles, single keys. Pure.

They work on the raw document, so unknown keys and the order of keys survive; new keys go to the end. Arguments are
never changed. Names match in any letter case and keep the spelling of the file. Whether the outcome is valid is not
asked here: `stores.config` parses it before it writes.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from switchboard_tray.config.keys import ROOT, Kind, ListOf, MapOf, NewName, Table
from switchboard_tray.errors import ConfigConflict, ConfigError, NotFound, Refused
from switchboard_tray.names import did_you_mean
from switchboard_tray.pointers import pointer_keys

Document = dict[str, Any]
# What sets one of a pair takes the other out, so that the two never contradict each other.
_OTHER_SPELLING = {"enabled": "disabled", "disabled": "enabled", "transport": "type", "type": "transport"}


def merge_patch(document: Any, patch: Any) -> Any:
    """`document` changed by a JSON merge patch: objects are merged, null takes a key away, all else replaces.

    Source: RFC 7396.
    """
    if not isinstance(patch, dict):
        return patch
    merged = dict(document) if isinstance(document, dict) else {}
    for key, value in patch.items():
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = merge_patch(merged.get(key), value)
    return merged


def difference(old: Any, new: Any) -> Any:
    """The merge patch that makes `new` of `old`: smallest, and {} where they are equal objects.

    Not expressible in a merge patch, and so left out: an object's null in `new`, and another order of keys.
    """
    if not (isinstance(old, dict) and isinstance(new, dict)):
        return new
    patch: Document = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif not same_json(old[key], value):
            patch[key] = difference(old[key], value)
    return patch


def same_json(one: Any, other: Any) -> bool:
    """Whether two JSON values are equal, with 1, 1.0 and true told apart; the order of keys does not count."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list):
        return len(one) == len(other) and all(map(same_json, one, other))
    return bool(one == other)


def add_server(document: Document, name: str, spec: Mapping[str, Any]) -> Document:
    """`document` with the server `name`; raises ConfigConflict where one of that name exists."""
    servers = _section(document, "servers")
    if (existing := _spelled(servers, name)) is not None:
        hint = f"switchboard server set {existing}, or remove it first"
        raise ConfigConflict(f"a server called {existing!r} exists", hint=hint)
    return {**document, "servers": {**servers, name: merge_patch({}, dict(spec))}}


def change_server(document: Document, name: str, patch: Mapping[str, Any]) -> Document:
    """`document` with the server's keys merge-patched; raises NotFound."""
    servers = _section(document, "servers")
    name = _existing(servers, name, "server")
    others = {other: None for key, other in _OTHER_SPELLING.items() if key in patch}
    return {**document, "servers": {**servers, name: merge_patch(servers[name], {**others, **patch})}}


def remove_server(document: Document, name: str) -> Document:
    """`document` without the server, and without what names it in profiles; raises NotFound.

    Patterns with ``*`` in their server part stay: they may mean others too.
    """
    servers = _section(document, "servers")
    folded = _existing(servers, name, "server").casefold()

    def is_other(reference: str) -> bool:
        return reference.partition(".")[0].casefold() != folded

    profiles = {key: _without(profile, is_other) for key, profile in _section(document, "profiles").items()}
    left = {key: server for key, server in servers.items() if key.casefold() != folded}
    return {**document, "servers": left} | ({"profiles": profiles} if "profiles" in document else {})


def put_profile(document: Document, name: str, patch: Mapping[str, Any]) -> Document:
    """`document` with the profile made, or its keys merge-patched where it exists."""
    profiles = _section(document, "profiles")
    name = _spelled(profiles, name) or name
    return {**document, "profiles": {**profiles, name: merge_patch(profiles.get(name), dict(patch))}}


def remove_profile(document: Document, name: str) -> Document:
    """`document` without the profile; raises NotFound, or Refused where clients are still given it."""
    profiles = _section(document, "profiles")
    name = _existing(profiles, name, "profile")
    folded = name.casefold()
    if str(document.get("defaultProfile", "")).casefold() == folded:
        hint = "Make another one the default first: switchboard profile default NAME"
        raise Refused(f"the profile {name!r} is the default", hint=hint)
    for rule in document.get("clients", ()):
        if str(rule.get("profile", "")).casefold() == folded:
            match = rule.get("match", "")
            hint = f"Remove the rule first: switchboard client rule remove {match!r}"
            raise Refused(f"the rule for clients {match!r} gives the profile {name!r}", hint=hint)
    return {**document, "profiles": {key: profile for key, profile in profiles.items() if key != name}}


def set_default_profile(document: Document, name: str | None) -> Document:
    """`document` with another default profile, or with none, so that clients without a rule wait; raises NotFound."""
    if name is None:
        return {key: value for key, value in document.items() if key != "defaultProfile"}
    return {**document, "defaultProfile": _existing(_section(document, "profiles"), name, "profile")}


def edit_list(current: Sequence[str], add: Iterable[str] = (), remove: Iterable[str] = ()) -> list[str]:
    """`current` without the items of `remove` and with those of `add` at its end, each once, in any letter case.

    Raises NotFound for one to remove that is not there.
    """
    items = {item.casefold(): item for item in reversed(current)}
    items = dict(reversed(items.items()))
    for item in remove:
        if items.pop(item.casefold(), None) is None:
            raise NotFound(f"{item!r} is not in the list", hint=did_you_mean(item, current))
    for item in add:
        items.setdefault(item.casefold(), item)
    return list(items.values())


def set_value(document: Document, key: str, value: Any) -> Document:
    """`document` with `value` at `key`: ``settings.port``, or a JSON pointer where a name holds a dot.

    Objects on the way are made, servers and profiles are not; an index counts from 0, ``-`` appends to a list.
    Raises NotFound for a key that neither the config knows nor the document has.
    """
    try:
        keys = pointer_keys(key) if key.startswith("/") else tuple(key.split("."))
    except ValueError as exc:
        raise NotFound(f"{key!r} is neither a dotted key nor a JSON pointer", hint='As in: "settings.port"') from exc
    placed: Document = _placed(document, keys, value, ROOT)
    return placed


def _placed(current: Any, keys: Sequence[str], value: Any, kind: Kind | None) -> Any:
    """`current` with `value` at `keys`; `kind` says what it is, None for a part of the document nobody knows."""
    if not keys:
        return value
    name, rest = keys[0], keys[1:]
    if isinstance(kind, ListOf) or isinstance(current, list):
        return _placed_in_list(current if isinstance(current, list) else [], name, rest, value, kind)
    members = current if isinstance(current, dict) else {}
    name = _spelled(members, name) or name
    inner: Kind | None = None
    if isinstance(kind, Table):
        if name not in kind.by_name and name not in members:
            raise NotFound(f"the config has no key {name!r} there", hint=did_you_mean(name, kind.by_name))
        inner = kind.by_name[name].kind if name in kind.by_name else None
    elif isinstance(kind, MapOf):
        inner = kind.item
        if rest and isinstance(kind.key, NewName):
            name = _existing(members, name, kind.key.of)
    elif kind is not None:
        raise NotFound(f"there is no {name!r} inside a single value")
    return {**members, name: _placed(members.get(name), rest, value, inner)}


def _placed_in_list(items: list[Any], index: str, rest: Sequence[str], value: Any, kind: Kind | None) -> list[Any]:
    inner = kind.item if isinstance(kind, ListOf) else None
    if index == "-":
        return [*items, _placed(None, rest, value, inner)]
    at = int(index) if index.isdecimal() and len(index) < 10 else len(items)
    if at >= len(items):
        raise NotFound(f"the list has no item {index!r}", hint=f"It has {len(items)}; the first is 0, - appends.")
    return [*items[:at], _placed(items[at], rest, value, inner), *items[at + 1 :]]


def _without(profile: Any, is_other: Callable[[str], bool]) -> Any:
    kept = dict(profile)
    for key in ("servers", "include", "exclude", "confirm"):
        if key in kept:
            kept[key] = [item for item in kept[key] if is_other(item)]
    for key in ("overrides", "accounts"):
        if key in kept:
            kept[key] = {name: value for name, value in kept[key].items() if is_other(name)}
    return kept


def _section(document: Document, key: str) -> Document:
    section = document.get(key, {})
    if not isinstance(section, dict):
        raise ConfigError(f'"{key}" is not an object', hint="switchboard config check")
    return section


def _spelled(members: Mapping[str, Any], name: str) -> str | None:
    if name in members:
        return name
    return next((key for key in members if key.casefold() == name.casefold()), None)


def _existing(members: Mapping[str, Any], name: str, noun: str) -> str:
    spelled = _spelled(members, name)
    if spelled is None:
        hint = did_you_mean(name, members) or f"switchboard {noun} list"
        raise NotFound(f"no {noun} is called {name!r}", hint=hint)
    return spelled
