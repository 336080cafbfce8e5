"""Tool lists as values: what they read as, and when two of them are the same."""

import json
from dataclasses import replace

import pytest

from switchboard_tray.catalog.model import Catalog, Named, Quarantined, ServerTools, Tool, server_key
from switchboard_tray.config.model import Account, Config, ServerConfig

RAW = b'{"name":"t", "description":"Does it.", "inputSchema":{"type":"object","n":1180591620717411303424}}'
TOOL = Tool("t", RAW)
SERVER = ServerConfig("github", command="npx", args=("-y", "x"), env={"A": "1", "B": "2"})


def test_a_tool_reads_as_its_definition_says() -> None:
    assert TOOL.definition == json.loads(RAW)
    assert bytes(TOOL.members["inputSchema"]) == b'{"type":"object","n":1180591620717411303424}'
    assert TOOL.description == "Does it."
    assert Tool("t", b'{"name":"t"}').description == ""


def test_a_tool_has_another_digest_when_its_definition_changed() -> None:
    assert TOOL.digest == Tool("t", RAW, ("repaired",)).digest
    assert TOOL.digest != Tool("t", RAW.replace(b"Does", b"Did")).digest


@pytest.mark.parametrize(
    ("annotations", "is_repeatable"),
    [
        (None, False),
        ({}, False),
        ({"readOnlyHint": True}, True),
        ({"idempotentHint": True}, True),
        ({"readOnlyHint": False, "idempotentHint": False, "destructiveHint": False}, False),
    ],
)
def test_a_tool_may_be_called_twice_only_where_its_server_says_so(annotations: object, is_repeatable: bool) -> None:
    members = {} if annotations is None else {"annotations": annotations}

    assert Tool("t", json.dumps({"name": "t", **members}).encode()).is_repeatable is is_repeatable


def test_lists_are_equal_whenever_they_were_read() -> None:
    assert ServerTools((TOOL,), listed_at=1).digest == ServerTools((TOOL,), listed_at=2, title="GitHub").digest


@pytest.mark.parametrize(
    "other",
    [
        ServerTools(),
        ServerTools((TOOL, TOOL)),
        ServerTools((Tool("t", b"{}"),)),
        ServerTools((TOOL,), instructions="Use it."),
        ServerTools((TOOL,), instructions="\ud800"),
        ServerTools((TOOL,), prompts=(Named("p", b"{}"),)),
        ServerTools((TOOL,), resources=(Named("p", b"{}"),)),
        ServerTools((TOOL,), templates=(Named("p", b"{}"),)),
    ],
)
def test_lists_differ_where_a_client_could_tell(other: ServerTools) -> None:
    assert other.digest != ServerTools((TOOL,)).digest


def test_instructions_cannot_pass_for_a_tool() -> None:
    said = f"Hi\1\0{RAW.decode()}"

    assert ServerTools(instructions=said).digest != ServerTools((TOOL,), instructions="Hi").digest


def test_what_is_set_aside_is_part_of_the_digest_so_that_a_change_of_it_is_seen() -> None:
    assert ServerTools((TOOL,), (Quarantined("x", "bad"),)).digest != ServerTools((TOOL,)).digest


def test_a_catalog_knows_the_lists_it_was_given() -> None:
    before, tools = Catalog(), ServerTools((TOOL,))

    after = before.with_list(server_key(SERVER), tools)

    assert after.of(SERVER) is tools
    assert before.of(SERVER) is None
    assert after.with_list("other", ServerTools()).of(SERVER) is tools


@pytest.mark.parametrize(
    "same",
    [
        replace(SERVER, name="renamed"),
        replace(SERVER, env={"B": "new secret", "A": ""}),
        replace(SERVER, enabled=False, description="x", idle_timeout_s=0, cwd="/tmp", headers={"X": "y"}),
    ],
)
def test_a_server_keeps_its_list_over_edits_that_do_not_change_what_it_runs(same: ServerConfig) -> None:
    assert server_key(same) == server_key(SERVER)


@pytest.mark.parametrize(
    "other",
    [
        replace(SERVER, command="uvx"),
        replace(SERVER, command=None, url="npx"),
        replace(SERVER, command=None, builtin="npx"),
        replace(SERVER, args=("-y",)),
        replace(SERVER, args=("-y x",)),
        replace(SERVER, args=(), env={"-y": "", "x": ""}),
        replace(SERVER, env={"A": "1"}),
    ],
)
def test_a_server_that_runs_something_else_has_another_list(other: ServerConfig) -> None:
    assert server_key(other) != server_key(SERVER)


def test_an_account_has_a_list_of_its_own_by_the_names_it_sets() -> None:
    account = Account(env={"TOKEN": "mine"})

    assert server_key(SERVER, account) == server_key(SERVER, Account(env={"TOKEN": "yours"}))
    keys = {
        server_key(SERVER),
        server_key(SERVER, Account()),
        server_key(SERVER, account),
        server_key(SERVER, Account(headers={"TOKEN": ""})),
    }
    assert len(keys) == 4


def test_a_key_is_32_hex_digits() -> None:
    assert len(bytes.fromhex(server_key(SERVER))) == 16


def test_lists_of_servers_that_left_the_config_are_forgotten_after_a_while() -> None:
    here, gone = ServerConfig("here", command="a"), ServerConfig("gone", command="b")
    old = ServerTools((TOOL,), listed_at=10.0)
    catalog = Catalog({server_key(here): old, server_key(gone): old})

    config = Config({"here": here})
    assert set(catalog.without_strays(config, before=5.0).lists) == {server_key(here), server_key(gone)}
    assert set(catalog.without_strays(config, before=15.0).lists) == {server_key(here)}
