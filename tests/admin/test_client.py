"""The admin API's client against real HTTP servers: ours by its proof, and others by the lack of one."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from switchboard_tray.admin.auth import prove
from switchboard_tray.admin.client import AdminClient, find_gateway, running_gateway
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import (
    ConfigConflict,
    ConfigError,
    GatewayError,
    NotFound,
    Refused,
    ServerError,
    SwitchboardError,
)
from switchboard_tray.paths import Paths, find_paths

TOKEN = "the-token-of-this-home"
ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Program:
    """Something that listens; `seen` are its requests: method, target, headers, body."""

    port: int
    seen: list[tuple[str, str, dict[str, str], bytes]] = field(default_factory=list)

    @property
    def tokens(self) -> list[str]:
        """The tokens that were sent to it."""
        return [headers["authorization"] for _, _, headers, _ in self.seen if "authorization" in headers]


Hello = Callable[[str], Any]


def ours(nonce: str) -> Any:
    return {"hmac": prove(TOKEN, nonce)}


@contextmanager
def listening(hello: Hello, status: int = 200, answer: Any = None, *, keeps_open: bool = True) -> Iterator[Program]:
    """A program that answers ``/hello`` with what `hello` makes of the nonce, and all else with `answer`."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1" if keeps_open else "HTTP/1.0"

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            program.seen.append((self.command, self.path, headers, body))
            target = urlsplit(self.path)
            if target.path == "/hello":
                self.send(200, hello(parse_qs(target.query)["nonce"][0]))
            else:
                self.send(status, answer)

        def send(self, status: int, value: Any) -> None:
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = answer

        def log_message(self, format: str, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        program = Program(server.server_address[1])
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield program
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def paths(home: Path) -> Paths:
    found = find_paths({"SWITCHBOARD_HOME": str(home)})
    found.state.mkdir(parents=True)
    found.admin_token.write_text(TOKEN)
    return found


def announce(paths: Paths, url: str) -> None:
    paths.daemon.write_text(json.dumps({"pid": 1, "url": url, "version": "0.1.0"}))


def client_of(paths: Paths, program: Program) -> AdminClient:
    announce(paths, f"http://127.0.0.1:{program.port}")
    return find_gateway(paths)


def test_a_request_carries_the_token_and_gives_the_json(paths: Paths) -> None:
    with listening(ours, answer={"n": 2**70}) as program:
        found = client_of(paths, program).get("/tools", profile="a b&c")

    assert found == {"n": 2**70}
    method, target, headers, _ = program.seen[-1]
    assert (method, target) == ("GET", "/api/v1/tools?profile=a+b%26c")
    assert headers["authorization"] == f"Bearer {TOKEN}"


def test_a_patch_is_a_merge_patch_with_the_etag(paths: Paths) -> None:
    with listening(ours, answer={}) as program:
        client_of(paths, program).patch("/config", {"a": None}, if_match="abc")

    method, target, headers, body = program.seen[-1]
    assert (method, target, body) == ("PATCH", "/api/v1/config", b'{"a": null}')
    assert headers["content-type"] == "application/merge-patch+json"
    assert headers["if-match"] == '"abc"'


def test_every_request_has_a_fresh_proof_on_its_own_connection(paths: Paths) -> None:
    with listening(ours, answer={}) as program:
        client = client_of(paths, program)
        client.post("/stop")
        client.post("/stop")

    hellos = [target for _, target, _, _ in program.seen if target.startswith("/hello")]
    assert len(hellos) == len(set(hellos)) == 3


@pytest.mark.parametrize(
    "hello",
    [
        lambda nonce: {"hmac": prove("another token", nonce)},
        lambda nonce: {"hmac": prove(TOKEN, "an old nonce")},
        lambda nonce: {"hmac": nonce},
        lambda nonce: {"hmac": "\ud800"},
        lambda nonce: {"hmac": None},
        lambda nonce: {},
        lambda nonce: [],
        lambda nonce: b"<html>",
        lambda nonce: b"x" * 100_000,
    ],
)
def test_a_program_that_proves_nothing_never_sees_the_token(hello: Hello, paths: Paths) -> None:
    with listening(hello) as program:
        with pytest.raises(GatewayError, match="Another program holds") as caught:
            client_of(paths, program)

    assert caught.value.hint == "Find out with: switchboard doctor"
    assert program.tokens == []
    assert len(program.seen) == 1


def test_a_program_that_closes_after_the_proof_never_sees_the_token(paths: Paths) -> None:
    with listening(ours, keeps_open=False) as program:
        with pytest.raises(GatewayError):
            client_of(paths, program)

    assert program.tokens == []


@pytest.mark.parametrize(
    "url",
    [
        "http://192.0.2.1:7923",
        "http://127.0.0.1.example:7923",
        "https://127.0.0.1:7923",
        "http://127.0.0.1",
        "x",
        "http://[bad",
    ],
)
def test_an_address_that_is_not_loopback_is_not_spoken_to(url: str, paths: Paths) -> None:
    announce(paths, url)

    with pytest.raises(GatewayError, match="not an address of this machine"):
        find_gateway(paths)


def test_no_proxy_is_asked(paths: Paths, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")

    with listening(ours, answer={"ok": True}) as program:
        assert client_of(paths, program).get("/status") == {"ok": True}


def test_without_a_word_of_a_gateway_none_runs(paths: Paths) -> None:
    with pytest.raises(GatewayError, match="The gateway is not running") as caught:
        find_gateway(paths)

    assert caught.value.hint == "Start it with: switchboard serve"
    assert running_gateway(paths) is None


def test_a_gateway_that_was_killed_does_not_run(paths: Paths) -> None:
    with listening(ours) as program:
        announce(paths, f"http://127.0.0.1:{program.port}")

    with pytest.raises(GatewayError, match="The gateway is not running"):
        find_gateway(paths)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}'])
def test_a_damaged_daemon_file_is_like_none(text: str, paths: Paths) -> None:
    paths.daemon.write_text(text)

    assert running_gateway(paths) is None


def test_without_a_token_no_gateway_can_prove_itself(paths: Paths) -> None:
    with listening(ours) as program:
        announce(paths, f"http://127.0.0.1:{program.port}")
        paths.admin_token.write_text("")

        assert running_gateway(paths) is None


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, SwitchboardError),
        (401, SwitchboardError),
        (404, NotFound),
        (409, Refused),
        (412, ConfigConflict),
        (422, ConfigError),
        (500, SwitchboardError),
        (502, ServerError),
        (503, ServerError),
    ],
)
def test_an_error_of_the_api_is_the_error_it_was_made_of(status: int, kind: type[Exception], paths: Paths) -> None:
    said = {"error": {"message": "It went wrong.", "hint": "Do this.", "problems": []}}

    with listening(ours, status, said) as program, pytest.raises(SwitchboardError) as caught:
        client_of(paths, program).get("/x")

    assert (type(caught.value), caught.value.message, caught.value.hint) == (kind, "It went wrong.", "Do this.")


