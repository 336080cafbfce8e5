"""The engine driven: a script compiled, run, its calls handed out and their results handed in. Inside the worker.

The one file that imports the engine, QuickJS; both its distributions are understood. What they do not do well is kept
from them: they get text in and give text out, and the time limit, which counts processor time and starts again with
each entry, is set before each.
"""

import json
import re
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import _quickjs  # type: ignore[import-not-found]

from switchboard_tray.sandbox.source import Candidate, candidates, telling, unfenced

_FOLDER = Path(__file__).parent
# Read now: when a script runs, no file can be opened any more.
PRELUDE = (_FOLDER / "prelude.js").read_text("utf-8")
STRIPPER = (_FOLDER / "vendor" / "sucrase.js").read_text("utf-8")
STACK_BYTES = 1 << 20
ARGUMENT_CHARS = 1 << 20
PRELUDE_LINE = 100_000
"""Where the lines of the prelude begin, in stacks that name no files: behind any script."""
STRIPPER_BYTES = 48 << 20
STRIPPER_S = 5.0
JOBS_A_LOOK = 16
_PLACE = re.compile(r"<input>:(\d+)(?::(\d+))?")
# Each digit as 0, all else as a space: whether there is a long number is then a plain search, ten times as fast.
_DIGITS = bytes(48 if 48 <= byte <= 57 else 32 for byte in range(256))
_LARGE = b"0" * 16
_NUMBER = re.compile(r'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?', re.DOTALL)
_SAFE = 2**53 - 1

Call = tuple[int, str, str, bytes]
"""Its number, the global, the method, the arguments as JSON."""


class Settled(NamedTuple):
    """A call that has come back: with JSON, or with the message of an error."""

    number: int
    is_done: bool
    text: bytes


class Limits(NamedTuple):
    """What the engine itself is held to."""

    memory_bytes: int
    calls: int
    result_chars: int
    log_chars: int


Exchange = Callable[[list[Call], str, bool], tuple[list[Settled], float]]
"""Hands out calls and what was logged, and whether that was cut; waits for a result, and gives the seconds left."""


class OutOfTime(Exception):
    """The run has used up its time."""


