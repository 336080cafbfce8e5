"""``profile`` while no gateway runs."""

from typing import Any

import pytest

from tests.cli.running import Cli

SERVERS = {name: {"builtin": "demo", "env": {name: "1"}} for name in ("github", "linear", "notion")}
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "servers": SERVERS,
    "profiles": {"work": {"servers": ["github"], "exclude": ["github.b"]}, "home": {"include": ["linear.*"]}},
    "defaultProfile": "work",
}


def profile(cli: Cli, name: str = "work") -> Any:
    return cli.document()["profiles"][name]


def test_add_makes_a_profile_of_all_its_options(cli: Cli) -> None:
    cli.write(DOCUMENT)
    options = "--servers github,linear --include notion.search --include notion.get_* --exclude github.delete_*".split()
    options += "--surface auto --auto-threshold 20 --auto-above apps --budget timeoutMs=500 --budget memoryMb=9".split()
    options += ["--override", "github.a", "name=find", "--override", "github.a", "description=Find it."]

    cli.done("profile", "add", "new", *options, "--description", "For all.")

    assert profile(cli, "new") == {
        "description": "For all.",
        "surface": "auto",
        "autoThreshold": 20,
        "autoAbove": "apps",
        "servers": ["github", "linear"],
        "include": ["notion.search", "notion.get_*"],
        "exclude": ["github.delete_*"],
        "overrides": {"github.a": {"name": "find", "description": "Find it."}},
        "budgets": {"timeoutMs": 500, "memoryMb": 9},
    }


def test_adding_again_changes_what_is_given_and_leaves_the_rest(cli: Cli) -> None:
    cli.write(DOCUMENT)

    cli.done("profile", "add", "WORK", "--servers", "linear")

    assert profile(cli) == {"servers": ["linear"], "exclude": ["github.b"]}


def test_lists_are_edited_item_by_item(cli: Cli) -> None:
    cli.write(DOCUMENT)

    cli.done("profile", "set", "work", "--servers-add", "linear,notion", "--servers-remove", "GitHub")
    cli.done("profile", "set", "work", "--exclude-add", "linear.x", "--exclude-remove", "github.b")
    cli.done("profile", "set", "work", "--include-add", "github.a")

    assert profile(cli) == {"servers": ["linear", "notion"], "exclude": ["linear.x"], "include": ["github.a"]}


def test_an_empty_list_replaces_a_list(cli: Cli) -> None:
    cli.write(DOCUMENT)

    cli.done("profile", "set", "work", "--exclude", "")

    assert profile(cli)["exclude"] == []


def test_an_override_is_found_in_any_letter_case_and_taken_back_by_an_empty_text(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.done("profile", "set", "work", "--override", "github.a", "name=find")

    cli.done("profile", "set", "work", "--override", "GitHub.A", "name=")

    assert profile(cli)["overrides"] == {}


@pytest.mark.parametrize(
    ("words", "said", "hint"),
    [
        (["add", "new", "--servers", "github,liner"], 'no server is called "liner"', "Did you mean linear?"),
        (["set", "wrok", "--servers", "github"], "There is no profile 'wrok'.", "Did you mean work?"),
        (["set", "zzz", "--servers", "github"], "There is no profile 'zzz'.", "switchboard profile add zzz"),
        (["set", "work", "--surface", "flatt"], 'found "flatt"', "Did you mean flat?"),
        (["set", "work", "--include", "github"], "expected a pattern server.tool", 'Write "github.*"'),
        (["set", "work", "--exclude-remove", "github.c"], "'github.c' is not in the list", "Did you mean github.b?"),
        (["set", "work", "--budget", "timeout=5"], "There is no key 'timeout'.", "Did you mean timeoutMs?"),
        (["set", "work", "--override", "github.a", "title=x"], "There is no key 'title'.", "name, description"),
        (["remove", "wrok"], "No profile is called 'wrok'.", "Did you mean work?"),
        (["remove", "work"], "The profile 'work' is the default.", "switchboard profile default NAME"),
        (["default", "hom"], "No profile is called 'hom'.", "Did you mean home?"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(words: list[str], said: str, hint: str, cli: Cli) -> None:
    cli.write(DOCUMENT)

    outcome = cli("profile", *words)

    assert (outcome.status, outcome.out) == (1, "")
    assert said in outcome.err
    assert hint in outcome.err
    assert cli.document() == DOCUMENT


def test_a_profile_can_be_removed_once_another_is_the_default(cli: Cli) -> None:
    cli.write(DOCUMENT)

    cli.done("profile", "default", "HOME")
    cli.done("profile", "remove", "work")

    assert (cli.document()["defaultProfile"], list(cli.document()["profiles"])) == ("home", ["home"])


def test_list_shows_what_each_is_made_of(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.list_tools(github=["a", "b", "c"])

    assert cli.done("profile", "list").out.splitlines() == [
        "NAME            TOOLS  SURFACE  WHAT",
        "work (default)  2      auto     github -github.b",
        "home            0      auto     +linear.*",
    ]


def test_json_of_list_is_an_array_of_what_show_gives(cli: Cli) -> None:
    cli.write(DOCUMENT)

    listed = cli.done("profile", "list", "--json").json()

    assert listed == [cli.done("profile", "show", name, "--json").json() for name in ("work", "home")]
    assert (listed[0]["isDefault"], listed[0]["unlisted"]) == (True, ["github"])


def test_show_lists_the_tools(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.done("profile", "set", "work", "--override", "github.a", "name=find")
    cli.list_tools(github=["a", "b", "c"])

    shown = cli.done("profile", "show", "work").out

    assert shown.startswith("name: work (default)\nservers:\n  github\n")
    assert "overrides:\n  github.a: name 'find'\n" in shown
    assert shown.endswith("tools:\n  github.a\n  github.c\n")


def test_a_change_says_how_many_tools_there_are_now(cli: Cli) -> None:
    cli.write(DOCUMENT)
    cli.list_tools(github=["a", "b", "c"])

    outcome = cli.done("profile", "set", "work", "--exclude", "", "--servers-add", "linear")

    assert outcome.out.splitlines() == [
        "Profile work has 3 tools.",
        "Not listed yet, so their tools are still to come: linear",
    ]


def test_a_new_warning_is_said_once(cli: Cli) -> None:
    cli.write(DOCUMENT)

    first = cli.done("profile", "set", "work", "--include", "sentry.x")
    second = cli.done("profile", "set", "work", "--description", "x")

    assert 'warning: /profiles/work/include/0: no server is called "sentry"' in first.err
    assert second.err == ""
