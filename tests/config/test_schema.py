"""The JSON Schema against `parse`: what is valid passes both, what the schema refuses is refused."""

import dataclasses
from typing import Any

import jsonschema
import pytest
from hypothesis import given

from switchboard_tray.config.first import first_document
from switchboard_tray.config.keys import ROOT, Kind, ListOf, MapOf, Table
from switchboard_tray.config.parse import parse_config
from switchboard_tray.config.schema import config_schema
from tests.config.documents import mutated_documents, valid_documents, whole_documents

SCHEMA = config_schema()
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)

README_EXAMPLE: dict[str, Any] = {
    "version": 1,
    "servers": {
        "github": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-github"],
            "env": {"GITHUB_TOKEN": "${secret:github}"},
        },
        "linear": {"url": "https://mcp.linear.app/mcp", "headers": {"X-Team": "core"}},
    },
    "profiles": {
        "work": {
            "servers": ["github", "linear"],
            "include": ["notion.search"],
            "exclude": ["github.delete_repository", "sentry.*"],
            "surface": "auto",
            "autoThreshold": 40,
            "overrides": {
                "github.search_issues": {"name": "find_issues", "description": "Search issues in the acme org."}
            },
        }
    },
    "defaultProfile": "work",
    "clients": [{"match": "cursor*", "profile": "work"}],
    "settings": {"port": 7923},
}


def with_server(**spec: Any) -> dict[str, Any]:
    return {"servers": {"s": spec}}


def with_profile(**spec: Any) -> dict[str, Any]:
    return {"servers": {"s": {"command": "x"}}, "profiles": {"p": spec}}


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    "document",
    [
        {},
        first_document(),
        README_EXAMPLE,
        {"$schema": "http://127.0.0.1:7923/schema/config.json", "version": 1, "unknown": None},
        with_server(command="x", type="stdio", disabled=True, maxConcurrent=None, idleTimeoutSec=1.5),
        with_server(url="HTTP://x/${env:PATH}", transport="streamableHttp"),
        with_server(url="${env:URL}"),
        with_server(command="x", args=["a\nb"], env={"A": ""}, maxConcurrent=3.0),
        with_profile(surface="flat", servers=["S"], accounts={"s": {"headers": {"A": "b"}}}, relay=["tools"]),
        {"clients": [{"match": "*", "profile": None}], "defaultProfile": None},
    ],
)
def test_a_valid_document_passes_schema_and_parse(document: dict[str, Any]) -> None:
    VALIDATOR.validate(document)
    assert parse_config(document).problems == ()


@pytest.mark.parametrize(
    "document",
    [
        [],
        {"version": 0},
        {"servers": []},
        {"servers": {"a b": {"command": "x"}}},
        {"servers": {"a__b": {"command": "x"}}},
        {"servers": {"script": {"command": "x"}}},
        {"profiles": {"-p": {}}},
        {"clients": [{}]},
        {"settings": {"port": 0}},
        {"settings": {"audit": {"bodies": 1}}},
        with_server(),
        with_server(command="x", url="https://x"),
        with_server(command=""),
        with_server(url="x"),
        with_server(command="x", env={"A": 1}),
        with_server(url="https://x", headers={"A:": "b"}),
        with_server(command="x", callTimeoutSec=0),
        with_profile(autoThreshold=501),
        with_profile(surface="mta"),
        with_profile(include=["s"]),
        with_profile(overrides={"s": {}}),
        with_profile(overrides={"s.x": {"name": "a b"}}),
    ],
)
def test_an_invalid_document_is_refused_by_schema_and_parse(document: Any) -> None:
    assert not VALIDATOR.is_valid(document)
    assert parse_config(document).problems != ()


@given(valid_documents())
@whole_documents
def test_what_parse_takes_the_schema_takes(document: dict[str, Any]) -> None:
    VALIDATOR.validate(document)


@given(mutated_documents())
@whole_documents
def test_what_the_schema_refuses_parse_refuses(document: dict[str, Any]) -> None:
    if not VALIDATOR.is_valid(document):
        assert parse_config(document).problems != ()


def test_every_key_of_every_table_has_its_line_and_its_default() -> None:
    server = SCHEMA["$defs"]["server"]["properties"]

    assert server["idleTimeoutSec"] == {
        "type": "number",
        "minimum": 0,
        "maximum": 31_536_000,
        "description": "Seconds without a call after which it is stopped; 0: starts with the gateway and stays.",
        "default": 600.0,
    }
    assert server["maxConcurrent"]["anyOf"] == [{"type": "integer", "minimum": 1, "maximum": 1000}, {"type": "null"}]
    assert SCHEMA["properties"]["settings"]["properties"]["autoThreshold"]["default"] == 40
    assert SCHEMA["$defs"]["profile"]["properties"]["relay"]["default"] == ["tools"]
    assert "default" not in SCHEMA["$defs"]["profile"]["properties"]["surface"]
    assert SCHEMA["properties"]["servers"]["additionalProperties"] == {"$ref": "#/$defs/server"}


def test_each_key_fills_a_field_of_its_model() -> None:
    other_spellings = {"type", "disabled"}
    for table in tables(ROOT):
        if table.model is not None:
            known = {slot.name for slot in dataclasses.fields(table.model)} | other_spellings
            assert {key.field for key in table.keys if key.field} <= known


def tables(kind: Kind) -> list[Table]:
    match kind:
        case Table():
            return [kind, *(found for key in kind.keys for found in tables(key.kind))]
        case ListOf() | MapOf():
            return tables(kind.item)
        case _:
            return []
