"""What a model is told of a run: what was logged, then the value; or what went wrong, with a hint. Pure."""

import re
from collections.abc import Mapping, Sequence

from msgspec import Raw

from switchboard_tray.names import did_you_mean
from switchboard_tray.protocol.messages import dumps
from switchboard_tray.sandbox.model import CATALOG, Ended, Fault
from switchboard_tray.sandbox.values import Notes

_MISSING_GLOBAL = re.compile(r"'?([A-Za-z_$][\w$]*)'? is not defined")
_MISSING_TOOL = re.compile(r"([A-Za-z_$][\w$]*) has no tool (\S+)")
_NOTHING_RETURNED = "nothing was returned; end with `return value` to see it."
_ABSENT = frozenset(
    "fetch require process setTimeout setInterval setImmediate XMLHttpRequest window document module exports Buffer "
    "Deno Bun URL structuredClone Intl TextEncoder TextDecoder crypto".split()
)
_SHOWN = 20


class Logs:
    """What a script logged, kept up to a limit."""

    def __init__(self, limit_chars: int) -> None:
        self._limit, self._text, self._is_cut = limit_chars, "", False

    def add(self, text: str, is_cut: bool) -> None:
        """More of it; `is_cut` where the script's side left some out."""
        room = self._limit - len(self._text)
        self._text += text[:room]
        self._is_cut = self._is_cut or is_cut or len(text) > room

    def section(self) -> str:
        """As it stands in an answer; empty where nothing was logged."""
        text = self._text.rstrip("\n")
        if not text and not self._is_cut:
            return ""
        return f"Logs:\n{text}" + (f"\n[logs cut at {self._limit} characters]" if self._is_cut else "")


def write_result(ended: Ended, logs: Logs, notes: Notes, not_awaited: Sequence[str]) -> bytes:
    """The tool result of a run that ended well; `not_awaited` names the calls that it left behind."""
    shown = ended.value
    if ended.full_chars:
        shown += f"\n[cut at {len(shown)} of {ended.full_chars} characters: return less, such as a part or some fields]"
    parts = [logs.section(), f"Result:\n{shown}"]
    if ended.returned:
        is_nothing = ended.returned == "undefined"
        what = _NOTHING_RETURNED if is_nothing else f"a {ended.returned} was returned, which is no JSON."
        parts.append(f"Hint: {what}")
    parts.append(_not_awaited(not_awaited))
    return _result("\n\n".join(part for part in parts if part), notes.named_in(ended.value), is_error=False)


def write_failure(
    fault: Fault,
    logs: Logs,
    servers: Mapping[str, Sequence[str]],
    hints: Mapping[str, str],
    not_awaited: Sequence[str],
) -> bytes:
    """The tool result of a run that failed; `hints` are those of failed tools, by their messages."""
    place = ""
    if fault.line is not None:
        place = f" (line {fault.line}" + (f", column {fault.column})" if fault.column is not None else ")")
    parts = [f"{fault.kind}: {fault.name}: {fault.message}{place}"]
    if hint := hints.get(fault.message) or _hint(fault, servers):
        parts.append(f"Hint: {hint}")
    parts += [_not_awaited(not_awaited), logs.section()]
    return _result("\n\n".join(part for part in parts if part), [], is_error=True)


def _result(text: str, blocks: Sequence[Raw], *, is_error: bool) -> bytes:
    # Half of a character, which a script may well log, is no text.
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    content: list[object] = [{"type": "text", "text": whole}, *blocks]
    return dumps({"content": content, **({"isError": True} if is_error else {})})


def _not_awaited(calls: Sequence[str]) -> str:
    if not calls:
        return ""
    noun = "call was" if len(calls) == 1 else "calls were"
    named = ", ".join(calls[:_SHOWN]) + (", ..." if len(calls) > _SHOWN else "")
    return f"Note: {len(calls)} {noun} not awaited and cancelled: {named}"


def _hint(fault: Fault, servers: Mapping[str, Sequence[str]]) -> str:
    if fault.kind == "timeout":
        return "do less in one run, or call tools together with Promise.all."
    if fault.kind == "memory":
        return "keep less at a time; a tool's answer can be narrowed before it is kept."
    if fault.kind == "budget":
        return "make fewer calls in one run; a tool that takes several things at once may do."
    if fault.name == "Deadlock":
        return "await tool calls, and settle each promise you make."
    if (found := _MISSING_TOOL.match(fault.message)) and found[1] in servers:
        near = did_you_mean(found[2], servers[found[1]])
        return near or f"the tools of {found[1]} are: {', '.join(servers[found[1]][:_SHOWN])}"
    if (found := _MISSING_GLOBAL.match(fault.message)) is not None and fault.kind == "runtime":
        gone = f"there is no {found[1]} here; " if found[1] in _ABSENT else ""
        return f"{gone}the globals with tools are: {', '.join([*servers, CATALOG])}"
    return ""