class Engine:
    """One script in one context, which is never used again."""

    def __init__(self, limits: Limits, mark: str, used_bytes: Callable[[], int]) -> None:
        self._limits, self._mark, self._used_bytes = limits, mark, used_bytes
        self._bare = re.compile(f'"{mark}(-?[0-9]+)"')
        self._began_bytes = used_bytes()
        self._ends = 0.0
        self.missed: list[tuple[str, str]] = []
        """Tools that the script asked for and that are not there."""
        self._out: dict[int, str] = {}
        context = _quickjs.Context()
        context.set_memory_limit(limits.memory_bytes)
        context.set_max_stack_size(STACK_BYTES)
        self._context = context
        text = PRELUDE
        for name, value in (
            ("CALLS", limits.calls),
            ("RESULT", limits.result_chars),
            ("LOG", limits.log_chars),
            ("ARGUMENTS", ARGUMENT_CHARS),
            ("MARK", mark),
        ):
            text = text.replace(f"__{name}__", str(value))
        self._host = context.eval("\n" * PRELUDE_LINE + text)

    def run(self, source: str, servers: dict[str, list[str]], left_s: float, exchange: Exchange) -> dict[str, Any]:
        """Run a script to its end; what came of it, as the answer to the gateway says it."""
        self._ends = time.monotonic() + left_s
        try:
            ended = self._run(source, servers, exchange)
        except OutOfTime:
            ended = _fault("timeout", "Timeout", "the time is used up")
        except _quickjs.JSException as exc:
            ended = self._thrown(str(exc))
        except MemoryError:
            ended = _fault("memory", "OutOfMemory", "the memory is used up")
        except (UnicodeDecodeError, SystemError) as exc:
            ended = _fault("runtime", "InternalError", f"the engine gave no text: {exc}")
        return self._with_last_words(ended)

    def _run(self, source: str, servers: dict[str, list[str]], exchange: Exchange) -> dict[str, Any]:
        start, prefix_chars = self._compiled(source)
        if isinstance(start, dict):
            return start
        self._enter(self._host, "servers", json.dumps(servers))
        self._enter(self._host, "start", start)
        while True:
            self._pump()
            said = self._drained()
            calls = self._taken(said["calls"])
            if said["isOver"]:
                return _fault("budget", "Budget", f"the budget of {self._limits.calls} tool calls is used up", said)
            if said["done"] is not None:
                return self._ended(said, prefix_chars)
            if not self._out:
                deadlock = "the script waits for a promise that nothing can settle"
                return self._suspected(_fault("runtime", "Deadlock", deadlock, said))
            settled, left_s = exchange(calls, said["logs"], said["isLogCut"])
            self._ends = time.monotonic() + left_s
            for one in settled:
                self._settle(one)

    # -- compiling -------------------------------------------------------------------------------------------------

    def _compiled(self, source: str) -> tuple[Any, int]:
        """The script as a function, and what stands before it on its first line; or the fault."""
        code = unfenced(source)
        if "\0" in code or any("\ud800" <= char <= "\udfff" for char in code):
            return _fault("syntax", "SyntaxError", "the source holds a character that is none"), 0
        start, errors = self._first_that_compiles(candidates(code))
        if start is not None:
            return start
        stripped = strip_types(code, self._ends - time.monotonic())
        if stripped is not None and stripped != code:
            again, _ = self._first_that_compiles(candidates(stripped))
            if again is not None:
                return again
        message = telling(code, [text for text, _ in errors])
        prefix_chars = dict(errors)[message]
        fault = self._located(_fault("syntax", *_named(message)), message, prefix_chars)
        last_line = code.rstrip().count("\n") + 1
        if (fault.get("line") or 0) > last_line:
            # What stumbled is what we put behind the code.
            fault = {**fault, "message": "the code ends too early", "line": last_line, "column": None}
        return fault, 0

    def _first_that_compiles(
        self, tried: Iterable[Candidate]
    ) -> "tuple[tuple[Any, int] | None, list[tuple[str, int]]]":
        errors: list[tuple[str, int]] = []
        for candidate in tried:
            try:
                return (self._enter(self._context.eval, candidate.text), candidate.prefix_chars), errors
            except _quickjs.JSException as exc:
                if not str(exc).startswith("SyntaxError"):
                    raise
                errors.append((str(exc), candidate.prefix_chars))
        return None, errors

    # -- in and out ------------------------------------------------------------------------------------------------

    def _enter(self, function: Callable[..., Any], *arguments: Any) -> Any:
        left_s = self._ends - time.monotonic()
        if left_s <= 0:
            raise OutOfTime
        self._context.set_time_limit(left_s)
        return function(*arguments)

    def _pump(self) -> None:
        jobs = 0
        while True:
            if jobs % JOBS_A_LOOK == 0:
                left_s = self._ends - time.monotonic()
                if left_s <= 0:
                    raise OutOfTime
                self._context.set_time_limit(left_s)
            jobs += 1
            if not self._context.execute_pending_job():
                return

    def _drained(self) -> dict[str, Any]:
        text = self._enter(self._host, "drain")
        if not isinstance(text, str):
            # What the engines give where there was no memory for the text.
            raise MemoryError
        said: dict[str, Any] = json.loads(text)
        self.missed = [(server, method) for server, method in said["missed"]]
        said["logs"] = self._bare.sub(r"\1", said["logs"])
        return said

    def _taken(self, calls: list[list[Any]]) -> list[Call]:
        taken = []
        for number, server, method, text in calls:
            self._out[number] = f"{server}.{method}"
            taken.append((number, server, method, self._bare.sub(r"\1", text).encode("utf-8", "surrogatepass")))
        return taken

    def _settle(self, settled: Settled) -> None:
        self._out.pop(settled.number, None)
        text = settled.text.decode("utf-8", "replace")
        how = 1 if settled.is_done else 0
        if settled.is_done and _LARGE in settled.text.translate(_DIGITS):
            text, how = _with_marks(text, self._mark), 2
        self._enter(self._host, "settle", settled.number, how, text)

    # -- the end ---------------------------------------------------------------------------------------------------

    def _ended(self, said: dict[str, Any], prefix_chars: int) -> dict[str, Any]:
        done = said["done"]
        if not done["ok"]:
            error = done["error"]
            return self._located(
                self._judged(error["name"], error["message"], error["isNull"], said), error["stack"], prefix_chars
            )
        value = self._bare.sub(r"\1", done["value"])
        if done["chars"] and (at := value.rfind(self._mark[:8])) >= 0:
            # A number that was cut in its middle.
            value = value[: at - 1]
        ended = {"ok": True, "value": value, "chars": done["chars"], "returned": done["returned"]}
        return {**ended, "logs": said["logs"], "isLogCut": said["isLogCut"], "notAwaited": list(self._out.values())}

    def _judged(self, name: str, message: str, is_null: bool, said: dict[str, Any] | None = None) -> dict[str, Any]:
        """The fault that an uncaught error is."""
        if name == "InternalError" and message == "interrupted":
            return _fault("timeout", "Timeout", "the time is used up", said)
        if "out of memory" in message and name == "InternalError":
            return _fault("memory", "OutOfMemory", "the memory is used up", said)
        fault = _fault("runtime", name, message, said)
        # With no memory left for an error, null is thrown.
        return self._suspected(fault) if is_null else fault

    def _suspected(self, fault: dict[str, Any]) -> dict[str, Any]:
        """`fault`, unless so much memory was taken that this is what it looks like when there is none left."""
        if self._used_bytes() - self._began_bytes > 0.6 * self._limits.memory_bytes:
            return {**fault, "kind": "memory", "name": "OutOfMemory", "message": "the memory is used up"}
        return fault

    def _thrown(self, text: str) -> dict[str, Any]:
        name, message = _named(text)
        return self._located(self._judged(name, message, message in ("null", "")), text, 0)

    def _located(self, fault: dict[str, Any], stack: str, prefix_chars: int) -> dict[str, Any]:
        """`fault` with the place in the script that the stack names first."""
        for line, column in _PLACE.findall(stack):
            if int(line) < PRELUDE_LINE:
                at = int(column or 0) - (prefix_chars if line == "1" else 0)
                return {**fault, "line": int(line), "column": max(at, 1) if column else None}
        return fault

    def _with_last_words(self, ended: dict[str, Any]) -> dict[str, Any]:
        """What was logged until a limit was met, where there is still a way to ask."""
        if ended["ok"] or ended.get("logs") is not None:
            return ended
        self._ends = time.monotonic() + 0.05
        try:
            said = self._drained()
        except BaseException:
            return ended
        if said["isOver"] and ended["kind"] == "timeout":
            ended = _fault("budget", "Budget", f"the budget of {self._limits.calls} tool calls is used up")
        return {**ended, "logs": said["logs"], "isLogCut": said["isLogCut"]}


