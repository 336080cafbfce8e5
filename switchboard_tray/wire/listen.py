"""The sockets the gateway listens on: loopback only, and never beside somebody else.

Clients have the port written down, so another one is never taken instead.
"""

import errno
import socket
import sys

import psutil

from switchboard_tray.errors import GatewayError

BACKLOG = 512
_ABSENT = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT, errno.EPROTONOSUPPORT}


def listen(port: int) -> list[socket.socket]:
    """Listening sockets on 127.0.0.1 and, where it exists, [::1].

    Raises `GatewayError` that says who holds the port.
    """
    sockets = [_listening(socket.AF_INET, "127.0.0.1", port)]
    try:
        sockets.append(_listening(socket.AF_INET6, "::1", sockets[0].getsockname()[1]))
    except OSError as exc:
        if exc.errno not in _ABSENT:
            sockets[0].close()
            raise
    except GatewayError:
        sockets[0].close()
        raise
    return sockets


def _listening(family: socket.AddressFamily, host: str, port: int) -> socket.socket:
    try:
        return _bound(family, host, port, reuse=False)
    except OSError as exc:
        if exc.errno == errno.EACCES:
            raise GatewayError(f"Port {port} needs rights this user does not have.", hint="Set settings.port.") from exc
        if exc.errno != errno.EADDRINUSE:
            raise
    # Connections of a gateway that just ended block the port for a minute. Only they may be overridden, never a
    # program that listens: hence only after nobody answered there.
    if sys.platform != "win32" and not _answers(family, host, port):
        try:
            return _bound(family, host, port, reuse=True)
        except OSError as exc:
            if exc.errno != errno.EADDRINUSE:
                raise
    raise GatewayError(
        f"Port {port} is in use{_by_whom(port)}.",
        hint="End that program, or choose another port: switchboard config set settings.port NUMBER",
    )


def _bound(family: socket.AddressFamily, host: str, port: int, *, reuse: bool) -> socket.socket:
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        elif reuse:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listening.bind((host, port))
        listening.listen(BACKLOG)
        if sys.platform == "linux":
            # Shares nothing with anybody, since the port is taken by now. Connections inherit it, and Linux lets only
            # such ones be overridden after our end.
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    except BaseException:
        listening.close()
        raise
    listening.setblocking(False)
    return listening


def _answers(family: socket.AddressFamily, host: str, port: int) -> bool:
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((host, port)) == 0


def _by_whom(port: int) -> str:
    """Who listens on `port`, for a sentence; empty where the system does not tell."""
    try:
        for connection in psutil.net_connections("tcp"):
            if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN:
                if connection.pid is None:
                    return ""
                return f" by {psutil.Process(connection.pid).name()} (process {connection.pid})"
    except psutil.Error:
        pass
    return ""
