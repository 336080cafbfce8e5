"""Who gets past the guard: the rule itself (docs/security.md). That it stands before every route: `test_routes`."""

import pytest

from switchboard_tray.wire.guard import find_fault

ADDRESS = (b"host", b"127.0.0.1:7923")
JSON = (b"content-type", b"application/json")


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.1:7923", "localhost", "LOCALHOST:1", "[::1]", "[::1]:7923", "localhost:65000"]
)
def test_loopback_name_with_any_port_passes(host: str) -> None:
    assert find_fault("GET", [(b"host", host.encode())], ("127.0.0.1", 50000)) is None


@pytest.mark.parametrize(
    "host",
    ["", "evil.example", "127.0.0.1.evil.example", "localhost.", "127.0.0.1:", "127.0.0.1:x", "[::1", "::1", "0.0.0.0",
     "localhost@evil", "evil:80:80", "127.0.0.2"],
)  # fmt: skip
def test_any_other_host_is_refused(host: str) -> None:
    fault = find_fault("GET", [(b"host", host.encode())], ("127.0.0.1", 50000))

    assert fault is not None and fault[0] == 421


@pytest.mark.parametrize(
    "origin",
    ["https://127.0.0.1:7923", "http://localhost:7923", "null", "http://127.0.0.1:7923/", "", "HTTP://127.0.0.1:7923"],
)
def test_origin_must_be_the_very_address_of_the_request(origin: str) -> None:
    fault = find_fault("GET", [ADDRESS, (b"origin", origin.encode())], None)

    assert fault is not None and fault[0] == 403


def test_two_hosts_or_origins_are_refused() -> None:
    origin = (b"origin", b"http://127.0.0.1:7923")

    assert find_fault("GET", [ADDRESS, ADDRESS], None) is not None
    assert find_fault("GET", [ADDRESS, origin], None) is None
    assert find_fault("GET", [ADDRESS, origin, origin], None) is not None


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1"])
def test_program_on_this_machine_passes(peer: str) -> None:
    assert find_fault("POST", [ADDRESS, JSON], (peer, 1)) is None


@pytest.mark.parametrize("peer", ["192.168.1.5", "::ffff:192.168.1.5", "10.0.0.1", "fe80::1"])
def test_program_on_another_machine_is_refused(peer: str) -> None:
    fault = find_fault("POST", [ADDRESS, JSON], (peer, 1))

    assert fault is not None and fault[0] == 403


@pytest.mark.parametrize(
    "kind", ["application/json", "Application/JSON; charset=utf-8", "application/merge-patch+json"]
)
def test_json_of_any_spelling_passes(kind: str) -> None:
    assert find_fault("PATCH", [ADDRESS, (b"content-type", kind.encode()), (b"content-length", b"2")], None) is None


def test_request_without_a_body_needs_no_content_type() -> None:
    assert find_fault("POST", [ADDRESS, (b"content-length", b"0")], None) is None
    assert find_fault("POST", [ADDRESS, (b"content-length", b"2")], None) is not None
    assert find_fault("POST", [ADDRESS, (b"transfer-encoding", b"chunked")], None) is not None
