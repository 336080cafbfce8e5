"""What a search comes to as tools, for those who show it themselves."""

import pytest

from switchboard_tray.surfaces.calling import explain_miss, find_entries
from switchboard_tray.surfaces.plan import ServerTrouble, Surroundings
from tests.surfaces.materials import usual

AROUND = Surroundings((ServerTrouble("jira", "it is switched off"),))


@pytest.mark.parametrize("query", ["notes", " Notes ", "notes.*"])
def test_name_of_a_server_finds_its_tools(query: str) -> None:
    assert [str(entry.ref) for entry in find_entries(usual(), query, None, AROUND)] == [
        "notes.add_note",
        "notes.search_notes",
    ]
    assert len(find_entries(usual(), query, 1, AROUND)) == 1


def test_words_find_what_fits_up_to_the_limit() -> None:
    assert [str(entry.ref) for entry in find_entries(usual(), "create issue", 1, AROUND)] == ["github.create_issue"]


def test_miss_of_one_tool_is_told_apart_from_a_server_that_could_not_be_searched() -> None:
    assert explain_miss(usual(), "qqq", AROUND).splitlines()[-1] == "Not searched: jira (it is switched off)"
