"""The eleven tools, called as a client calls them: results, refusals, and the schemas that promise both."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from switchboard_tray.demo.database import connect, transaction
from switchboard_tray.demo.export import EXPORT_LIMIT_CHARS
from switchboard_tray.demo.notebook import Notebook, open_notebook, utc_now
from switchboard_tray.demo.notes import BODY_LIMIT_CHARS
from switchboard_tray.demo.protocol import answer
from switchboard_tray.demo.tool import definition
from switchboard_tray.demo.tools import TOOLS

DEFINITIONS: dict[str, Any] = {tool.name: definition(tool) for tool in TOOLS}
PROGRESS_TOKEN = "token"


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[Notebook]:
    """A new notebook with the three welcome notes."""
    with closing(open_notebook(tmp_path / "notes.db")) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_notebook() -> Iterator[Notebook]:
    """A notebook in memory that all examples of the random tests share."""
    with closing(open_notebook(Path(":memory:"))) as opened:
        yield opened


def result_of(notebook: Notebook, name: str, arguments: object, heard: list[Any] | None = None) -> Any:
    """Result of ``tools/call``; the notifications sent before it are added to `heard`."""
    params = {"name": name, "arguments": arguments, "_meta": {"progressToken": PROGRESS_TOKEN}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    response = answer(message, notebook, [].append if heard is None else heard.append)
    assert response is not None
    return response["result"]


def structured(notebook: Notebook, name: str, **arguments: object) -> Any:
    """Structured content of a call that has to succeed and to keep its promise."""
    result = result_of(notebook, name, arguments)
    assert not result["isError"], result
    jsonschema.validate(result["structuredContent"], DEFINITIONS[name]["outputSchema"])
    return result["structuredContent"]


def refusal(notebook: Notebook, name: str, **arguments: object) -> str:
    """Sentence of a call that has to be refused."""
    result = result_of(notebook, name, arguments)
    assert result["isError"] and "structuredContent" not in result
    sentence: str = result["content"][0]["text"]
    return sentence


def test_add_note_returns_an_id_under_which_get_note_finds_the_text(notebook: Notebook) -> None:
    added = structured(notebook, "add_note", title="  Shopping \n list ", body="milk", tags=["#Food", "food"])
    note = structured(notebook, "get_note", note_id=added["id"])
    assert (note["title"], note["body"], note["tags"]) == ("Shopping list", "milk", ["food"])


def test_search_notes_returns_excerpts_and_the_total(notebook: Notebook) -> None:
    page = structured(notebook, "search_notes", query="gateway", limit=1)
    assert page["total"] == 2
    assert "gateway" in page["notes"][0]["excerpt"]


def test_list_notes_takes_tag_order_limit_and_offset(notebook: Notebook) -> None:
    page = structured(notebook, "list_notes", tag="#Welcome", order="oldest", limit=1, offset=1)
    assert ([note["id"] for note in page["notes"]], page["total"]) == ([2], 3)


def test_tag_note_and_untag_note_are_each_others_reverse(notebook: Notebook) -> None:
    assert structured(notebook, "tag_note", note_id=1, tags=["x"])["tags"] == ["welcome", "x"]
    assert structured(notebook, "untag_note", note_id=1, tags=["X"])["tags"] == ["welcome"]


def test_list_tags_counts_notes(notebook: Notebook) -> None:
    assert structured(notebook, "list_tags", limit=1) == {"tags": [{"tag": "welcome", "note_count": 3}]}


def test_update_note_replaces_what_is_given_and_keeps_the_rest(notebook: Notebook) -> None:
    before = structured(notebook, "get_note", note_id=1)
    structured(notebook, "update_note", note_id=1, body="")
    after = structured(notebook, "get_note", note_id=1)
    assert (after["title"], after["body"]) == (before["title"], "")


def test_delete_note_removes_it_for_good(notebook: Notebook) -> None:
    assert structured(notebook, "delete_note", note_id=1)["deleted_id"] == 1
    assert refusal(notebook, "get_note", note_id=1).startswith("There is no note 1;")


def test_notebook_stats_count_notes_and_tags(notebook: Notebook) -> None:
    structured(notebook, "add_note", title="Untagged")
    stats = structured(notebook, "notebook_stats")
    assert (stats["note_count"], stats["untagged_count"], stats["tag_count"]) == (4, 1, 3)


def test_stats_of_an_empty_notebook_keep_to_their_schema(notebook: Notebook) -> None:
    for note_id in (1, 2, 3):
        structured(notebook, "delete_note", note_id=note_id)
    assert "first_created_at" not in structured(notebook, "notebook_stats")


def test_export_as_markdown_is_the_text_block_itself(notebook: Notebook) -> None:
    result = result_of(notebook, "export_notes", {"tag": "about"})
    text = result["content"][0]["text"]
    assert text == result["structuredContent"]["document"]
    assert text.startswith("# Notebook\n\n## Where your notes live\n")
    assert "#about #welcome" in text


def test_export_as_json_reads_back_as_every_note(notebook: Notebook) -> None:
    exported = json.loads(structured(notebook, "export_notes", format="json")["document"])
    assert exported == [structured(notebook, "get_note", note_id=note_id) for note_id in (1, 2, 3)]


@pytest.mark.parametrize(("export_format", "text"), [("json", "[]"), ("markdown", "# Notebook\n\nNo notes.\n")])
def test_export_of_no_notes_is_a_document_that_says_so(notebook: Notebook, export_format: str, text: str) -> None:
    document = structured(notebook, "export_notes", format=export_format, tag="never")
    assert (document["document"], document["note_count"], document["is_complete"]) == (text, 0, True)


def test_export_reports_rising_progress_up_to_the_total(notebook: Notebook) -> None:
    for number in range(60):
        notebook.add_note(f"Note {number}", "", ())
    heard: list[Any] = []
    result_of(notebook, "export_notes", {}, heard)
    steps = [message["params"]["progress"] for message in heard]
    assert steps == sorted(set(steps)) and steps[-1] == 63 and 10 <= len(steps) <= 30
    assert {message["params"]["progressToken"] for message in heard} == {PROGRESS_TOKEN}


@pytest.mark.parametrize("export_format", ["markdown", "json"])
def test_export_past_the_limit_stops_at_a_whole_note_and_says_so(notebook: Notebook, export_format: str) -> None:
    for number in range(12):
        notebook.add_note(f"Long {number}", "x" * BODY_LIMIT_CHARS, ())
    document = structured(notebook, "export_notes", format=export_format)
    assert (document["is_complete"], document["note_count"]) == (False, 3 + 9)
    assert len(document["document"]) <= EXPORT_LIMIT_CHARS + 100


def test_text_block_is_the_structured_content_for_clients_that_know_no_other(notebook: Notebook) -> None:
    result = result_of(notebook, "list_notes", {})
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("get_note", {}, "note_id is missing; this tool needs it: Number of the note"),
        ("get_note", {"note_id": None}, "note_id is missing"),
        (
            "get_note",
            {"note_id": "1"},
            "note_id must be a whole number from 1 to 9007199254740991; got the string '1'.",
        ),
        ("get_note", {"note_id": True}, "got true."),
        ("get_note", {"note_id": 1.5}, "got 1.5."),
        ("get_note", {"note_id": 10**4000}, "got a number out of range."),
        ("get_note", {"note_id": 1e300}, "got a number out of range."),
        ("get_note", {"note_id": [1]}, "got an array of 1."),
        ("get_note", {"note_id": 99}, "There is no note 99; list_notes and search_notes show the ids that exist."),
        ("get_note", {"note_id": 1, "id": 1}, "There is no argument 'id'; this tool takes note_id."),
        ("notebook_stats", {"a": 1}, "this tool takes none."),
        (
            "list_notes",
            {"order": "random"},
            "order must be one of newest, oldest, recently_updated, title; got the str",
        ),
        ("list_notes", {"limit": 0}, "limit must be a whole number from 1 to 100; got 0."),
        ("list_notes", {"offset": -1}, "offset must be a whole number from 0"),
        ("list_notes", {"tag": "two words"}, "'two words' is not a tag; use one word"),
        ("add_note", {"title": "x" * 201}, "title must have 1 to 200 characters; got 201."),
        ("add_note", {"title": " \n "}, "title is blank"),
        ("add_note", {"title": {}}, "title must be a string; got an object."),
        ("add_note", {"title": "a", "body": "x" * 1_000_000}, "body must have 0 to 100000 characters; got 1000000."),
        ("add_note", {"title": "a\0b"}, "title holds a NUL character"),
        ("add_note", {"title": "\ud800"}, "title holds half of a surrogate pair"),
        ("add_note", {"title": "a", "tags": "a"}, "tags must be an array of 0 to 20 strings; got the string 'a'."),
        ("add_note", {"title": "a", "tags": ["a", 1]}, "tags[1] must be a string; got 1."),
        ("tag_note", {"note_id": 1, "tags": []}, "tags must be an array of 1 to 20 strings; got an array of 0."),
        ("update_note", {"note_id": 1}, "There is nothing to update; give title, body or both."),
        ("search_notes", {"query": " "}, "query is blank"),
        ("export_notes", {"format": "pdf"}, "format must be one of markdown, json; got the string 'pdf'."),
    ],
)
def test_bad_argument_is_answered_with_a_sentence_that_helps(
    notebook: Notebook, name: str, arguments: dict[str, object], sentence: str
) -> None:
    assert sentence in refusal(notebook, name, **arguments)
    assert notebook.count_notes(None) == 3


def test_whole_number_spelled_with_a_point_is_taken(notebook: Notebook) -> None:
    assert structured(notebook, "get_note", note_id=1.0)["id"] == 1


def test_optional_argument_given_as_null_counts_as_left_out(notebook: Notebook) -> None:
    assert structured(notebook, "list_notes", tag=None, limit=None)["total"] == 3


def test_notebook_that_another_program_holds_is_reported_as_busy(notebook: Notebook, tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    impatient = Notebook(connect(path, busy_timeout_s=0), utc_now, has_full_text=True)
    with closing(impatient), closing(connect(path)) as other, transaction(other):
        sentence = refusal(impatient, "add_note", title="a")
    assert sentence == "Another program is writing to the notebook; try again in a moment."


def test_damaged_file_is_reported_and_not_raised(notebook: Notebook, tmp_path: Path) -> None:
    with closing(connect(tmp_path / "notes.db")) as other:
        other.execute("DROP TABLE note_tags")
    assert refusal(notebook, "list_tags").startswith("The notebook file cannot be used (")


@pytest.mark.parametrize("name", DEFINITIONS)
def test_definition_has_valid_schemas_and_describes_every_argument(name: str) -> None:
    tool = DEFINITIONS[name]
    for schema in (tool["inputSchema"], tool["outputSchema"]):
        jsonschema.Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
    assert tool["title"] and tool["description"].endswith(".")
    assert all(schema["description"].endswith(".") for schema in tool["inputSchema"]["properties"].values())


def test_hints_tell_reading_adding_and_replacing_apart() -> None:
    hints = {name: tool["annotations"] for name, tool in DEFINITIONS.items()}
    reading = {"get_note", "search_notes", "list_notes", "list_tags", "export_notes", "notebook_stats"}
    assert {name for name in hints if hints[name]["readOnlyHint"]} == reading
    replacing = {"untag_note", "update_note", "delete_note"}
    assert {name for name in hints if hints[name]["destructiveHint"]} == replacing
    assert {name for name in hints if not hints[name]["idempotentHint"]} == {"add_note"}
    assert not any(hint["openWorldHint"] for hint in hints.values())


ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=60)
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_TEXT, inner, max_size=4),
    max_leaves=8,
)
LIKELY_ARGUMENTS: dict[str, st.SearchStrategy[object]] = {
    "note_id": st.integers(1, 8),
    "title": ANY_TEXT,
    "body": ANY_TEXT,
    "query": ANY_TEXT | st.sampled_from(["welcome note", 'a" OR b', "*"]),
    "tag": st.sampled_from(["welcome", "#A", "ß"]),
    "tags": st.lists(st.sampled_from(["welcome", "#A", "ß"]) | ANY_TEXT, max_size=3),
    "order": st.sampled_from(["newest", "title"]),
    "format": st.sampled_from(["markdown", "json"]),
    "limit": st.integers(0, 60),
    "offset": st.integers(0, 5) | st.just(2**53 - 1),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, object]]:
    """A tool and arguments for it: mostly of the right kind, some random, some missing, some unknown."""
    name = draw(st.sampled_from(sorted(DEFINITIONS)))
    arguments: dict[str, object] = {}
    for argument in DEFINITIONS[name]["inputSchema"]["properties"]:
        match draw(st.integers(0, 9)):
            case 0:
                continue
            case 1:
                arguments[argument] = draw(ANY_JSON)
            case _:
                arguments[argument] = draw(LIKELY_ARGUMENTS[argument])
    if draw(st.integers(0, 9)) == 0:
        arguments[draw(ANY_TEXT)] = draw(ANY_JSON)
    return name, arguments


@given(call=calls())
@example(call=("add_note", {"title": "\udfff", "body": "\0", "tags": [[]]}))
@settings(max_examples=300, deadline=None)
def test_every_call_gives_a_well_formed_result(shared_notebook: Notebook, call: tuple[str, dict[str, object]]) -> None:
    name, arguments = call
    result = result_of(shared_notebook, name, arguments)
    assert json.dumps(result, ensure_ascii=False, allow_nan=False).encode("utf-8")
    (block,) = result["content"]
    assert block["type"] == "text" and block["text"]
    given_arguments = {argument: value for argument, value in arguments.items() if value is not None}
    if result["isError"]:
        assert len(block["text"]) < 500 and block["text"].endswith(".")
    else:
        jsonschema.validate(result["structuredContent"], DEFINITIONS[name]["outputSchema"])
        jsonschema.validate(given_arguments, DEFINITIONS[name]["inputSchema"])
