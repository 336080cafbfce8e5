"""Sessions of clients of the 2025 era. A small append-only file lets them outlive the gateway.

A session carries no right: the profile is worked out for each request. An id that nobody ended is revived when it
comes, since real clients never start over by themselves; one ended by DELETE stays ended.

Source: docs/endpoint.md, "Sessions".
"""

import itertools
import json
import logging
import os
import re
import secrets
from collections.abc import Callable, Iterable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from msgspec import Raw

from switchboard_tray.jsonfile import write_atomic
from switchboard_tray.profiles.resolve import ClientFacts
from switchboard_tray.protocol.eras import LEGACY_VERSIONS
from switchboard_tray.protocol.messages import RpcError
from switchboard_tray.wire.stream import Stream

log = logging.getLogger(__name__)

WELL_FORMED = re.compile(r"[0-9a-f]{32}\Z")
LIVE_SESSIONS = 10_000
ENDED_KEPT_S = 24 * 3600.0
_LATEST = 1e15
REVIVED_VERSION = "2025-03-26"
"""What a client speaks that does not say; the revision before the header was introduced."""


AskAnswer = Callable[[bytes | Raw | RpcError], None]

_ask_ids = itertools.count(1)
# An answer meant for an earlier life of the gateway must not meet a question of this one.
_boot = secrets.token_hex(4)


class Cancellable(Protocol):
    """A request in flight."""

    def cancel(self) -> None:
        """The client no longer waits."""


@dataclass(slots=True)
class Session:
    """A client's connection to us, for as long as the client keeps it."""

    id: str
    version: str
    info: dict[str, Any] | None
    """What the client says of itself: name, version."""
    capabilities: dict[str, Any] | None
    """What the client can be asked for; both None where the session was revived without a record."""
    listed: dict[str, str] = field(default_factory=dict)
    """For each kind of list: the fingerprint of what the client last saw, or was last told to look at."""
    facts: ClientFacts | None = None
    """What its latest request told about it; None since the gateway started."""
    log_level: str | None = None
    streams: list[Stream] = field(default_factory=list)
    """Open GET streams. A dead one may linger, so the newest gets the messages."""
    in_flight: dict[bytes, Cancellable] = field(default_factory=dict)
    """By request id as it is on the wire: 1 and "1" are two."""
    asks: dict[bytes, AskAnswer] = field(default_factory=dict)
    """Questions of servers that the client has not answered."""
    watches: dict[str, AsyncExitStack] = field(default_factory=dict)
    """Watched resources, by the URI the client used."""

    @property
    def client_name(self) -> object:
        """The name the client gives itself."""
        return (self.info or {}).get("name")

    def send(self, message: bytes) -> None:
        """Send a message that belongs to no request, if a stream is open."""
        if self.streams:
            self.streams[-1].push(message)

    def new_ask(self, answer: AskAnswer) -> bytes:
        """The id under which a question of a server goes to the client."""
        request_id = f'"{_boot}-{next(_ask_ids)}"'.encode()
        self.asks[request_id] = answer
        return request_id

    def answer_ask(self, request_id: bytes, said: bytes | Raw | RpcError) -> None:
        """Hand an answer to the server that asked; one to nothing we asked is dropped."""
        if (answer := self.asks.pop(request_id, None)) is not None:
            answer(said)

    def forget_ask(self, request_id: bytes) -> bool:
        """Take a question back; False where it is answered already."""
        return self.asks.pop(request_id, None) is not None


