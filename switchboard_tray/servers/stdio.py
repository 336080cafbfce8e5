"""Many calls over one server's stdin and stdout. Lines go in and out as bytes; payloads are not opened.

One object is one process: it is spawned and never used again after its end. Our request ids are integers, and a
request's id is its progress token too, so that late progress of an old call finds nobody by itself.
"""

import itertools
import re
from collections.abc import Callable

import msgspec
from msgspec import UNSET, Raw, UnsetType

from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.calls import Alive, Ask, Call, Lost, Note, Withdrawn
from switchboard_tray.protocol.eras import SUBSCRIPTION_KEY, TARGET_KEYS
from switchboard_tray.protocol.messages import (
    METHOD_NOT_FOUND,
    REQUEST_CANCELLED,
    Frame,
    Members,
    RpcError,
    dumps,
    failure,
    notification,
    read_frame,
    read_members,
    request,
    response,
)
from switchboard_tray.servers.environment import Launch
from switchboard_tray.servers.process import Process
from switchboard_tray.servers.stderr import StderrLog

_ID = re.compile(rb'"id"\s*:\s*"?(\d{1,18})')
JUNK_CHARS = 200
LINE_BYTES = 512 << 20
"""Of a longer line only the beginning is looked at, so that no server can take all memory."""


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
        self._asked: dict[str, tuple[Call, bytes]] = {}
        """What the server asked and was not answered: the call it belongs to, and the request's id."""
        self._partial: list[bytes] = []
        self._partial_bytes = 0

    async def spawn(self, launch: Launch) -> None:
        """Start the process. Raises `ServerError` where that cannot be done."""
        await self.process.spawn(launch)

    async def close(self) -> None:
        """End the process and everything it started."""
        await self.process.end()

    # -- out -------------------------------------------------------------------------------------------------------

    def relay(self, method: str, params: Members, token: Raw | None, owner: str) -> Call:
        """Send a client's request on, under an id of ours. Raises `ServerError` where the server is gone.

        Progress is asked for always, since it shows that a long call is alive; `token` is the client's, if it wants to
        see it. What the server asks meanwhile goes to `owner`, if there is no doubt whose call it belongs to.
        """
        call = Call(next(self._ids), method, token, owner)
        meta = {**read_members(params.get("_meta")), "progressToken": Raw(b"%d" % call.id)}
        return self._send(call, dumps({**params, "_meta": meta}))

    def send(self, method: str, params: bytes | None = None) -> Call:
        """Send a request of our own. Raises `ServerError` where the server is gone."""
        return self._send(Call(next(self._ids), method), params)

    async def question(self, method: str, params: bytes | None = None) -> Raw:
        """Ask the server something for ourselves.

        Raises `RpcError` with the server's own refusal, `ServerError` where no answer comes.
        """
        call = self.send(method, params)
        try:
            while not isinstance(item := await call.next(), Frame):
                if isinstance(item, Lost):
                    raise ServerError(f"The server did not answer {method}: {item.reason}")
        finally:
            self.cancel(call, "no longer wanted")
        if item.error is not UNSET:
            raise RpcError.from_raw(item.error)
        assert item.result is not UNSET
        return item.result

    def cancel(self, call: Call, reason: str) -> None:
        """Tell the server that nobody waits for `call` any more; a late answer is dropped. Nothing if it is done."""
        if call.id not in self._calls:
            return
        self._forget(call)
        if call.method == "initialize":
            return
        try:
            self.notify("notifications/cancelled", dumps({"requestId": call.id, "reason": reason}))
        except ServerError:
            pass

    def notify(self, method: str, params: bytes | Raw | None = None) -> None:
        """Send a notification. Raises `ServerError` where the server is gone."""
        self.process.write(notification(method, params))

    def _send(self, call: Call, params: bytes | None) -> Call:
        self.process.write(request(b"%d" % call.id, call.method, params))
        self._calls[call.id] = call
        return call

    # -- in --------------------------------------------------------------------------------------------------------

    def _stdout(self, chunk: bytes) -> None:
        first, newline, rest = chunk.partition(b"\n")
        if not newline:
            self._keep(chunk)
            return
        self._keep(first)
        line, is_whole = b"".join(self._partial), self._partial_bytes <= LINE_BYTES
        self._partial.clear()
        self._partial_bytes = 0
        if is_whole:
            self._line(line)
        else:
            self._unreadable(line, f"is longer than {LINE_BYTES >> 20} MB")
        *lines, last = rest.split(b"\n")
        for line in lines:
            self._line(line)
        self._keep(last)

    def _keep(self, piece: bytes) -> None:
        """Keep a piece of a line: a long one comes in thousands, which are joined once, at its end."""
        self._partial_bytes += len(piece)
        if self._partial_bytes <= LINE_BYTES or not self._partial:
            self._partial += [piece] if piece else []
        else:
            # Too long: its beginning is enough to tell whose answer it was to be.
            del self._partial[1:]

    def _line(self, line: bytes) -> None:
        if not line or line == b"\r":
            return
        try:
            frame = read_frame(_valid_utf8(line))
        except msgspec.MsgspecError as exc:
            return self._unreadable(line, f"is not valid JSON: {exc}")
        if frame.method is UNSET:
            self._answered(frame)
        elif frame.id is not UNSET:
            self._asked_by_server(frame.method, bytes(frame.id), frame.params)
        else:
            self._told(frame.method, None if frame.params is UNSET else frame.params)

    def _unreadable(self, line: bytes, why: str) -> None:
        """Skip what is no message. An answer that is not JSON (NaN, say) fails its call, which would wait for ever."""
        if line.lstrip()[:1] == b"{" and (found := _ID.search(line[:200])) and (call := self._calls.get(int(found[1]))):
            return self._fail(call, f"its answer {why}")
        self.junk_lines += 1
        self.first_junk = self.first_junk or line[:JUNK_CHARS].decode(errors="replace")

    def _answered(self, frame: Frame) -> None:
        call = self._call(frame.id)
        if call is None:
            return
        if not frame.is_response:
            return self._fail(call, "its answer has neither result nor error")
        self._forget(call)
        call.push(frame)

    def _told(self, method: str, params: Raw | None) -> None:
        match method:
            case "notifications/progress":
                self._progress(method, params)
            case "notifications/cancelled":
                key = _ask_key(bytes(read_members(params).get("requestId", b"")))
                if (asked := self._asked.pop(key, None)) is not None:
                    asked[0].push(Withdrawn(key))
            case "notifications/message":
                if (call := self._only_client()) is not None:
                    call.push(Note(method, params))
            case _:
                subscription = read_members(read_members(params).get("_meta")).get(SUBSCRIPTION_KEY)
                if subscription is not None and (call := self._call(subscription)) is not None:
                    # Our own standing request: its reader only needs to know that it stands.
                    call.push(Note(method, params))
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

    def _asked_by_server(self, method: str, request_id: bytes, params: Raw | UnsetType) -> None:
        """A request of the server: a ping is for us, all else for the client whose call is in flight."""
        if method == "ping":
            return self._reply(request_id, b"{}")
        call = self._only_client()
        if call is None:
            refusal = f"{method}: it is not clear which client to ask, since not exactly one has a call in flight"
            return self._reply(request_id, RpcError(METHOD_NOT_FOUND, refusal))
        key = _ask_key(request_id)
        self._asked[key] = call, request_id

        def answer(said: bytes | Raw | RpcError) -> None:
            if self._asked.pop(key, None) is not None:
                self._reply(request_id, said)
                call.push(Alive())

        call.push(Ask(method, b"{}" if params is UNSET else params, key, answer))

    def _reply(self, request_id: bytes, said: bytes | Raw | RpcError) -> None:
        line = failure(request_id, said) if isinstance(said, RpcError) else response(request_id, said)
        try:
            self.process.write(line)
        except ServerError:
            pass

    def _only_client(self) -> Call | None:
        """The latest call of the one client that has any in flight. A shared server does not say whom it means."""
        calls = [call for call in self._calls.values() if call.owner is not None and call.method in TARGET_KEYS]
        return calls[-1] if len({call.owner for call in calls}) == 1 else None

    def _call(self, raw_id: Raw | UnsetType) -> Call | None:
        # Some servers answer "5" to 5.
        text = b"" if raw_id is UNSET else bytes(raw_id).strip(b'"')
        return self._calls.get(int(text)) if text.isdigit() and len(text) < 19 else None

    def _ended(self) -> None:
        for call in list(self._calls.values()):
            self._fail(call, self.process.epitaph)

    def _fail(self, call: Call, reason: str) -> None:
        self._forget(call)
        call.push(Lost(reason))

    def _forget(self, call: Call) -> None:
        self._calls.pop(call.id, None)
        call.is_done = True
        for key, (asking, request_id) in list(self._asked.items()):
            if asking is call:
                del self._asked[key]
                self._reply(request_id, RpcError(REQUEST_CANCELLED, "the call is over, so nobody answers this"))


def _ask_key(request_id: bytes) -> str:
    return "ask-" + request_id.decode(errors="replace").strip('"')


def _valid_utf8(line: bytes) -> bytes:
    """`line`, with what is no UTF-8 replaced: msgspec would let it pass and clients would choke on it."""
    if line.isascii():
        return line
    try:
        line.decode()
    except UnicodeDecodeError:
        return line.decode(errors="replace").encode()
    return line
