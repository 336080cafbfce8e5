"""The older engine, quickjs 1.19.4, behind the same bridge: the same attacks, the same answers."""

from pathlib import Path

import pytest

from build.engines import prepare_old_engine
from build.environment import Unavailable
from switchboard_tray.sandbox.model import Script
from switchboard_tray.sandbox.pool import SandboxPool
from tests.sandbox.host import SERVERS, EchoHost, said, value_of
from tests.sandbox.suite import contain_all

pytestmark = pytest.mark.engines


@pytest.fixture(scope="module")
def old_engine() -> Path:
    try:
        return prepare_old_engine()
    except Unavailable as exc:
        pytest.skip(str(exc))


@pytest.mark.timeout(300)
async def test_every_attack_is_contained(old_engine: Path) -> None:
    # It crashes where memory is short; its process alone ends by that.
    assert await contain_all(lambda: SandboxPool(engine_folder=str(old_engine)), may_crash=True) == []


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("async () => 42", 42),
        ("const x: number = 42; return x", 42),
        ("async () => s.echo({ n: 2n ** 64n, t: 'é' })", {"n": 2**64, "t": "é"}),
        ("async () => (await s.echo({ n: 2n ** 64n })).n + 1n", 2**64 + 1),
        ("async () => catalog.describe(['s.echo'])", "declared: s.echo"),
    ],
)
async def test_scripts_give_the_same(old_engine: Path, source: str, value: object) -> None:
    async with SandboxPool(engine_folder=str(old_engine)) as pool:
        outcome = await pool.run(Script(source, SERVERS), EchoHost())

    assert (outcome.kind, value_of(outcome.result)) == ("ok", value)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("async () => foo()", "the globals with tools are: s, t, catalog"),
        ("async () => s.ecko()", "Hint: Did you mean echo?"),
        ("async () => {\n\n  foo()\n}", "(line 3"),
        ("async () => { await new Promise(() => {}) }", "runtime: Deadlock"),
        ("const b = ;", "syntax: SyntaxError"),
    ],
)
async def test_failures_are_told_the_same(old_engine: Path, source: str, words: str) -> None:
    async with SandboxPool(engine_folder=str(old_engine)) as pool:
        outcome = await pool.run(Script(source, SERVERS), EchoHost())

    assert words in said(outcome.result)
