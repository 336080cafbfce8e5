"""What the gateway adds to a call: a server called directly over its pipes, and through the gateway over HTTP.

    .venv/bin/python -m build.bench.calls [--beside PORT] [--calls N]

With ``--beside`` the same calls go to another gateway on that port, which has the tool ``echo__echo`` at ``/mcp``
(`build.bench.echo_server` as its server ``echo``), in turn with ours.
"""

import argparse
import asyncio
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SERVER = str(Path(__file__).with_name("echo_server.py"))
ROUNDS = 5
WARM_UP = 200
AT_ONCE = 8

Call = Callable[[], Awaitable[bytes]]


@dataclass(frozen=True)
class Figures:
    """Of one way to call: median latency of single calls, and calls a second with several at once."""

    p50_ms: float
    rate: float


async def measure(calls: list[Call], count: int) -> Figures:
    """Time `count` calls one after the other, then as many over all of `calls` at once."""
    for _ in range(WARM_UP):
        await calls[0]()
    times = []
    for _ in range(count):
        started = time.perf_counter()
        await calls[0]()
        times.append(time.perf_counter() - started)

    async def some(call: Call) -> None:
        for _ in range(count // len(calls)):
            await call()

    started = time.perf_counter()
    await asyncio.gather(*(some(call) for call in calls))
    return Figures(statistics.median(times) * 1000, count / (time.perf_counter() - started))


class Http:
    """A keep-alive connection that posts calls, as thin as can be: the client must not be what is measured."""

    def __init__(self, port: int, path: str) -> None:
        self._port, self._path = port, path
        self._session = b""

    async def open(self) -> "Http":
        """Connect and open a session."""
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        await self.post({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params})
        return self

    async def call(self) -> bytes:
        """Call the tool."""
        params = {"name": "echo__echo", "arguments": {"t": "hello"}}
        return await self.post({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})

    async def post(self, message: dict[str, object]) -> bytes:
        """Post one message and read its answer."""
        body = json.dumps(message).encode()
        head = (
            f"POST {self._path} HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\nContent-Type: application/json\r\n"
            f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n"
        ).encode()
        self._writer.write(head + self._session + b"\r\n" + body)
        lines = (await self._reader.readuntil(b"\r\n\r\n")).split(b"\r\n")
        headers = dict(line.lower().split(b": ", 1) for line in lines[1:] if b": " in line)
        if b"mcp-session-id" in headers:
            self._session = b"Mcp-Session-Id: " + headers[b"mcp-session-id"] + b"\r\n"
        answer = await self._reader.readexactly(int(headers[b"content-length"]))
        assert b'"result"' in answer, answer
        return answer


class Pipes:
    """The server itself, called over its pipes."""

    async def open(self) -> "Pipes":
        """Start the server and shake hands."""
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, SERVER, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
        )
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._next = 0
        self._reading = asyncio.get_running_loop().create_task(self._read())
        await self._send("initialize", {})
        return self

    async def call(self) -> bytes:
        """Call the tool."""
        return await self._send("tools/call", {"name": "echo", "arguments": {"t": "hello"}})

    async def close(self) -> None:
        """End the server."""
        self._process.kill()
        await self._process.wait()
        self._reading.cancel()

    async def _send(self, method: str, params: dict[str, object]) -> bytes:
        assert self._process.stdin is not None
        self._next += 1
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting[self._next] = answer
        message = {"jsonrpc": "2.0", "id": self._next, "method": method, "params": params}
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        return await answer

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            self._waiting.pop(json.loads(line)["id"]).set_result(line)


@contextmanager
def our_gateway() -> Iterator[int]:
    """A gateway of its own home with the server, on a free port."""
    with tempfile.TemporaryDirectory() as home:
        config = {
            "version": 1,
            "servers": {"echo": {"command": sys.executable, "args": [SERVER]}},
            "profiles": {"bench": {"servers": ["echo"]}},
        }
        Path(home, "config.json").write_text(json.dumps(config))
        port = free_port()
        command = [sys.executable, "-m", "switchboard_tray", "serve", "--port", str(port)]
        process = subprocess.Popen(
            command, env={**os.environ, "SWITCHBOARD_HOME": home}, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL
        )
        try:
            while not Path(home, "state", "daemon.json").exists() or not Path(home, "catalog.json").exists():
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    """A port that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


async def compare(beside: int | None, count: int) -> None:
    """Measure all ways in turn, and print the median of the rounds."""
    with our_gateway() as port:
        addresses = {"gateway": (port, "/mcp/bench"), **({"beside": (beside, "/mcp")} if beside else {})}
        direct = await Pipes().open()
        figures: dict[str, list[Figures]] = {name: [] for name in (*addresses, "direct")}
        for _ in range(ROUNDS):
            for name, (its_port, path) in addresses.items():
                # Opened for each round: a server may close what is idle while the others are measured.
                calls: list[Call] = [(await Http(its_port, path).open()).call for _ in range(AT_ONCE)]
                figures[name].append(await measure(calls, count))
            figures["direct"].append(await measure([direct.call] * AT_ONCE, count))
        await direct.close()
    middle = {
        name: Figures(statistics.median(one.p50_ms for one in rounds), statistics.median(one.rate for one in rounds))
        for name, rounds in figures.items()
    }
    for name, one in middle.items():
        print(f"{name:8} p50 {one.p50_ms:6.3f} ms   {one.rate:7.0f} calls/s with {AT_ONCE} at once")
    for other in (name for name in ("beside", "direct") if name in middle):
        p50, rate = middle["gateway"].p50_ms / middle[other].p50_ms, middle["gateway"].rate / middle[other].rate
        print(f"gateway : {other:6} p50 {p50:5.2f} x, calls/s {rate:5.2f} x")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="What the gateway adds to a call.")
    parser.add_argument("--beside", type=int, help="the port of another gateway to compare with")
    parser.add_argument("--calls", type=int, default=2000, help="calls a round")
    options = parser.parse_args()
    asyncio.run(compare(options.beside, options.calls))
