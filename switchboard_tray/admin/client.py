"""The admin API's client, for CLI, tray, window and bridge. Standard library alone: it must start at once.

Knows no route. Each request has a connection of its own, on which the gateway first proves that it knows the admin
token; only then the token is sent. No proxy is asked, and nothing but loopback is spoken to.
"""

import hmac
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from typing import Any
from urllib.parse import urlencode, urlsplit

from switchboard_tray.admin.auth import prove
from switchboard_tray.config.problems import BrokenFile, InvalidConfig, Problem
from switchboard_tray.errors import (
    ConfigConflict,
    ConfigError,
    GatewayError,
    NotFound,
    Refused,
    ServerError,
    SwitchboardError,
)
from switchboard_tray.paths import Paths

PREFIX = "/api/v1"
CONNECT_S = 3.0
"""For the connection and the proof: a gateway that is busy for longer does not answer."""
ANSWER_S = 1300.0
"""For an answer: a call may start its server for 60 s and then, with progress, take ten times its timeout of 120 s."""
HELLO_BYTES = 4096

_LOOPBACK = frozenset({"127.0.0.1", "::1"})
_START = "Start it with: switchboard serve"
_LOOK = "Find out with: switchboard doctor"


@dataclass(frozen=True, slots=True)
class AdminClient:
    """The running gateway. Every method raises `GatewayError` where it is gone, and what the API answers as errors."""

    url: str
    pid: int
    version: str
    _token: str = field(repr=False)

    def get(self, path: str, **query: str) -> Any:
        """The JSON at `path` below ``/api/v1``."""
        return self._ask("GET", f"{path}?{urlencode(query)}" if query else path)

    def post(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The answer to a POST of `body`."""
        return self._ask("POST", path, body or {})

    def patch(self, path: str, patch: Mapping[str, Any], *, if_match: str) -> Any:
        """The answer to a merge patch that is based on the ETag `if_match`; raises ConfigConflict for another one."""
        headers = {"Content-Type": "application/merge-patch+json", "If-Match": f'"{if_match}"'}
        return self._ask("PATCH", path, patch, headers)

    def make_sure(self) -> None:
        """Raise `GatewayError` unless the gateway answers and proves that it is ours."""
        self._connected().close()

    def _ask(
        self, method: str, path: str, body: Mapping[str, Any] | None = None, headers: Mapping[str, str] | None = None
    ) -> Any:
        sent = None if body is None else json.dumps(body).encode()
        connection = self._connected()
        try:
            fields = {
                "Authorization": f"Bearer {self._token}",
                "Content-Type": "application/json",
                **(headers or {}),
            }
            connection.request(method, PREFIX + path, sent, fields)
            response = connection.getresponse()
            answer = json.loads(response.read() or b"{}")
        except (OSError, HTTPException, ValueError) as exc:
            raise GatewayError(f"The gateway at {self.url} broke off before it answered.", hint=_LOOK) from exc
        finally:
            connection.close()
        if response.status >= 400:
            raise _fault(response.status, answer)
        return answer

    def _connected(self) -> HTTPConnection:
        """A connection whose other end has proved to be our gateway."""
        address = urlsplit(self.url)
        connection = HTTPConnection(address.hostname or "", address.port, timeout=CONNECT_S)
        try:
            connection.connect()
        except OSError as exc:
            raise GatewayError("The gateway is not running.", hint=_START) from exc
        try:
            if not self._proves_itself(connection):
                raise GatewayError(f"Another program holds {self.url}, not our gateway.", hint=_LOOK)
            # Whoever answers a second connection would not have proved anything.
            connection.auto_open = 0
            connection.sock.settimeout(ANSWER_S)
        except BaseException:
            connection.close()
            raise
        return connection

    def _proves_itself(self, connection: HTTPConnection) -> bool:
        nonce = os.urandom(16).hex()
        try:
            connection.request("GET", f"/hello?nonce={nonce}")
            response = connection.getresponse()
            said = json.loads(response.read(HELLO_BYTES))
            proof, is_open = said["hmac"], response.isclosed() and connection.sock is not None
        except TimeoutError as exc:
            raise GatewayError(f"The program at {self.url} does not answer.", hint=_LOOK) from exc
        except (OSError, HTTPException, ValueError, KeyError, TypeError):
            return False
        expected = prove(self._token, nonce)
        return is_open and isinstance(proof, str) and proof.isascii() and hmac.compare_digest(proof, expected)


def find_gateway(paths: Paths) -> AdminClient:
    """The gateway of this user, which has just proved that it is ours.

    Raises `GatewayError` where none runs, or where something else holds its port.
    """
    # Costs 50 ms for the lock that it knows too.
    from switchboard_tray.stores.daemon import read_daemon

    daemon = read_daemon(paths.daemon)
    try:
        token = paths.admin_token.read_text("utf-8").strip()
    except (OSError, ValueError):
        token = ""
    if daemon is None or not token:
        raise GatewayError("The gateway is not running.", hint=_START)
    if not _is_loopback(daemon.url):
        raise GatewayError(f"{paths.daemon} names {daemon.url}, which is not an address of this machine.", hint=_START)
    client = AdminClient(daemon.url, daemon.pid, daemon.version, token)
    client.make_sure()
    return client


def running_gateway(paths: Paths) -> AdminClient | None:
    """The gateway of this user, or None where none can be spoken to."""
    try:
        return find_gateway(paths)
    except GatewayError:
        return None


def _is_loopback(url: str) -> bool:
    try:
        address = urlsplit(url)
        return address.scheme == "http" and address.hostname in _LOOPBACK and address.port is not None
    except ValueError:
        return False


def _fault(status: int, answer: Any) -> SwitchboardError:
    """The error that the API translated to HTTP, as it was before."""
    said = answer.get("error") if isinstance(answer, dict) else None
    said = said if isinstance(said, dict) else {}
    message = str(said.get("message") or f"The gateway answered with HTTP status {status}.")
    hint = str(said.get("hint") or "")
    faults = [problem_from(one) for one in said.get("problems", ())]
    match status:
        case 404:
            return NotFound(message, hint=hint)
        case 409:
            return BrokenFile(message, faults, hint=hint) if faults else Refused(message, hint=hint)
        case 412:
            return ConfigConflict(message, hint=hint)
        case 422:
            return InvalidConfig(message, faults, hint=hint) if faults else ConfigError(message, hint=hint)
        case 502 | 503:
            return ServerError(message, hint=hint)
        case _:
            return SwitchboardError(message, hint=hint)


def problem_from(said: Mapping[str, Any]) -> Problem:
    """A fault in the config as the API tells it (`admin.views.problem_view`)."""
    return Problem(said["pointer"], said["message"], said.get("hint", ""), said.get("line"), said.get("column"))
