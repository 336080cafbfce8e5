"""``${env:NAME}``, ``${secret:NAME}`` and ``$${`` in values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.config.references import Reference, expand, references, value_parts
from switchboard_tray.errors import ConfigError
from tests.config.documents import unhurried

ENV = {"HOME": "/home/me", "ProgramFiles(x86)": "C:/x86", "EMPTY": "", "TRAP": "${env:HOME}"}
SECRETS = {"github": "s3cret"}


def expanded(value: str) -> str:
    return expand(value, ENV.get, SECRETS.get)


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("", ""),
        ("plain $HOME $5 {x} $", "plain $HOME $5 {x} $"),
        ("${env:HOME}/bin", "/home/me/bin"),
        ("Bearer ${secret:github}", "Bearer s3cret"),
        ("${env:ProgramFiles(x86)}|${env:EMPTY}|", "C:/x86||"),
        ("$${env:HOME}", "${env:HOME}"),
        ("a $${b} ${env:HOME}", "a ${b} /home/me"),
        ("${env:TRAP}", "${env:HOME}"),
    ],
)
def test_references_are_replaced_once_and_literals_kept(value: str, outcome: str) -> None:
    assert expanded(value) == outcome


def test_references_are_listed_in_order() -> None:
    found = references("a ${secret:x} $${secret:no} ${env:Y}")

    assert found == (Reference("secret", "x"), Reference("env", "Y"))
    assert [str(reference) for reference in found] == ["${secret:x}", "${env:Y}"]


@pytest.mark.parametrize(
    "value",
    [
        "${",
        "${}",
        "${HOME}",
        "${env:}",
        "${env:A B}",
        "${env:A",
        "${input:token}",
        "${Env:A}",
        "${secret:a}${",
        "$$$${x} ${y",
    ],
)
def test_a_reference_that_is_none_is_refused_without_its_text(value: str) -> None:
    with pytest.raises(ConfigError, match=r"^a \$\{ here starts no reference$") as caught:
        value_parts(value)

    assert "$${" in caught.value.hint


def test_an_unset_variable_is_named() -> None:
    with pytest.raises(ConfigError, match=r"^the environment variable NOBODY is not set$"):
        expanded("hunter2 ${env:NOBODY}")


def test_an_unknown_secret_is_named_with_the_command_that_makes_it() -> None:
    with pytest.raises(ConfigError, match=r"^no secret is called gitlab$") as caught:
        expanded("${secret:gitlab}")

    assert caught.value.hint == "switchboard secret set gitlab"


@given(st.text(alphabet="${}a:"))
@unhurried
def test_any_text_can_be_written_as_a_literal(text: str) -> None:
    assert expanded(text.replace("${", "$${")) == text
