"""Which surface a profile has by its size, and what a manifest keeps when space is short."""

import pytest

from switchboard_tray.surfaces.auto import choose_surface
from switchboard_tray.surfaces.manifest import MANIFEST_CHARS, write_manifest
from switchboard_tray.surfaces.material import ServerLine, purpose_of, rounded, summary


@pytest.mark.parametrize(
    ("surface", "above", "tools", "servers", "chosen"),
    [
        ("auto", "meta", 40, 3, "passthrough"),
        ("auto", "meta", 41, 3, "meta"),
        ("auto", "apps", 40, 30, "passthrough"),
        ("auto", "apps", 41, 24, "apps"),
        ("auto", "apps", 41, 25, "compact"),
        ("compact", "meta", 1, 1, "compact"),
        ("passthrough", "apps", 900, 90, "passthrough"),
    ],
)
def test_surface_by_size(surface: str, above: str, tools: int, servers: int, chosen: str) -> None:
    assert choose_surface(surface, 40, above, tools, servers) == chosen


@pytest.mark.parametrize(
    ("count", "shown"), [(0, "0"), (9, "9"), (10, "10+"), (19, "10+"), (100, "100+"), (5000, "1000+")]
)
def test_counts_are_rounded_so_that_they_seldom_change(count: int, shown: str) -> None:
    assert rounded(count) == shown


def test_manifest_gives_up_purposes_then_counts_and_never_a_name() -> None:
    for count in (3, 40, 100, 120, 200):
        servers = [ServerLine(f"server-number-{i}", 12, "Does a great many useful things. " * 3) for i in range(count)]
        text = write_manifest("Head.", servers)

        assert all(server.name in text for server in servers)
        assert len(text) <= max(MANIFEST_CHARS, sum(len(server.name) + 2 for server in servers) + 10)


def test_server_without_a_purpose_is_named_with_its_count() -> None:
    assert write_manifest("Head.", [ServerLine("a", 1, "")]) == "Head.\n- a (1 tool)"
    many = [ServerLine(f"s{i}", 1, "" if i else "For x." * 20) for i in range(150)]
    assert "s149" in write_manifest("Head.", many)


def test_purpose_is_the_users_line_else_the_servers_words_else_its_tools() -> None:
    assert purpose_of("s", "Mine.", "Theirs.", ["a"]) == "Mine."
    assert purpose_of("s", " ", "Theirs is a long sentence. More.", ["a"]) == "Theirs is a long sentence."
    assert purpose_of("s", "", "", ["get_issue", "list_pull_requests"]) == "issue, pull requests"
    assert purpose_of("s", "", "", ["get", "s_list"]) == "get, s_list"


def test_summary_is_the_first_sentence_on_one_line_and_cut() -> None:
    assert summary("Finds\n  all the things there are. Then more.", 80) == "Finds all the things there are."
    assert summary("e.g. this is no end of a sentence", 80) == "e.g. this is no end of a sentence"
    assert summary("x" * 50, 20) == "x" * 17 + "..."
    assert summary("one, two, three, four", 20) == "one, two, three..."
    assert summary("one, two, threes four", 20) == "one, two, threes..."
