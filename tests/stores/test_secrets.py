"""Secrets by name in a private file: kept, found, forgotten, never lost to a slip (docs/security.md)."""

import os
import sys
import threading
from pathlib import Path

import pytest

from switchboard_tray.config.references import Reference, references
from switchboard_tray.errors import NotFound, SwitchboardError
from switchboard_tray.stores.secrets import NAME_CHARS, SecretStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "secrets.json"


@pytest.fixture
def store(path: Path) -> SecretStore:
    return SecretStore(path)


def test_nothing_is_known_before_something_was_kept(store: SecretStore, path: Path) -> None:
    assert (store.names(), store.values(), store.get("github")) == ([], [], None)
    assert not path.exists()


def test_secret_is_found_by_its_name_by_every_store_of_the_file(store: SecretStore, path: Path) -> None:
    store.set("github", "ghp_1")
    store.set("a.b/c-d(e)_1", 'line one\nline two "é" \\')
    store.set("github", "ghp_2")

    other = SecretStore(path)
    assert other.names() == ["a.b/c-d(e)_1", "github"]
    assert other.get("github") == "ghp_2"
    assert other.get("a.b/c-d(e)_1") == 'line one\nline two "é" \\'
    assert other.get("GitHub") is None


def test_removed_secret_is_gone_and_an_unknown_one_is_named_with_the_near_ones(store: SecretStore) -> None:
    store.set("github", "ghp_1")
    with pytest.raises(NotFound, match="no secret 'githab'") as refusal:
        store.remove("githab")
    store.remove("github")

    assert "github" in refusal.value.hint
    assert store.names() == []


@pytest.mark.parametrize("name", ["", " ", "-x", "a b", "a}", "a\n", "é", "$x", "a:b", "x" * (NAME_CHARS + 1)])
def test_name_that_no_config_can_refer_to_is_refused(store: SecretStore, name: str) -> None:
    with pytest.raises(SwitchboardError, match="no name for a secret"):
        store.set(name, "value")


@pytest.mark.parametrize("name", ["x", "GITHUB_TOKEN", "github/work", "a.b-c(d)", "9", "x" * NAME_CHARS])
def test_every_name_that_is_accepted_can_be_referred_to(store: SecretStore, name: str) -> None:
    store.set(name, "value")

    assert references(f"${{secret:{name}}}") == (Reference("secret", name),)


@pytest.mark.parametrize("value", ["", "a\0b"])
def test_value_that_no_variable_can_hold_is_refused(store: SecretStore, value: str) -> None:
    with pytest.raises(SwitchboardError, match="is empty, or holds a NUL"):
        store.set("github", value)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"a": 1}', '{"a": "1", "a": "2"}'])
def test_damaged_file_is_told_and_never_written_over(store: SecretStore, path: Path, content: str) -> None:
    path.parent.mkdir()
    path.write_text(content)
    for attempt in (store.names, lambda: store.get("a"), lambda: store.set("b", "2"), lambda: store.remove("a")):
        with pytest.raises(SwitchboardError, match="secrets file"):
            attempt()

    assert path.read_text() == content


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such bits")
def test_file_is_for_its_user_alone_whatever_it_was_before(store: SecretStore, path: Path) -> None:
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o644)
    umask = os.umask(0)
    try:
        store.set("github", "ghp_1")
    finally:
        os.umask(umask)

    assert {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()} == {
        "secrets.json": 0o600,
        "secrets.lock": 0o600,
    }


def test_secrets_that_are_set_at_once_are_all_kept(path: Path) -> None:
    threads = [threading.Thread(target=SecretStore(path).set, args=(f"s{number}", "x")) for number in range(10)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(SecretStore(path).names()) == 10
