"""``config``, and what a broken file means for every command."""

from typing import Any

import pytest

from tests.cli.running import Cli

DOCUMENT: dict[str, Any] = {
    "version": 1,
    "servers": {"demo": {"builtin": "demo"}},
    "profiles": {"work": {"servers": ["demo"]}},
    "settings": {"port": 8000},
}
RENAMED = {"overrides": {"demo.a": {"name": "x"}}}
BROKEN = '{\n  "version": 1,,\n}'


def test_path_is_where_the_file_is(cli: Cli) -> None:
    assert cli.done("config", "path").out == f"{cli.paths.config}\n"
    assert cli.done("config", "path", "--json").json() == {"path": str(cli.paths.config)}


def test_check_of_a_good_file_says_so(cli: Cli) -> None:
    assert cli.done("config", "check").out == f"config: ok, {cli.paths.config}\n"


def test_check_of_a_broken_file_names_line_and_column(cli: Cli) -> None:
    cli.write(BROKEN)

    outcome = cli("config", "check")

    assert (outcome.status, outcome.out) == (4, "")
    assert outcome.err.startswith("config: error at 2:16: ")


def test_check_names_every_fault_at_once(cli: Cli) -> None:
    cli.write({"version": 1, "servers": {"a": {}, "b": {"command": ""}}, "defaultProfile": "none"})

    outcome = cli("config", "check")
    shown = cli("config", "check", "--json")

    assert outcome.err.count("/servers/") == 2
    assert (shown.status, shown.json()["state"]) == (4, "error")
    assert [one["pointer"] for one in shown.json()["problems"]] == [
        "/servers/b/command",
        "/defaultProfile",
        "/servers/a",
    ]


def test_check_tells_warnings_apart_from_errors(cli: Cli) -> None:
    cli.write({**DOCUMENT, "setings": {}})

    outcome = cli.done("config", "check")

    assert "warning: 1:" in outcome.err
    assert '/setings: unknown key "setings"\nDid you mean settings?\n' in outcome.err


def test_schema_is_json(cli: Cli) -> None:
    assert cli.done("config", "schema").json()["title"] == "Switchboard config"


@pytest.mark.parametrize(
    ("key", "value", "section", "after"),
    [
        ("settings.port", "8923", "settings", {"port": 8923}),
        ("settings.autostart", "true", "settings", {"port": 8000, "autostart": True}),
        ("settings.port", "", "settings", {}),
        ("profiles.WORK.exclude", "a.*,b.c", "profiles", {"work": {"servers": ["demo"], "exclude": ["a.*", "b.c"]}}),
        ("/profiles/work/servers/0", "", "profiles", {"work": {"servers": []}}),
        ("/profiles/work/overrides/demo.a/name", "x", "profiles", {"work": {"servers": ["demo"], **RENAMED}}),
        ("defaultProfile", "work", "defaultProfile", "work"),
        ("clients", '[{"match": "c*", "profile": null}]', "clients", [{"match": "c*", "profile": None}]),
    ],
)
def test_set_writes_one_value_by_its_type(key: str, value: str, section: str, after: Any, cli: Cli) -> None:
    cli.write(DOCUMENT)

    cli.done("config", "set", key, value)

    assert cli.document() == {**DOCUMENT, section: after}


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("settings.prt", "1", "Did you mean port?"),
        ("settings.port", "0", "/settings/port: found 0, expected a whole number from 1 to 65535"),
        ("settings.port", "many", "'many' is not a number"),
        ("settings.theme", "", "The config has no settings.theme."),
        ("servers.nope.command", "x", "No server is called 'nope'."),
        ("/bad~pointer", "1", "'/bad~pointer' is neither a dotted key nor a JSON pointer."),
        ("defaultProfile", "wrk", "Did you mean work?"),
    ],
)
def test_set_refuses_what_would_not_be_valid(key: str, value: str, said: str, cli: Cli) -> None:
    cli.write(DOCUMENT)

    outcome = cli("config", "set", key, value)

    assert outcome.status == 1
    assert said in outcome.err
    assert cli.document() == DOCUMENT


def test_history_lists_what_restore_puts_back(cli: Cli) -> None:
    cli.done("server", "list")
    cli.done("config", "set", "settings.port", "8001")
    cli.done("config", "set", "settings.port", "8002")
    versions = cli.done("config", "history", "--json").json()

    cli.done("config", "restore", versions[-1]["id"])

    assert "settings" not in cli.document()
    assert all(len(line) <= 80 for line in cli.done("config", "history").out.splitlines())


def test_restore_without_an_id_takes_back_the_last_edit(cli: Cli) -> None:
    cli.done("config", "set", "settings.port", "8001")
    cli.done("config", "set", "settings.port", "8002")

    cli.done("config", "restore")

    assert cli.document()["settings"] == {"port": 8001}


def test_restore_of_an_unknown_version_says_where_to_look(cli: Cli) -> None:
    outcome = cli("config", "restore", "nope")

    assert outcome.status == 1
    assert outcome.err == "The history has no version 'nope'.\nswitchboard config history\n"


EDITS = [
    ["server", "add", "one", "--url", "http://x.example"],
    ["server", "set", "demo", "enabled=no"],
    ["server", "remove", "demo"],
    ["profile", "add", "new"],
    ["profile", "default", "work"],
    ["config", "set", "settings.port", "8001"],
]


@pytest.mark.parametrize("words", EDITS, ids=" ".join)
@pytest.mark.parametrize("has_history", [True, False])
def test_a_broken_file_is_not_edited(words: list[str], has_history: bool, cli: Cli) -> None:
    if has_history:
        cli.write(DOCUMENT)
        cli.done("server", "list")
    cli.write(BROKEN)

    outcome = cli(*words)

    assert (outcome.status, outcome.out) == (4, "")
    assert outcome.err.startswith("config: error at 2:16: ")
    assert outcome.err.endswith(f"Mend {cli.paths.config}, or take back the edit: switchboard config restore\n")
    assert cli.paths.config.read_text() == BROKEN


def test_restore_mends_a_broken_file_and_keeps_it(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.done("server", "list")
    cli.write(BROKEN)

    cli.done("config", "restore")

    assert cli.document() == DOCUMENT
    assert cli.paths.config.with_name("config.broken.json").read_text() == BROKEN


def test_lists_show_the_last_valid_config_and_say_so(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.done("server", "list")
    cli.write(BROKEN)

    outcome = cli.done("server", "list", "--json")

    assert [server["name"] for server in outcome.json()] == ["demo"]
    assert outcome.err.startswith("warning: config: error at 2:16: ")
    assert outcome.err.endswith("The last valid config is shown.\n")


def test_lists_of_a_broken_file_without_a_history_end_with_4(cli: Cli) -> None:
    cli.write(BROKEN)

    assert cli("profile", "list").status == 4


def test_status_without_a_gateway_names_the_fault_of_the_file_too(cli: Cli) -> None:
    cli.write(BROKEN)

    outcome = cli("status")

    assert outcome.status == 3
    assert outcome.err.splitlines()[0].startswith("warning: config: error at 2:16: ")
