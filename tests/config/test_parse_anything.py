"""Parsing under any input: never an exception, never a secret, the same as its own schema."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.config.parse import parse_config
from tests.config.documents import JSON_VALUES, mutated_documents, unhurried, valid_documents, whole_documents

SECRET = "hunter2"
_ODD_SECRETS = st.sampled_from(
    [
        SECRET,
        f"{SECRET} ${{",
        f"${{{SECRET}}}",
        f"{SECRET}\0",
        f"{SECRET}\n{SECRET}",
        [SECRET],
        {SECRET: SECRET},
        f"\ud800{SECRET}",
    ]
)


@given(JSON_VALUES)
@unhurried
def test_any_json_value_gives_a_config_or_problems(value: object) -> None:
    parsed = parse_config(value)

    assert (parsed.config is None) == bool(parsed.problems)


@given(valid_documents())
@whole_documents
def test_a_valid_document_gives_a_config(document: dict[str, Any]) -> None:
    before = json.dumps(document)
    parsed = parse_config(document)

    assert parsed.problems == ()
    assert parsed.config is not None
    assert set(parsed.config.servers) == set(document["servers"])
    assert json.dumps(document) == before


@given(mutated_documents())
@whole_documents
def test_a_document_with_a_fault_gives_a_config_or_problems_that_read_well(document: dict[str, Any]) -> None:
    parsed = parse_config(document)

    assert (parsed.config is None) == bool(parsed.problems)
    for problem in (*parsed.problems, *parsed.warnings):
        assert str(problem).isprintable()
        assert problem.pointer == "" or problem.pointer.startswith("/")


@given(valid_documents(), st.sampled_from(["env", "headers"]), _ODD_SECRETS, st.booleans())
@whole_documents
def test_values_of_env_and_headers_never_show_in_what_is_said(
    document: dict[str, Any], key: str, secret: Any, is_whole: bool
) -> None:
    value = secret if is_whole and not isinstance(secret, dict) else {"TOKEN": secret}
    servers = {name: {**spec, key: value} for name, spec in document["servers"].items()}
    accounts = {name: {key: value} for name in servers}
    parsed = parse_config({**document, "servers": servers, "profiles": {"p": {"accounts": accounts}}})

    said = [*map(str, parsed.problems), *map(str, parsed.warnings)]
    assert [line for line in said if SECRET in line] == []
