"""The TypeScript compiler takes what we write, as strict: of every real tool, and of whatever a schema may hold."""

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from build.bench.tokens import Catalogue
from switchboard_tray.catalog.model import Tool
from switchboard_tray.typescript.render import ServerDeclarations, declarations
from tests.clients.programs import PROGRAM_S, Npm
from tests.typescript.schemas import SCHEMAS, deep, doubling, tool

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]

KEYWORDS = (
    "get set new async static readonly declare abstract constructor class default type of in is __proto__".split()
)


def complaints(npm: Npm, folder: Path, text: str) -> str:
    """What the compiler says of a file with `text`, as the sandbox has the language: without a browser's globals."""
    file = folder / "tools.ts"
    file.write_text(text, "utf-8")
    command = [*npm.script("typescript", "tsc"), "--noEmit", "--strict", "--lib", "es2023", str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PROGRAM_S)
    return done.stdout if done.returncode else ""


def server(name: str, *schemas: Any) -> ServerDeclarations:
    return ServerDeclarations(name, [(f"tool_{at}", tool(one, output=one)) for at, one in enumerate(schemas)])


def test_every_tool_of_the_catalogue_compiles(npm: Npm, catalogue: Catalogue, tmp_path: Path) -> None:
    def code_name(name: str) -> str:
        return re.sub(r"\W|^(?=[0-9])", "_", name)

    def methods(tools: Any) -> list[tuple[str, Tool]]:
        return [(code_name(one.name), one) for one in tools]

    servers = [ServerDeclarations(f"{code_name(name)}_", methods(tools)) for name, tools in catalogue.items()]

    assert sum(len(one.tools) for one in servers) == 4_032
    assert complaints(npm, tmp_path, declarations(servers)) == ""


def test_the_compiler_complains_of_a_broken_file(npm: Npm, tmp_path: Path) -> None:
    assert "tools.ts(1,18): error TS2304" in complaints(npm, tmp_path, "declare const a: Missing_;")


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(schemas=st.lists(SCHEMAS, min_size=40, max_size=60))
def test_whatever_schemas_hold_their_types_compile(npm: Npm, tmp_path_factory: Any, schemas: list[Any]) -> None:
    text = declarations([server("a", *schemas[::2]), server("b", *schemas[1::2])])

    assert complaints(npm, tmp_path_factory.mktemp("any"), text) == ""


def test_recursive_odd_and_hostile_schemas_compile(npm: Npm, tmp_path: Path) -> None:
    node = {"$ref": "#/$defs/Node"}
    shapes: list[Any] = [
        {"items": node},
        {"prefixItems": [node], "items": node},
        {"additionalProperties": node},
        {"properties": {"up": node}, "additionalProperties": node},
        {"anyOf": [node, {"items": node}, {"type": "null"}]},
        {"allOf": [node, {"properties": {"up": node}}]},
    ]
    schemas = [{"properties": {"a": node, "b": node}, "$defs": {"Node": shape}} for shape in shapes]
    schemas += [{"properties": {name: {} for name in KEYWORDS}}, deep(90, "items"), doubling(60)]
    schemas += [{"properties": {f"p{number}": {"enum": ["x" * 99, number]} for number in range(10_000)}}]
    methods = ServerDeclarations("names", [(name, tool({})) for name in KEYWORDS])

    assert complaints(npm, tmp_path, declarations([server("shapes", *schemas), methods])) == ""


def test_a_browsers_types_do_not_clash_with_ours(npm: Npm, tmp_path: Path) -> None:
    named = {"type": "object", "properties": {"up": {"$ref": "#/$defs/Node"}}}
    text = declarations([server("a", {"$ref": "#/$defs/Node", "$defs": {"Node": named}})])

    assert "type Node_ = " in text
    assert complaints(npm, tmp_path, f'/// <reference lib="dom" />\n{text}') == ""
