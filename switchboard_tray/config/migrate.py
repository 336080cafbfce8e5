"""From older formats of config.json to the current one, step by step. Pure; the store keeps the old file.

Version 0 is not ours: a document with ``mcpServers`` and no version, as other clients write it and people paste it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from switchboard_tray.config.keys import VERSION

Document = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Step:
    """From one version to the next: `upgrade` makes the new document, `old_pointer` finds a value in the old one."""

    upgrade: Callable[[Document], Document]
    old_pointer: Callable[[str], str]


def document_version(document: object) -> int:
    """The version of `document`; the current one where it says none, or says it in a way only `parse` can refuse."""
    if not isinstance(document, dict):
        return VERSION
    if "version" not in document:
        return 0 if "mcpServers" in document and "servers" not in document else VERSION
    stated = document["version"]
    return stated if isinstance(stated, int) and stated in STEPS else VERSION


def migrate(document: Document) -> Document:
    """`document` in the current format, itself where it is in it already. Changes nothing in place."""
    for version in range(document_version(document), VERSION):
        document = STEPS[version].upgrade(document)
    return document


def old_pointer(pointer: str, version: int) -> str:
    """Where the value at `pointer` of a migrated document stands in the one it came from, of `version`."""
    for step in range(VERSION - 1, version - 1, -1):
        pointer = STEPS[step].old_pointer(pointer)
    return pointer


def _name_servers(document: Document) -> Document:
    renamed = {"servers" if key == "mcpServers" else key: value for key, value in document.items()}
    return {"version": 1, **renamed}


def _unname_servers(pointer: str) -> str:
    head, slash, rest = pointer.removeprefix("/").partition("/")
    return f"/mcpServers{slash}{rest}" if head == "servers" else pointer


STEPS: Mapping[int, Step] = {0: Step(_name_servers, _unname_servers)}