class Sessions:
    """All sessions, and the file they are remembered in."""

    def __init__(self, path: Path, now: float) -> None:
        self._path = path
        self._live: dict[str, Session] = {}
        self._ended: dict[str, float] = {}
        self._load(now)
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

    def __iter__(self) -> Iterator[Session]:
        return iter(list(self._live.values()))

    def start(self, version: str, info: dict[str, Any], capabilities: dict[str, Any]) -> Session:
        """A new session, for an ``initialize``."""
        return self._add(Session(secrets.token_hex(16), version, info, capabilities))

    def find(self, session_id: str, version: str | None) -> Session | None:
        """The session with this id, revived where it is unknown; None where it was ended or was never one of ours."""
        session = self._live.pop(session_id, None)
        if session is not None:
            # Behind the others: what is in use is forgotten last.
            self._live[session_id] = session
            return session
        if session_id in self._ended or not WELL_FORMED.match(session_id):
            return None
        return self._add(Session(session_id, version or REVIVED_VERSION, None, None))

    def end(self, session: Session, now: float) -> None:
        """End `session` for good."""
        self._live.pop(session.id, None)
        self._ended[session.id] = now
        self._record({"id": session.id, "ended": now})
        for request in list(session.in_flight.values()):
            request.cancel()
        self.close_streams([session])

    def saw(self, session: Session, kind: str, fingerprint: str) -> None:
        """Remember what the client was last shown, so that after a restart it is told of what changed since."""
        if session.listed.get(kind) != fingerprint:
            session.listed[kind] = fingerprint
            self._record(_as_record(session))

    def close_streams(self, sessions: Iterable[Session]) -> None:
        """End the standing streams of `sessions`."""
        for session in sessions:
            for stream in session.streams:
                stream.push(None)

    def close(self) -> None:
        """Close the file; the sessions themselves go on after the next start."""
        os.close(self._file)

    def _add(self, session: Session) -> Session:
        self._live[session.id] = session
        while len(self._live) > LIVE_SESSIONS:
            # The longest unused one; should it come back, it is revived, though without its client's name.
            self._live.pop(next(iter(self._live)))
        self._record(_as_record(session))
        return session

    def _record(self, record: dict[str, Any]) -> None:
        try:
            os.write(self._file, json.dumps(record).encode() + b"\n")
        except OSError as exc:
            log.warning("session not recorded: %s", exc)

    def _load(self, now: float) -> None:
        for record in _records(self._path):
            session_id = record["id"]
            if "ended" in record:
                self._live.pop(session_id, None)
                self._ended[session_id] = record["ended"]
            else:
                self._live.pop(session_id, None)
                self._live[session_id] = _from_record(record)
        self._ended = {key: ended for key, ended in self._ended.items() if now - ended < ENDED_KEPT_S}
        for session_id in list(self._live)[:-LIVE_SESSIONS]:
            del self._live[session_id]
        ends = [{"id": key, "ended": ended} for key, ended in self._ended.items()]
        lines = [json.dumps(record) for record in (*ends, *map(_as_record, self._live.values()))]
        write_atomic(self._path, "".join(f"{line}\n" for line in lines).encode())


def _records(path: Path) -> Iterator[dict[str, Any]]:
    """The usable records of the file; a torn last line, after a crash, is none."""
    try:
        lines = path.read_bytes().splitlines()
    except FileNotFoundError:
        return
    for line in lines:
        try:
            record = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(record, dict) and _is_usable(record):
            yield record


def _is_usable(record: dict[str, Any]) -> bool:
    session_id = record.get("id")
    is_named = isinstance(session_id, str) and WELL_FORMED.match(session_id) is not None
    ended = record.get("ended", 0.0)
    # An int may have more digits than a float can hold.
    return is_named and isinstance(ended, int | float) and abs(ended) < _LATEST


def _as_record(session: Session) -> dict[str, Any]:
    return {
        "id": session.id,
        "version": session.version,
        "client": session.info,
        "capabilities": session.capabilities,
        "listed": session.listed,
    }


def _from_record(record: dict[str, Any]) -> Session:
    version, info, capabilities, listed = (record.get(key) for key in ("version", "client", "capabilities", "listed"))
    return Session(
        record["id"],
        version if version in LEGACY_VERSIONS else REVIVED_VERSION,
        info if isinstance(info, dict) else None,
        capabilities if isinstance(capabilities, dict) else None,
        listed if isinstance(listed, dict) else {},
    )
