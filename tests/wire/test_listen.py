"""The gateway's sockets: loopback alone, and never beside somebody else (docs/security.md)."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from switchboard_tray.errors import GatewayError
from switchboard_tray.wire.listen import listen


@contextmanager
def listening(port: int = 0) -> Iterator[list[socket.socket]]:
    sockets = listen(port)
    try:
        yield sockets
    finally:
        for one in sockets:
            one.close()


def test_sockets_are_on_loopback_alone_and_on_one_port() -> None:
    with listening() as sockets:
        addresses = [one.getsockname()[:2] for one in sockets]

    assert {host for host, _ in addresses} <= {"127.0.0.1", "::1"}
    assert addresses[0][0] == "127.0.0.1"
    assert len({port for _, port in addresses}) == 1


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_port_that_somebody_holds_on_either_address_is_refused_and_said_by_whom(host: str) -> None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        taken = socket.create_server((host, 0), family=family)
    except OSError as exc:
        pytest.skip(f"no {host} here: {exc}")
    with taken, pytest.raises(GatewayError) as refusal:
        listen(taken.getsockname()[1])

    assert f"(process {os.getpid()})" in str(refusal.value)
    assert "settings.port" in refusal.value.hint


def test_second_of_ours_is_refused_too() -> None:
    with listening() as sockets, pytest.raises(GatewayError, match="is in use"):
        listen(sockets[0].getsockname()[1])


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not hold a port after its connections")
def test_port_whose_last_connections_linger_is_taken_again_at_once() -> None:
    with listening() as sockets:
        port = sockets[0].getsockname()[1]
        with closing(socket.create_connection(("127.0.0.1", port))):
            sockets[0].setblocking(True)
            served, _ = sockets[0].accept()
            # Whoever closes first keeps the address waiting.
            served.close()

    with listening(port) as again:
        assert again[0].getsockname()[1] == port


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="needs a user without rights")
def test_port_that_needs_rights_is_refused_with_the_way_out() -> None:
    with pytest.raises(GatewayError, match="needs rights") as refusal:
        listen(1)

    assert "settings.port" in refusal.value.hint
