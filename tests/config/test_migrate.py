"""Older formats on their way to the current one."""

import pytest

from switchboard_tray.config.keys import VERSION
from switchboard_tray.config.migrate import STEPS, document_version, migrate, old_pointer
from switchboard_tray.config.parse import parse_config

PASTED = {"x-note": 1, "mcpServers": {"github": {"command": "npx"}}, "inputs": []}


def test_the_servers_of_another_client_become_ours_in_their_place() -> None:
    document = migrate(PASTED)

    assert document == {"version": 1, "x-note": 1, "servers": {"github": {"command": "npx"}}, "inputs": []}
    assert list(document) == ["version", "x-note", "servers", "inputs"]
    assert parse_config(document).problems == ()
    assert "mcpServers" in PASTED


@pytest.mark.parametrize(
    ("document", "version"),
    [
        (PASTED, 0),
        ({"mcpServers": {}, "servers": {}}, 1),
        ({"version": 1, "mcpServers": {}}, 1),
        ({"version": 0}, 0),
        ({"version": 2}, 1),
        ({"version": "0"}, 1),
        ({}, 1),
        ([], 1),
    ],
)
def test_the_version_is_what_a_document_says_or_looks_like(document: object, version: int) -> None:
    assert document_version(document) == version


def test_a_current_document_is_left_as_it_is() -> None:
    document = {"version": 1, "servers": {}}

    assert migrate(document) is document


def test_there_is_a_step_from_every_older_version() -> None:
    assert sorted(STEPS) == list(range(VERSION))


@pytest.mark.parametrize(
    ("pointer", "version", "old"),
    [
        ("/servers/a/command", 0, "/mcpServers/a/command"),
        ("/servers", 0, "/mcpServers"),
        ("/profiles/servers", 0, "/profiles/servers"),
        ("", 0, ""),
        ("/servers/a", 1, "/servers/a"),
    ],
)
def test_a_value_is_found_in_the_older_document(pointer: str, version: int, old: str) -> None:
    assert old_pointer(pointer, version) == old
