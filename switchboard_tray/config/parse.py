"""From the document in config.json to a `Config`, or to every problem in it at once. Pure.

Reads no file and changes nothing. Single values are checked by `config.read`, line and column are added by the store.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, TypeVar

from switchboard_tray.config.keys import ROOT, TRANSPORT, VERSION
from switchboard_tray.config.model import (
    Account,
    AuditSettings,
    Budgets,
    ClientRule,
    Config,
    Override,
    Profile,
    ServerConfig,
    Settings,
)
from switchboard_tray.config.not_in_force import MESSAGE, values_not_in_force
from switchboard_tray.config.problems import Problem
from switchboard_tray.config.read import Invalid, Notes, read
from switchboard_tray.pointers import child

_Member = TypeVar("_Member")
_WAYS = ("command", "url", "builtin")
_NO_USE = {"command": ("headers",), "url": ("args", "env", "cwd"), "builtin": ("args", "cwd", "headers")}


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a document says: `config` is None where there is any problem; warnings never stand in the way.

    `is_newer`: written by a newer version of ours. What is known of it is read, and nobody may write it.
    """

    config: Config | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    is_newer: bool = False


def parse_config(document: object) -> Parsed:
    """The config that `document` (of the current version, see `config.migrate`) spells, with all problems at once.

    Raises nothing, whatever JSON value `document` is.
    """
    notes = Notes(_defined_names(document))
    fields = read(ROOT, document, "", notes)
    if isinstance(fields, Invalid) or not isinstance(document, dict):
        return Parsed(None, tuple(notes.problems))
    for name, server in _objects(document.get("servers")):
        _check_server(server, child("/servers", name), notes)
    for name, profile in _objects(document.get("profiles")):
        _check_profile(profile, child("/profiles", name), notes)
    for pointer, meanwhile in values_not_in_force(document):
        notes.warn(pointer, MESSAGE, meanwhile)
    is_newer = _is_newer(document, notes)
    config = None if notes.problems else _build(fields)
    return Parsed(config, tuple(notes.problems), tuple(notes.warnings), is_newer)


def _defined_names(document: object) -> Mapping[Literal["server", "profile"], Mapping[str, str]]:
    known: dict[Literal["server", "profile"], Mapping[str, str]] = {}
    sections: tuple[tuple[Literal["server", "profile"], str], ...] = (("server", "servers"), ("profile", "profiles"))
    for of, section in sections:
        members = document.get(section, {}) if isinstance(document, dict) else None
        if isinstance(members, dict):
            known[of] = {name.casefold(): name for name in members}
    return known


def _is_newer(document: Mapping[str, Any], notes: Notes) -> bool:
    version = document.get("version", VERSION)
    is_newer = isinstance(version, int | float) and version > VERSION
    if is_newer:
        found = f"this file has a newer format than version {VERSION}, which this Switchboard writes"
        notes.warn("/version", found, "It is read and not changed. Update Switchboard to edit it.")
    return is_newer


def _check_server(server: Mapping[str, Any], at: str, notes: Notes) -> None:
    ways = [key for key in _WAYS if key in server]
    if len(ways) != 1:
        found = "found none of them" if not ways else f"found {' and '.join(ways)}"
        notes.fault(at, f"{found}, expected exactly one of command, url and builtin")
        return
    for key in _NO_USE[ways[0]]:
        if key in server:
            notes.warn(child(at, key), f"has no effect beside {ways[0]}")
    _check_transport(server, at, is_remote=ways == ["url"], notes=notes)
    enabled, disabled = server.get("enabled"), server.get("disabled")
    if isinstance(enabled, bool) and enabled is disabled:
        notes.fault(child(at, "disabled"), '"enabled" and "disabled" contradict each other', "Keep one of them.")


def _check_transport(server: Mapping[str, Any], at: str, *, is_remote: bool, notes: Notes) -> None:
    spelled = ((key, server.get(key)) for key in ("type", "transport"))
    spoken = {key: TRANSPORT.spellings.get(word, "") for key, word in spelled if isinstance(word, str)}
    if "" in spoken.values():  # Misspelled, and noted already.
        return
    for key, transport in spoken.items():
        if is_remote and transport == "stdio":
            notes.fault(child(at, key), "found stdio beside a url, expected http or sse")
        elif not is_remote and transport != "stdio":
            notes.fault(child(at, key), f"found {transport} without a url, expected stdio")
    if len(set(spoken.values())) > 1:
        notes.fault(child(at, "type"), '"type" and "transport" contradict each other', "Keep one of them.")


def _check_profile(profile: Mapping[str, Any], at: str, notes: Notes) -> None:
    relay = profile.get("relay")
    if isinstance(relay, list) and "tools" not in relay:
        notes.fault(child(at, "relay"), 'found a list without "tools", which are always passed through')
    renamed: dict[str, str] = {}
    for reference, override in _objects(profile.get("overrides")):
        name = override.get("name")
        if isinstance(name, str) and renamed.setdefault(name, reference) != reference:
            place = child(child(child(at, "overrides"), reference), "name")
            notes.fault(place, f'"{name}" is already the name of {renamed[name]} in this profile')


def _objects(members: object) -> list[tuple[str, dict[str, Any]]]:
    """The members that are objects themselves; others are noted already."""
    if not isinstance(members, dict):
        return []
    return [(name, member) for name, member in members.items() if isinstance(member, dict)]


def _build(fields: Mapping[str, Any]) -> Config:
    settings = dict(fields.get("settings", {}))
    if "audit" in settings:
        settings["audit"] = AuditSettings(**settings["audit"])
    general = Settings(**settings)
    servers = {name: _server(name, member) for name, member in fields.get("servers", {}).items()}
    profiles = {name: _profile(name, member, general) for name, member in fields.get("profiles", {}).items()}
    return Config(
        servers=_frozen(servers),
        profiles=_frozen(profiles),
        default_profile=fields.get("default_profile"),
        clients=tuple(ClientRule(**rule) for rule in fields.get("clients", ())),
        settings=general,
    )


def _server(name: str, fields: Mapping[str, Any]) -> ServerConfig:
    values = dict(fields)
    kind, transport = values.pop("type", None), values.pop("transport", None)
    values["transport"] = transport or kind or ("http" if "url" in values else "stdio")
    if "disabled" in values:
        values["enabled"] = not values.pop("disabled")
    return ServerConfig(name=name, **values)


def _profile(name: str, fields: Mapping[str, Any], general: Settings) -> Profile:
    values = {
        "surface": general.surface,
        "auto_threshold": general.auto_threshold,
        "auto_above": general.auto_above,
        **fields,
    }
    if "budgets" in values:
        values["budgets"] = Budgets(**values["budgets"])
    values["overrides"] = _frozen({ref: Override(**words) for ref, words in fields.get("overrides", {}).items()})
    values["accounts"] = _frozen({server: Account(**own) for server, own in fields.get("accounts", {}).items()})
    return Profile(name=name, **values)


def _frozen(members: dict[str, _Member]) -> Mapping[str, _Member]:
    return MappingProxyType(members)