def strip_types(code: str, left_s: float) -> str | None:
    """`code` as JavaScript, where it is TypeScript; None where that cannot be. Lines stay where they are."""
    if left_s <= 0:
        raise OutOfTime
    context = _quickjs.Context()
    context.set_memory_limit(STRIPPER_BYTES)
    context.set_max_stack_size(STACK_BYTES)
    context.set_time_limit(min(left_s, STRIPPER_S))
    try:
        strip = context.eval(STRIPPER)
        stripped = json.loads(strip(json.dumps(code)))
    except (_quickjs.JSException, TypeError, ValueError, MemoryError, SystemError):
        return None
    return stripped if isinstance(stripped, str) else None


def _with_marks(text: str, mark: str) -> str:
    """JSON text with each integer that a double cannot hold as a string that says so."""

    def marked(found: re.Match[str]) -> str:
        token = found[0]
        if len(token) < 16 or not token.lstrip("-").isdigit() or abs(int(token)) <= _SAFE:
            return token
        return f'"{mark}{token}"'

    return _NUMBER.sub(marked, text)


def _named(text: str) -> tuple[str, str]:
    """Name and message of an error from its text, without the stack."""
    line = text.strip().partition("\n    at ")[0]
    name, colon, message = line.partition(": ")
    return (name, message[:4000]) if colon and name.isidentifier() else ("Error", line[:4000])


def _fault(kind: str, name: str, message: str, said: dict[str, Any] | None = None) -> dict[str, Any]:
    words = {"logs": said["logs"], "isLogCut": said["isLogCut"]} if said else {}
    return {"ok": False, "kind": kind, "name": name, "message": message, **words}
