"""What scripts of the tests reach: tools that echo, wait, fail and answer at length."""

import asyncio
import json
from typing import Any

from switchboard_tray.sandbox.model import Clock, ToolFailed

SERVERS = {"s": ("echo", "slow", "fail", "raw", "gate"), "t": ("x",)}


class EchoHost:
    """Answers calls itself; `raw` gives `answer` as it is."""

    def __init__(self, answer: bytes = b"{}") -> None:
        self.answer = answer
        self.calls: list[tuple[str, str, bytes]] = []
        self.cancelled: list[str] = []
        self.tried: list[str] = []
        self.gate = asyncio.Event()

    async def call(self, server: str, method: str, arguments: bytes, clock: Clock) -> bytes:
        self.calls.append((server, method, arguments))
        match method:
            case "slow":
                await asyncio.sleep(0.1)
            case "gate":
                try:
                    await self.gate.wait()
                except asyncio.CancelledError:
                    self.cancelled.append(method)
                    raise
            case "fail":
                raise ToolFailed("s.fail: no such thing", hint="s.fail(args: { a: string })")
            case "raw":
                return self.answer
        return b'{"content":[],"structuredContent":' + arguments + b"}"

    def missed(self, server: str, method: str) -> None:
        self.tried.append(f"{server}.{method}")

    async def search(self, query: str, limit: int) -> list[tuple[str, str]]:
        return [("s.echo", f"Echoes {query}.")][:limit]

    async def describe(self, names: list[str]) -> str:
        return f"declared: {', '.join(names)}"


def said(result: bytes) -> str:
    """The text of a result."""
    text: str = json.loads(result)["content"][0]["text"]
    return text


def value_of(result: bytes) -> Any:
    """The value that a run answered."""
    return json.loads(said(result).partition("Result:\n")[2].partition("\n\n")[0])
