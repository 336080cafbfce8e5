"""A client of the measurement's gateway that counts what it sends and gets: over HTTP, or as commands in a shell."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import Any, Literal

from switchboard_tray.errors import SwitchboardError
from switchboard_tray.surfaces.tokens import estimate_tokens

Step = Literal["search", "schema", "call"]
"""What a step is for: to find tools, to learn how those that were found are called, to call one."""
VERSION = "2025-06-18"
TIMEOUT_S = 60.0


@dataclass
class Counts:
    """What was spent so far."""

    task_tokens: int = 0
    look_tokens: int = 0
    """Of these, for whatever had to be asked before tools could be called: searches and the schemas they led to."""
    searches: int = 0
    wire_bytes: int | None = None
    """None where nothing was counted on the wire."""
    result_bytes: int = 0
    cpu_s: float = 0.0
    memory_bytes: int = 0
    """The most that one process of the command line held."""

    def add(self, step: Step, tokens: int, result_bytes: int) -> None:
        """Count a step: `tokens` that the model wrote and read, `result_bytes` that it was given."""
        self.task_tokens += tokens
        self.look_tokens += tokens if step != "call" else 0
        self.searches += step == "search"
        self.result_bytes += result_bytes


@dataclass(frozen=True, slots=True)
class Said:
    """What a model reads of an answer."""

    text: str
    is_error: bool


class McpClient:
    """One client of one profile, of the revision that most clients speak."""

    def __init__(self, port: int, profile: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self._target, self._session = f"/mcp/{profile}", ""
        self.counts = Counts()
        hello = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.instructions: str = self._ask("initialize", hello)["result"].get("instructions", "")
        self.tools: list[dict[str, Any]] = self._ask("tools/list", {})["result"]["tools"]

    @property
    def definition_tokens(self) -> int:
        """What the model is told before it does anything."""
        return estimate_tokens(self.instructions) + estimate_tokens(_compact(self.tools))

    def call(self, name: str, arguments: Mapping[str, Any], step: Step = "call") -> Said:
        """Call a listed tool."""
        answer = self._ask("tools/call", {"name": name, "arguments": arguments})
        if "error" in answer:
            said, kept = Said(answer["error"]["message"], True), answer["error"]
        else:
            kept = answer["result"]
            said = Said("\n".join(block.get("text", "") for block in kept["content"]), kept.get("isError") is True)
        tokens = estimate_tokens(f"{name} {_compact(arguments)}") + estimate_tokens(said.text)
        self.counts.add(step, tokens, len(_compact(kept).encode()))
        return said

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def _ask(self, method: str, params: Mapping[str, Any]) -> Any:
        body = _compact({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()
        headers = {"Content-Type": "application/json", "Accept": "application/json", "MCP-Protocol-Version": VERSION}
        if self._session:
            headers["Mcp-Session-Id"] = self._session
        self._connection.request("POST", self._target, body, headers)
        response = self._connection.getresponse()
        answer = response.read()
        if response.status != 200:
            raise SwitchboardError(f"The gateway of the measurement answered {response.status}: {answer.decode()}")
        self._session = response.headers.get("Mcp-Session-Id", self._session)
        self.counts.wire_bytes = (self.counts.wire_bytes or 0) + len(body) + len(answer)
        return json.loads(answer)


@dataclass
class Shell:
    """Somebody at a shell, with our command line in a home of the measurement."""

    environ: Mapping[str, str]
    folder: str
    counts: Counts = field(default_factory=Counts)

    def run(self, words: Sequence[str], step: Step = "call") -> Said:
        """Run ``switchboard WORDS``; both outputs as one text."""
        process = subprocess.Popen(
            [sys.executable, "-m", "switchboard_tray", *words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self.environ),
            cwd=self.folder,
        )
        assert process.stdout is not None
        try:
            with process.stdout as output:
                text = output.read().decode("utf-8", "replace")
            status = self._wait(process)
        except BaseException:
            process.kill()
            process.wait()
            raise
        tokens = estimate_tokens(" ".join(("switchboard", *words))) + estimate_tokens(text)
        self.counts.add(step, tokens, len(text.encode()))
        return Said(text, status != 0)

    def _wait(self, process: "subprocess.Popen[bytes]") -> int:
        """The exit status; what the process used is counted where the system tells it."""
        if sys.platform == "win32":
            return process.wait()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.counts.cpu_s += used.ru_utime + used.ru_stime
        unit = 1 if sys.platform == "darwin" else 1024
        self.counts.memory_bytes = max(self.counts.memory_bytes, used.ru_maxrss * unit)
        return process.returncode


def milliseconds_since(started: float) -> float:
    """Since a reading of `time.perf_counter`."""
    return (time.perf_counter() - started) * 1000


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
