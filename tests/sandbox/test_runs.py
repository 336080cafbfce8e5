"""Scripts as models write them, in the real engine."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from switchboard_tray.sandbox.check import check_sandbox
from switchboard_tray.sandbox.model import Budgets, Outcome, Script
from switchboard_tray.sandbox.pool import SandboxPool
from switchboard_tray.sandbox.process import WorkerGone
from tests.fixtures.waiting import eventually
from tests.sandbox.host import SERVERS, EchoHost, said, value_of

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def pool() -> AsyncIterator[SandboxPool]:
    async with SandboxPool() as running:
        yield running


async def run(pool: SandboxPool, source: str, host: EchoHost | None = None, **budgets: Any) -> Outcome:
    return await pool.run(Script(source, SERVERS, Budgets(**{"wall_s": 5.0, **budgets})), host or EchoHost())


@pytest.mark.parametrize(
    "source",
    [
        "async () => 42",
        "async () => { return 42; };",
        "() => 42",
        "async function main() { return 42 }",
        "function () { return 42 }",
        "(async () => 42)()",
        "(() => { return 42 })()",
        "42",
        "(await s.echo({ n: 42 })).n",
        "await s.echo({ n: 42 }); return 42",
        "const x = await s.echo({ n: 42 })\nreturn x.n",
        "const x = await s.echo({ n: 42 });\nx.n",
        "const f = async () => 42;\nf()",
        "```js\nasync () => 42\n```",
        "export default async () => 42",
        "async (): Promise<number> => { const x: number = 42; return x as number }",
        "interface A { n: number }\nconst a: A = { n: 42 };\nreturn a.n!",
        "enum E { A = 42 }\nreturn E.A",
        "// a comment\nasync () => 42 // another",
    ],
)
async def test_every_usual_way_to_write_it_is_understood(pool: SandboxPool, source: str) -> None:
    outcome = await run(pool, source)

    assert (outcome.kind, value_of(outcome.result)) == ("ok", 42)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("9007199254740993n", 9007199254740993),
        ("-(2n ** 70n)", -(2**70)),
        ("5n", 5),
        ("s.echo({ n: 2n ** 64n, m: 1.5 })", {"n": 2**64, "m": 1.5}),
        ("(await s.echo({ n: 2n ** 64n })).n + 1n", 2**64 + 1),
        ("typeof (await s.echo({ n: 9007199254740991 })).n", "number"),
        ("JSON.stringify({ n: 2n ** 64n })", json.dumps({"n": str(2**64)}, separators=(",", ":"))),
        ("s.echo({ text: '18446744073709551616', n: 18446744073709551616n })", {"text": str(2**64), "n": 2**64}),
        ("'\\ud83d'", "\ud83d"),
        ("s.echo({ t: 'a\\0é\\ud800' })", {"t": "a\0é\ud800"}),
        ("new Map([['a', new Set([1, 2])]])", {"a": [1, 2]}),
        ("[NaN, undefined, null]", [None, None, None]),
        ("new Error('x')", {"name": "Error", "message": "x"}),
    ],
)
async def test_values_come_and_go_exactly(pool: SandboxPool, source: str, value: Any) -> None:
    assert value_of((await run(pool, f"async () => {source}")).result) == value


async def test_calls_run_side_by_side(pool: SandboxPool) -> None:
    host = EchoHost()
    task = asyncio.create_task(run(pool, "async () => Promise.all([1, 2, 3].map(() => s.gate({})))", host))
    await eventually(lambda: len(host.calls) == 3)
    host.gate.set()

    assert (await task).kind == "ok"


async def test_failed_tool_throws_and_can_be_caught(pool: SandboxPool) -> None:
    caught = "async () => { try { await s.fail({}) } catch (e) { return [e instanceof Error, e.message] } }"
    uncaught = said((await run(pool, "async () => s.fail({})")).result)

    assert value_of((await run(pool, caught)).result) == [True, "s.fail: no such thing"]
    assert uncaught == "runtime: Error: s.fail: no such thing\n\nHint: s.fail(args: { a: string })"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("async () => {\n  null.x\n}", "(line 2, column 3)"),
        ("async () => { throw new TypeError('x') }", "runtime: TypeError: x (line 1, column 25)"),
        ("const a = 1;\nconst b = ;\nreturn a", "(line 2, column 11)"),
        ("async () => {\n\n  foo()\n}", "(line 3, column 3)"),
        ("interface A { x: number }\nconst a: A = { x: 1 };\nfoo(a);\nreturn 1", "(line 3"),
        ("async () => { while (true) {} \n", "syntax: SyntaxError: the code ends too early (line 1)"),
        ("async () => {\n  return [1, 2\n", "syntax: SyntaxError: the code ends too early (line 2)"),
        ("async () => s.ecko({})", "Hint: Did you mean echo?"),
        ("async () => fetch('x')", "there is no fetch here"),
        ("async () => { s.slow({}); s.echo({}); return 1 }", "2 calls were not awaited and cancelled: s.slow, s.echo"),
        ("async () => { console.log('hi', { a: 1n }); console.warn('w'); }", 'Logs:\nhi {"a":1}\n[warn] w\n\nResult:'),
        ("async () => 'x'.repeat(30000)", "[cut at 24000 of 30002 characters"),
        ("async () => { await new Promise(() => {}) }", "runtime: Deadlock:"),
    ],
)
async def test_answer_says_what_happened(pool: SandboxPool, source: str, text: str) -> None:
    assert text in said((await run(pool, source)).result)


async def test_tool_that_is_not_there_is_reported_however_it_is_spelled(pool: SandboxPool) -> None:
    host = EchoHost()
    source = """async () => {
      for (const name of ['nope', 'Echo', 'echo ']) { try { s[name]({}) } catch {} }
      return [await s, String(s.then), JSON.stringify(s)]
    }"""
    outcome = await run(pool, source, host)

    assert (outcome.kind, host.tried) == ("ok", ["s.nope", "s.Echo", "s.echo "])


async def test_catalog_is_searched_and_described_free_of_the_budget(pool: SandboxPool) -> None:
    source = "async () => [await catalog.search('echo', 5), await catalog.describe(['s.echo'])]"
    outcome = await run(pool, source, calls=0)
    bad = await run(pool, "async () => catalog.search(5)")
    many = await run(pool, "async () => { for (let i = 0; i <= 100; i++) await catalog.search('x') }")

    assert value_of(outcome.result) == [[{"name": "s.echo", "summary": "Echoes echo."}], "declared: s.echo"]
    assert "catalog.search takes a query" in said(bad.result)
    assert "catalog can be asked 100 times" in said(many.result)


async def test_budget_of_calls_ends_the_run_whatever_is_caught(pool: SandboxPool) -> None:
    host = EchoHost()
    outcome = await run(pool, "async () => { for (;;) { try { await s.echo({}) } catch {} } }", host, calls=5)

    assert (outcome.kind, outcome.calls, len(host.calls)) == ("budget", 5, 5)


async def test_cancelled_run_cancels_its_calls_and_leaves_no_process(pool: SandboxPool) -> None:
    host = EchoHost()
    task = asyncio.create_task(run(pool, "async () => s.gate({})", host))
    await eventually(lambda: host.calls)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    await eventually(lambda: host.cancelled == ["gate"])
    assert (await run(pool, "1")).kind == "ok"


async def test_start_of_a_server_is_not_the_scripts_time(pool: SandboxPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchboard_tray.sandbox.run.START_COUNTED_S", 0.05)

    class Starting(EchoHost):
        async def call(self, server: str, method: str, arguments: bytes, clock: Any) -> bytes:
            async with clock.starting():
                await asyncio.sleep(0.6)
            return await super().call(server, method, arguments, clock)

    assert (await run(pool, "async () => { await s.echo({}); return 1 }", Starting(), wall_s=0.4)).kind == "ok"
    assert (await run(pool, "async () => { await s.gate({}) }", wall_s=0.2)).kind == "timeout"


async def test_source_that_is_too_long_is_not_tried(pool: SandboxPool) -> None:
    assert "more than 10" in said((await run(pool, "async () => 12345", source_bytes=10)).result)


async def test_worker_that_ended_while_it_waited_is_not_used(pool: SandboxPool) -> None:
    await pool.warm_up()
    for pid in pool.pids:
        os.kill(pid, signal.SIGKILL)
    await eventually(lambda: all(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE for pid in pool.pids))

    assert (await run(pool, "1")).kind == "ok"


async def test_protections_are_on_and_hold() -> None:
    found = await check_sandbox()

    assert found.fault == ""
    assert "few system calls" in found.protections
    assert all(found.refused.values()), found.refused


async def test_worker_that_is_killed_from_outside_ends_the_run_as_aborted(pool: SandboxPool) -> None:
    await pool.warm_up()
    there = set(pool.pids)
    host = EchoHost()
    task = asyncio.create_task(run(pool, "async () => s.gate({})", host))
    await eventually(lambda: host.calls)
    for pid in there - set(pool.pids):
        os.kill(pid, signal.SIGTERM)

    assert said((await task).result).startswith("aborted: Crash:")
    assert host.cancelled == ["gate"]


@pytest.mark.parametrize("poison", ["toJSON = () => 'x'", "ok = false", "error = 1", "then = undefined", "text = ''"])
async def test_what_a_script_puts_on_every_object_does_not_reach_the_bridge(pool: SandboxPool, poison: str) -> None:
    outcome = await run(pool, f"async () => {{ Object.prototype.{poison}; await s.echo(5); return 42 }}")

    assert (outcome.kind, value_of(outcome.result)) == ("ok", 42)


async def test_each_call_that_nobody_awaited_is_counted(pool: SandboxPool) -> None:
    begun = "async () => { s.gate({}); s.gate({}); await s.echo({}); s.gate({}); return 1 }"
    failed = "async () => { s.gate({}); s.gate({}); await s.echo({}); throw new Error('x') }"

    assert "3 calls were not awaited and cancelled: s.gate, s.gate, s.gate" in said((await run(pool, begun)).result)
    assert "2 calls were not awaited and cancelled: s.gate, s.gate" in said((await run(pool, failed)).result)


async def test_workers_are_not_kept_where_no_script_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("switchboard_tray.sandbox.pool.IDLE_S", 0.01)
    async with SandboxPool() as idle:
        idle.expect()
        there = await eventually(lambda: idle.pids)
        await eventually(lambda: not idle.pids and not any(psutil.pid_exists(pid) for pid in there))


async def test_script_beyond_those_that_run_side_by_side_waits_and_loses_no_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("switchboard_tray.sandbox.pool.RUNS", 1)
    host, other = EchoHost(), EchoHost()
    async with SandboxPool() as narrow:
        first = asyncio.create_task(run(narrow, "async () => s.gate({})", host))
        await eventually(lambda: host.calls)
        second = asyncio.create_task(run(narrow, "async () => s.echo({})", other))
        await asyncio.wait([second], timeout=0.2)
        began = bool(other.calls)
        host.gate.set()

        assert (await first).kind == "ok" and not began
        assert (await second).wall_ms < 200


async def test_engine_that_is_not_there_is_told(tmp_path: Path) -> None:
    async with SandboxPool(engine_folder=str(tmp_path)) as broken:
        with pytest.raises(WorkerGone):
            await run(broken, "1")