def test_problems_of_the_config_come_with_their_places(paths: Paths) -> None:
    problem = {"pointer": "/a", "message": "is wrong", "hint": "", "line": 3, "column": 4}
    said = {"error": {"message": "It is broken.", "hint": "", "problems": [problem]}}

    with listening(ours, 422, said) as program, pytest.raises(InvalidConfig) as caught:
        client_of(paths, program).get("/config")

    assert caught.value.faults == (Problem("/a", "is wrong", "", 3, 4),)


@pytest.mark.parametrize("answer", [[], {"error": "text"}, {}])
def test_an_error_without_our_words_names_the_status(answer: Any, paths: Paths) -> None:
    with listening(ours, 500, answer) as program:
        with pytest.raises(SwitchboardError, match="HTTP status 500"):
            client_of(paths, program).get("/x")


def test_an_answer_that_is_no_json_is_a_gateway_that_broke_off(paths: Paths) -> None:
    with listening(ours, answer=b"{") as program:
        with pytest.raises(GatewayError, match="broke off"):
            client_of(paths, program).get("/x")


def test_the_token_is_not_in_what_is_printed_of_a_client(paths: Paths) -> None:
    with listening(ours) as program:
        assert TOKEN not in repr(client_of(paths, program))


def test_the_client_imports_nothing_heavy() -> None:
    code = "import sys, switchboard_tray.admin.client\nprint(*sys.modules)"

    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True
    )

    heavy = {"asyncio", "msgspec", "starlette", "mcp", "numpy", "httpx", "psutil", "filelock", "logging"}
    assert heavy & set(done.stdout.split()) == set()
