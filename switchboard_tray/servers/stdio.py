"""Many calls over one server's stdin and stdout. Lines go in and out as bytes; payloads are not opened.

One object is one process: it is spawned, shakes hands, and is never used again after its end. Our request ids are
integers, and a request's id is its progress token too, so that late progress of an old call finds nobody by itself.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import msgspec
from msgspec import UNSET, Raw

from switchboard_tray import __version__
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol import eras
from switchboard_tray.protocol.calls import Alive, Call, Lost, Note, Withdrawn
from switchboard_tray.protocol.messages import (
    METHOD_NOT_FOUND,
    Frame,
    Members,
    RpcError,
    dumps,
    failure,
    notification,
    read_frame,
    read_members,
    read_text,
    request,
    response,
)
from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.process import Process
from switchboard_tray.servers.stderr import StderrLog

OUR_INFO = {"name": "switchboard", "version": __version__}
_ID = re.compile(rb'"id"\s*:\s*"?(\d{1,18})')


@dataclass(frozen=True, slots=True)
class Hello:
    """What a server said of itself in the handshake."""

    version: str
    capabilities: Mapping[str, Raw]
    instructions: str
    title: str


class StdioConnection:
    """A connection to one server process.

    `on_notification` is told of what belongs to no call.
    """

    def __init__(self, stderr: StderrLog, on_notification: Callable[[str, Raw | None], None]) -> None:
        self.process = Process(self._stdout, self._ended, stderr)
        self.junk_lines = 0
        self.first_junk = ""
        self._on_notification = on_notification
        self._ids = itertools.count(1)
        self._calls: dict[int, Call] = {}
        self._asked: dict[str, Call] = {}
        self._partial: list[bytes] = []

    # -- life ------------------------------------------------------------------------------------------------------

    async def open(self, launch: Launch) -> Hello:
        """Spawn the server and shake hands. Raises `ServerError`; the caller limits the time and calls `close`."""
        await self.process.spawn(launch)
        answer = await self.question(
            "initialize",
            dumps({"protocolVersion": eras.LATEST_HANDSHAKE, "capabilities": {}, "clientInfo": OUR_INFO}),
        )
        said = read_members(answer)
        version = read_text(said.get("protocolVersion"))
        if version not in eras.HANDSHAKE_VERSIONS:
            raise ServerError(f"The server speaks revision {version!r} of MCP, which Switchboard does not.")
        self.notify("notifications/initialized")
        info = read_members(said.get("serverInfo"))
        return Hello(
            version,
            read_members(said.get("capabilities")),
            read_text(said.get("instructions")) or "",
            read_text(info.get("title")) or read_text(info.get("name")) or "",
        )

    async def close(self) -> None:
        """End the process and everything it started."""
        await self.process.end()

    # -- out -------------------------------------------------------------------------------------------------------

    def relay(self, method: str, params: Members, token: Raw | None = None) -> Call:
        """Send a client's request on, under an id of ours. Raises `ServerError` where the server is gone.

        Progress is asked for always, since it shows that a long call is alive; `token` is the client's, if it wants to
        see it.
        """
        call = Call(next(self._ids), method, token)
        meta = {**read_members(params.get("_meta")), "progressToken": Raw(b"%d" % call.id)}
        self.process.write(request(b"%d" % call.id, method, dumps({**params, "_meta": meta})))
        self._calls[call.id] = call
        return call

    async def question(self, method: str, params: bytes | None = None) -> Raw:
        """Ask the server something for ourselves. Raises `ServerError` with what it answered instead."""
        call = Call(next(self._ids), method)
        self.process.write(request(b"%d" % call.id, method, params))
        self._calls[call.id] = call
        try:
            while not isinstance(item := await call.next(), Frame):
                if isinstance(item, Lost):
                    raise ServerError(f"The server did not answer {method}: {item.reason}.")
        finally:
            if not call.is_done:
                self.cancel(call, "no longer wanted")
        if item.error is not UNSET:
            error = RpcError.from_raw(item.error)
            raise ServerError(f"The server answered {method} with error {error.code}: {error.message}")
        assert item.result is not UNSET
        return item.result

    def cancel(self, call: Call, reason: str) -> None:
        """Tell the server that nobody waits for `call` any more; a late answer is dropped."""
        if self._calls.pop(call.id, None) is None or call.method == "initialize":
            return
        try:
            self.notify("notifications/cancelled", dumps({"requestId": call.id, "reason": reason}))
        except ServerError:
            pass

    def notify(self, method: str, params: bytes | Raw | None = None) -> None:
        """Send a notification. Raises `ServerError` where the server is gone."""
        self.process.write(notification(method, params))

    # -- in --------------------------------------------------------------------------------------------------------

    def _stdout(self, chunk: bytes) -> None:
        first, newline, rest = chunk.partition(b"\n")
        if not newline:
            # A long line comes in thousands of pieces, which are joined once, at its end.
            self._partial.append(chunk)
            return
        self._line(b"".join((*self._partial, first)))
        self._partial.clear()
        *lines, last = rest.split(b"\n")
        for line in lines:
            self._line(line)
        if last:
            self._partial.append(last)

    def _line(self, line: bytes) -> None:
        if not line or line == b"\r":
            return
        try:
            frame = read_frame(_valid_utf8(line))
        except msgspec.MsgspecError as exc:
            return self._unreadable(line, str(exc))
        if frame.method is UNSET:
            self._answered(frame)
        elif frame.id is not UNSET:
            self._asked_by_server(frame.method, frame)
        else:
            self._told(frame.method, None if frame.params is UNSET else frame.params)

    def _unreadable(self, line: bytes, why: str) -> None:
        """Skip what is no message. An answer that is not JSON (NaN, say) fails its call, which would wait for ever."""
        if line.lstrip()[:1] == b"{" and (found := _ID.search(line[:200])) and (call := self._calls.get(int(found[1]))):
            return self._fail(call, f"its answer is not valid JSON: {why}")
        self.junk_lines += 1
        self.first_junk = self.first_junk or line[:200].decode(errors="replace")

    def _answered(self, frame: Frame) -> None:
        call = self._call(frame.id)
        if call is None:
            return
        if not frame.is_response:
            return self._fail(call, "its answer has neither result nor error")
        del self._calls[call.id]
        call.is_done = True
        call.push(frame)

    def _told(self, method: str, params: Raw | None) -> None:
        if method == "notifications/progress":
            self._progress(method, params)
        elif method == "notifications/cancelled":
            key = _ask_key(read_members(params).get("requestId", Raw(b"")))
            if (call := self._asked.pop(key, None)) is not None:
                call.push(Withdrawn(key))
        else:
            self._on_notification(method, params)

    def _progress(self, method: str, params: Raw | None) -> None:
        told = read_members(params)
        call = self._call(told.get("progressToken", UNSET))
        if call is None:
            return
        if call.token is None:
            call.push(Alive())
        else:
            call.push(Note(method, dumps({**told, "progressToken": call.token})))

    def _asked_by_server(self, method: str, frame: Frame) -> None:
        assert frame.id is not UNSET
        request_id = bytes(frame.id)
        if method == "ping":
            return self._reply(request_id, b"{}")
        self._reply(request_id, RpcError(METHOD_NOT_FOUND, f"{method}: Switchboard declared no such capability"))

    def _reply(self, request_id: bytes, answer: bytes | Raw | RpcError) -> None:
        self._asked.pop(_ask_key(Raw(request_id)), None)
        line = failure(request_id, answer) if isinstance(answer, RpcError) else response(request_id, answer)
        try:
            self.process.write(line)
        except ServerError:
            pass

    def _call(self, raw_id: Raw | msgspec.UnsetType) -> Call | None:
        # Some servers answer "5" to 5.
        text = b"" if raw_id is UNSET else bytes(raw_id).strip(b'"')
        return self._calls.get(int(text)) if text.isdigit() and len(text) < 19 else None

    def _ended(self) -> None:
        for call in list(self._calls.values()):
            self._fail(call, self.process.epitaph)

    def _fail(self, call: Call, reason: str) -> None:
        self._calls.pop(call.id, None)
        call.is_done = True
        call.push(Lost(reason))


def _ask_key(request_id: Raw) -> str:
    return "ask-" + bytes(request_id).decode(errors="replace").strip('"')


def _valid_utf8(line: bytes) -> bytes:
    """`line`, with what is no UTF-8 replaced: msgspec would let it pass and clients would choke on it."""
    if line.isascii():
        return line
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode(errors="replace").encode()
    return line
