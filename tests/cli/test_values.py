"""Text from the command line as values of the config."""

from typing import Any

import pytest

from switchboard_tray.cli.values import commas, kind_at, looks_secret, typed, typed_item
from switchboard_tray.config.keys import PROFILE, SERVER
from switchboard_tray.errors import NotFound, SwitchboardError


@pytest.mark.parametrize(
    ("item", "keys", "value"),
    [
        ("callTimeoutSec=300", ["callTimeoutSec"], 300),
        ("idleTimeoutSec=0.5", ["idleTimeoutSec"], 0.5),
        ("enabled=no", ["enabled"], False),
        ("enabled=maybe", ["enabled"], "maybe"),
        ("description=12", ["description"], "12"),
        ("description=a=b", ["description"], "a=b"),
        ("args=-y 'a b'", ["args"], ["-y", "a b"]),
        ('args=["-y", "a,b"]', ["args"], ["-y", "a,b"]),
        ("env.TOKEN.X=1", ["env", "TOKEN.X"], "1"),
        ('env={"A": "1"}', ["env"], {"A": "1"}),
        ("cwd=", ["cwd"], None),
        ("env.A=", ["env", "A"], None),
        ("maxConcurrent=null", ["maxConcurrent"], None),
    ],
)
def test_a_value_is_read_by_the_kind_of_its_key(item: str, keys: list[str], value: Any) -> None:
    assert typed_item(SERVER, item) == (keys, value)


def test_names_stand_between_commas() -> None:
    assert typed_item(PROFILE, "servers=a, b,") == (["servers"], ["a", "b"])


def test_a_number_that_is_none_is_refused_in_words_of_the_command_line() -> None:
    with pytest.raises(SwitchboardError, match="'soon' is not a number"):
        typed_item(SERVER, "callTimeoutSec=soon")


@pytest.mark.parametrize(
    ("item", "hint"), [("discription=1", "Did you mean description"), ("zzz=1", "There are command, args")]
)
def test_an_unknown_key_is_refused_with_those_there_are(item: str, hint: str) -> None:
    with pytest.raises(NotFound) as caught:
        typed_item(SERVER, item)

    assert caught.value.hint.startswith(hint)


def test_a_single_value_has_nothing_inside() -> None:
    with pytest.raises(NotFound, match="'command' has no 'x' in it"):
        typed_item(SERVER, "command.x=1")


def test_a_key_that_nobody_knows_takes_json_or_text() -> None:
    assert [typed(kind_at(("mine", "own")), text) for text in ("1", '["a"]', "word")] == [1, ["a"], "word"]


def test_items_of_several_options_are_one_list() -> None:
    assert commas(["a,b", " c ", ""]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "name", ["GITHUB_TOKEN", "apiKey", "X-Api-Key", "DB_PASSWORD", "Authorization", "OPENAI_APIKEY"]
)
def test_names_of_secrets_are_recognized(name: str) -> None:
    assert looks_secret(name)


@pytest.mark.parametrize("name", ["PATH", "LANG", "GITHUB_HOST", "KEYBOARD", "X-Team", "COMPAT"])
def test_other_names_are_none_of_secrets(name: str) -> None:
    assert not looks_secret(name)
