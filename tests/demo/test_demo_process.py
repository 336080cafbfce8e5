"""The demo server as a client meets it: a process with pipes."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import switchboard_tray.demo

ROOT = Path(switchboard_tray.demo.__file__).parents[2]
WAIT_S = 20.0

Start = Callable[[Path], "subprocess.Popen[bytes]"]


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts demo servers; those that still run when the test ends are killed."""
    with ExitStack() as processes:

        def start_server(path: Path) -> "subprocess.Popen[bytes]":
            process = subprocess.Popen(
                [sys.executable, "-m", "switchboard_tray.demo", "--db", str(path)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )
            processes.enter_context(process)
            processes.callback(process.kill)
            return process

        yield start_server


def ask(process: "subprocess.Popen[bytes]", line: bytes) -> Any:
    """Write one line and read one."""
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(line + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline())


def request(request_id: int, method: str, **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}).encode()


def test_session_from_initialize_to_end_of_input_ends_with_exit_code_0(start: Start, tmp_path: Path) -> None:
    process = start(tmp_path / "state" / "demo.db")
    assert ask(process, request(1, "initialize", protocolVersion="2025-06-18"))["result"]["protocolVersion"]
    assert len(ask(process, request(2, "tools/list"))["result"]["tools"]) == 11
    called = ask(process, request(3, "tools/call", name="add_note", arguments={"title": "Grüße 🌍"}))
    assert called["result"]["structuredContent"]["title"] == "Grüße 🌍"
    assert ask(process, b'{"jsonrpc":')["error"]["code"] == -32700
    assert ask(process, request(4, "ping")) == {"jsonrpc": "2.0", "id": 4, "result": {}}
    assert process.communicate(timeout=WAIT_S) == (b"", b"")
    assert process.returncode == 0


def test_note_outlives_the_process_that_added_it(start: Start, tmp_path: Path) -> None:
    first = start(tmp_path / "demo.db")
    ask(first, request(1, "tools/call", name="add_note", arguments={"title": "Kept"}))
    first.kill()
    first.wait(WAIT_S)
    kept = ask(start(tmp_path / "demo.db"), request(1, "tools/call", name="get_note", arguments={"note_id": 4}))
    assert kept["result"]["structuredContent"]["title"] == "Kept"


def test_processes_that_start_at_once_share_one_set_of_welcome_notes(start: Start, tmp_path: Path) -> None:
    processes = [start(tmp_path / "demo.db") for _ in range(4)]
    added = [ask(process, request(1, "tools/call", name="add_note", arguments={"title": "x"})) for process in processes]
    assert sorted(response["result"]["structuredContent"]["id"] for response in added) == [4, 5, 6, 7]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM that a process could ignore")
def test_sigterm_ends_the_process_even_when_the_parent_ignores_it(start: Start, tmp_path: Path) -> None:
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        process = start(tmp_path / "demo.db")
    finally:
        signal.signal(signal.SIGTERM, before)
    ask(process, request(1, "ping"))
    process.terminate()
    assert process.wait(WAIT_S) == -signal.SIGTERM


def test_client_that_stops_reading_ends_the_process_quietly(start: Start, tmp_path: Path) -> None:
    process = start(tmp_path / "demo.db")
    ask(process, request(1, "ping"))
    assert process.stdin is not None and process.stdout is not None and process.stderr is not None
    process.stdout.close()
    process.stdin.write(request(2, "tools/list") + b"\n")
    process.stdin.flush()
    assert process.wait(WAIT_S) == 0
    assert process.stderr.read() == b""


@pytest.mark.parametrize("content", [None, b"holiday pictures" * 100], ids=["folder", "no-database"])
def test_file_that_cannot_be_used_ends_with_one_line_on_stderr(
    start: Start, tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "demo.db"
    path.mkdir() if content is None else path.write_bytes(content)
    out, err = start(path).communicate(timeout=WAIT_S)
    assert (out, err.count(b"\n")) == (b"", 1)
    assert err.startswith(b"demo notebook ")


CHATTY_SERVER = """
import io, sys
from switchboard_tray.demo.__main__ import main

class Chatty(io.BytesIO):
    def readline(self, size=-1):
        print("stray")
        return super().readline(size)

sys.stdin = io.TextIOWrapper(Chatty(b'{"jsonrpc":"2.0","id":1,"method":"ping"}'))
sys.exit(main(["--db", sys.argv[1]]))
"""


def test_stray_print_goes_to_stderr_and_not_between_messages(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CHATTY_SERVER, str(tmp_path / "demo.db")]
    ended = subprocess.run(command, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert json.loads(ended.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ended.stderr.split() == [b"stray", b"stray"]


def test_demo_loads_the_standard_library_and_itself_alone() -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); import switchboard_tray.demo.__main__; print(*sys.modules)"
    )
    # -I -S: without site-packages, whose start-up files may load anything.
    listed = subprocess.run([sys.executable, "-I", "-S", "-c", script], check=True, capture_output=True, text=True)
    others = {name for name in listed.stdout.split() if name.partition(".")[0] not in sys.stdlib_module_names}
    assert {name for name in others if not name.startswith("switchboard_tray.demo")} == {"__main__", "switchboard_tray"}
