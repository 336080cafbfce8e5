"""The admin token and the proof that a port is ours (docs/security.md)."""

import hmac
import os
from hashlib import sha256
from pathlib import Path

import pytest

from switchboard_tray.admin.auth import is_authorized, prove, read_or_make_token
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.http import fetch


def test_token_is_made_once_and_is_for_its_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "admin.token"
    token = read_or_make_token(path)

    assert len(token) >= 43
    assert read_or_make_token(path) == token
    assert path.stat().st_mode & 0o077 == 0


def test_each_home_has_a_token_of_its_own(tmp_path: Path) -> None:
    assert read_or_make_token(tmp_path / "a") != read_or_make_token(tmp_path / "b")


@pytest.mark.parametrize("damaged", [b"", b"short", b"\n", b"\xff\xfe\x00" * 20])
def test_token_that_could_be_guessed_or_read_by_nobody_is_replaced(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "admin.token"
    path.write_bytes(damaged)

    assert len(read_or_make_token(path)) >= 43


@pytest.mark.skipif(os.name != "posix", reason="Windows has no mode bits")
def test_token_that_others_could_read_is_closed_to_them(tmp_path: Path) -> None:
    path = tmp_path / "admin.token"
    token = read_or_make_token(path)
    path.chmod(0o644)

    assert read_or_make_token(path) == token
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("given", ["Bearer abc", "bearer abc", "BEARER  abc "])
def test_bearer_with_the_token_is_authorized(given: str) -> None:
    assert is_authorized(given, "abc")


@pytest.mark.parametrize(
    "given", [None, "", "abc", "Bearer", "Bearer ", "Bearer abcd", "Bearer ab", "Basic abc", "Bearer é"]
)
def test_anything_else_is_not(given: str | None) -> None:
    assert not is_authorized(given, "abc")


async def test_hello_proves_that_the_port_is_ours_without_the_token(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        token = gateway.paths.admin_token.read_text()
        answer = await fetch(gateway.port, "GET", "/hello?nonce=n-1")
        without = [
            await fetch(gateway.port, "GET", f"/hello{query}")
            for query in ("", "?nonce=", "?nonce=" + "x" * 129, "?other=1")
        ]

    expected = hmac.new(token.encode(), b"n-1", sha256).hexdigest()
    assert (answer.status, answer.json()["hmac"]) == (200, expected) == (200, prove(token, "n-1"))
    assert token not in answer.body.decode()
    assert [(one.status, "hmac" in one.json()) for one in without] == [(400, False)] * 4
