"""How JavaScript names servers and tools: always an identifier, never two things under one name."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.catalog.code_names import RESERVED, CodeName, identifier, settle_code_names
from switchboard_tray.names import ToolRef

WORDS = st.sampled_from(["delete", "delete_", "then", "Map"])
NAMES = st.text(st.sampled_from("ab1_-.$ é中\ud800"), max_size=5) | WORDS


def settled(*refs: str) -> list[str]:
    parsed = [ToolRef(*ref.split(".", 1)) for ref in refs]
    names = settle_code_names(parsed)
    return [str(names[ref]) for ref in parsed]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("create_issue", "create_issue"),
        ("beta-2", "beta_2"),
        ("2fa", "_2fa"),
        ("issues.get all", "issues_get_all"),
        ("delete", "delete_"),
        ("JSON", "JSON_"),
        ("console", "console_"),
        ("then", "then_"),
        ("__proto__", "__proto___"),
        ("größe", "größe"),
        ("a😀", "a_"),
        ("", "_"),
    ],
)
def test_name_becomes_an_identifier(name: str, shown: str) -> None:
    assert identifier(name) == shown


def test_name_that_needed_no_change_is_kept_and_others_get_a_hash() -> None:
    kept, dotted, dashed = settled("s.a_b", "s.a.b", "s.a-b")

    assert kept == "s.a_b"
    assert len({kept, dotted, dashed}) == 3 and dotted.startswith("s.a_b_") and dashed.startswith("s.a_b_")
    assert settled("s.a-b", "s.a.b", "s.a_b") == [dashed, dotted, kept]


def test_servers_that_come_to_the_same_name_are_told_apart() -> None:
    one, other = settled("a-b.x", "a_b.x")

    assert other == "a_b.x" and one != other and one.endswith(".x")
    assert settled("a-b.x", "a-b.y") == ["a_b.x", "a_b.y"]


def test_name_that_looks_like_one_with_a_hash_is_not_taken_from_its_owner() -> None:
    hashed = settled("s.a.b", "s.a-b")[0].partition(".")[2]
    names = settled("s.a.b", "s.a-b", f"s.{hashed}")

    assert names[2] == f"s.{hashed}" and len(set(names)) == 3


@given(st.lists(st.builds(ToolRef, NAMES.filter(bool), NAMES), unique=True, max_size=12))
def test_every_tool_has_a_name_of_its_own_whatever_the_order(refs: list[ToolRef]) -> None:
    names = settle_code_names(refs)

    assert len(set(names.values())) == len(refs)
    assert names == settle_code_names(refs[::-1])
    assert not {part for name in names.values() for part in name} & RESERVED
    servers = {(ref.server, name.server) for ref, name in names.items()}
    assert len(servers) == len({server for server, _ in servers}) == len({name for _, name in servers})
    assert all(isinstance(name, CodeName) for name in names.values())
