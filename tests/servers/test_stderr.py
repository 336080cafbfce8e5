"""What servers write to stderr: the last lines for a person, the rest in a log of limited size (docs/servers.md)."""

from pathlib import Path

import pytest

from switchboard_tray.servers.stderr import FILE_BYTES, TAIL_BYTES, StderrLog, read_log
from tests.fixtures.clients import connected
from tests.fixtures.gateway import config_of, running_gateway
from tests.fixtures.servers import Servers, text
from tests.fixtures.waiting import eventually

LINE = b"x" * 99 + b"\n"


@pytest.fixture
def log(tmp_path: Path) -> StderrLog:
    return StderrLog(tmp_path / "logs" / "server-one.log")


def test_tail_is_the_last_lines_whatever_the_chunks(log: StderrLog) -> None:
    for chunk in (b"one\ntw", b"o\nthree\n", b"", b"four\nfi", b"ve\nsix"):
        log.write(chunk)

    assert log.tail(3) == "four\nfive\nsix"
    assert log.tail(100).startswith("one\ntwo\n")
    log.close()


def test_tail_of_a_flood_without_a_line_end_is_short(log: StderrLog) -> None:
    for _ in range(1000):
        log.write(b"y" * 1000)

    assert log.tail() == "y" * TAIL_BYTES
    log.close()


def test_bytes_that_are_no_text_are_replaced(log: StderrLog) -> None:
    log.write(b"caf\xe9\n")

    assert log.tail() == "caf\ufffd"
    log.close()


def test_tail_of_a_new_process_does_not_begin_with_the_words_of_the_old_one(log: StderrLog) -> None:
    log.write(b"old\n")
    log.begin(())

    assert log.tail() == ""
    log.write(b"new\n")
    assert log.tail() == "new"
    log.close()


def test_log_is_two_files_of_limited_size_and_keeps_the_newest(log: StderrLog, tmp_path: Path) -> None:
    for number in range(3 * FILE_BYTES // 100_000):
        log.write(LINE * 999 + b"%099d\n" % number)
    log.close()

    files = sorted((tmp_path / "logs").iterdir())
    assert len(files) == 2
    assert all(0 < file.stat().st_size <= FILE_BYTES and file.stat().st_mode & 0o077 == 0 for file in files)
    kept = read_log(tmp_path / "logs" / "server-one.log")
    assert kept.endswith(f"{number:099d}\n") and len(kept) > FILE_BYTES


def test_logs_of_several_processes_of_a_server_share_two_files_of_limited_size(tmp_path: Path) -> None:
    logs = [StderrLog(tmp_path / "server-one.log") for _ in range(5)]
    for number in range(5 * FILE_BYTES // 100_000):
        logs[number % 5].write(LINE * 999 + b"%099d\n" % number)
    for log in logs:
        log.close()

    files = list(tmp_path.iterdir())
    assert len(files) == 2 and all(file.stat().st_size <= FILE_BYTES for file in files)
    kept = read_log(tmp_path / "server-one.log").split()
    numbers = [int(line) for line in kept if line.startswith("0")]
    assert numbers == list(range(number - len(numbers) + 1, number + 1))


def test_log_goes_on_where_an_earlier_start_ended(tmp_path: Path) -> None:
    for word in (b"first\n", b"second\n"):
        log = StderrLog(tmp_path / "server-one.log")
        log.write(word)
        log.close()

    assert read_log(tmp_path / "server-one.log") == "first\nsecond\n"
    assert read_log(tmp_path / "none.log") == ""


def test_log_that_cannot_be_written_ends_nobody(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where the folder should be")
    log = StderrLog(tmp_path / "logs" / "server-one.log")
    log.write(b"words\n")

    assert log.tail() == "words"


def test_value_that_must_not_be_shown_is_neither_in_the_tail_nor_in_the_log(log: StderrLog, tmp_path: Path) -> None:
    log.begin(("hunter2-secret",))
    log.write(b"token=hunter2-secret;\n")
    log.close()

    assert log.tail() == "token=•••;"
    assert "hunter2" not in read_log(tmp_path / "logs" / "server-one.log")


@pytest.mark.parametrize("at", range(1, 14))
def test_value_that_comes_in_two_chunks_is_hidden_all_the_same(log: StderrLog, tmp_path: Path, at: int) -> None:
    log.begin(("hunter2-secret", "unused-value"))
    log.write(b"token=" + b"hunter2-secret"[:at])
    log.write(b"hunter2-secret"[at:] + b"; hunt")
    log.close()

    assert log.tail() == "token=•••; hunt"
    assert read_log(tmp_path / "logs" / "server-one.log") == "token=•••; hunt"


def test_value_that_breaks_off_near_its_end_is_hidden_too(log: StderrLog, tmp_path: Path) -> None:
    log.begin(("hunter2-secret",))
    log.write(b"token=hunter2-secre")
    log.close()

    assert log.tail() == "token=•••"


async def test_server_that_repeats_its_secret_on_stderr_shows_it_to_nobody(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["stderr", "auth with hunter2-secret failed\n"], ["exit", 1], text("x")]})
    entry = server.entry(env={"API_TOKEN": "hunter2-secret"})
    async with running_gateway(home, config_of({"one": entry})) as gateway:
        outcome = (await (await connected(gateway)).call("one__echo")).body
        shown = await gateway.api("GET", "/servers/one")
        log = await gateway.api("GET", "/servers/one/logs")
        await eventually(lambda: (gateway.paths.logs / "server-one.log").exists())

    assert [b"auth with" in body for body in (outcome, shown.body, log.body)] == [True] * 3
    assert [b"hunter2" in body for body in (outcome, shown.body, log.body)] == [False] * 3
    assert b"hunter2" not in (gateway.paths.logs / "server-one.log").read_bytes()
