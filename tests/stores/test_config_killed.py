"""Many processes edit the config and some are killed: no acknowledged edit is lost, the file is valid at any moment."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from switchboard_tray.jsonfile import patiently, render
from switchboard_tray.paths import HOME_VARIABLE, Paths, find_paths
from switchboard_tray.stores.config import ConfigStore, Edit

ROOT = Path(__file__).resolve().parent.parent.parent
MAX_STEPS = 60


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    return find_paths({HOME_VARIABLE: str(tmp_path)})


def start_worker(paths: Paths, *arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.stores.config_worker", str(paths.config.parent), *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def acknowledged(worker: subprocess.Popen[str]) -> list[int]:
    """What the worker said it had done, when it has ended."""
    said, _ = worker.communicate()
    return [int(line) for line in said.splitlines()]


def document_in(paths: Paths) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(patiently(paths.config.read_bytes))
    return document


def test_an_edit_killed_at_any_file_operation_leaves_the_old_file_or_the_new_one(paths: Paths) -> None:
    store = ConfigStore(paths)
    store.create_first()
    outcomes, left_behind = set(), 0
    for step in range(1, MAX_STEPS):
        store.modify(before_step(step))

        worker = start_worker(paths, "killed", 1, step)
        done = acknowledged(worker)

        document = document_in(paths)
        outcomes.add((tuple(document["x-killed"]), bool(done)))
        assert document["x-step"] == step
        assert document["x-killed"] in ([[0]] if done else [[], [0]])
        assert ConfigStore(paths).load().problems == ()
        left_behind += len(temporary_files(paths))
        if worker.returncode == 0:
            break

    # The kills came before the edit, in it, after it, and not at all; else this proves nothing.
    assert outcomes == {((), False), ((0,), False), ((0,), True)}
    assert left_behind > 0
    assert temporary_files(paths) == []


def before_step(step: int) -> Edit:
    return lambda document: {**document, "x-step": step, "x-killed": []}


def temporary_files(paths: Paths) -> list[Path]:
    return [*paths.config.parent.glob(".*.tmp"), *paths.history.glob(".*.tmp")]


def test_edits_of_processes_and_a_hand_are_all_kept_while_others_are_killed(paths: Paths) -> None:
    ConfigStore(paths).create_first()
    with reading_all_the_time(paths) as faults:
        workers = {name: start_worker(paths, name, 8) for name in ("one", "two")}
        for number in range(4):
            save_by_hand(paths, number)
            workers[f"killed-{number}"] = killed_after_two_edits(paths, f"killed-{number}")
        done = {name: acknowledged(worker) for name, worker in workers.items()}

    document = document_in(paths)
    assert faults == []
    assert (document["x-one"], document["x-two"], document["x-hand"]) == (
        list(range(8)),
        list(range(8)),
        list(range(4)),
    )
    for number in range(4):
        kept, said = document[f"x-killed-{number}"], [0, 1, *done[f"killed-{number}"]]
        assert kept[: len(said)] == said
        assert len(kept) <= len(said) + 1
    assert ConfigStore(paths).load().document == document


def killed_after_two_edits(paths: Paths, name: str) -> subprocess.Popen[str]:
    """A worker that was killed in the middle of an edit, wherever that was."""
    worker = start_worker(paths, name, 1000)
    assert worker.stdout is not None
    assert [worker.stdout.readline(), worker.stdout.readline()] == ["0\n", "1\n"]
    worker.kill()
    return worker


def save_by_hand(paths: Paths, number: int) -> None:
    """What an editor does: read, change, write beside, rename.

    Under the lock only so that this hand never saves over an edit that it has not seen, as a person may.
    """
    with FileLock(paths.config_lock):
        document = document_in(paths)
        beside = paths.config.with_name("config.json~")
        beside.write_bytes(render({**document, "x-hand": [*document.get("x-hand", []), number]}))
        patiently(lambda: os.replace(beside, paths.config))


@contextmanager
def reading_all_the_time(paths: Paths) -> Iterator[list[str]]:
    """Collects what was ever wrong with the file, in a thread that reads it without a pause."""
    faults: list[str] = []
    is_over = threading.Event()

    def read() -> None:
        while not is_over.is_set():
            try:
                document_in(paths)
            except (OSError, ValueError) as exc:
                faults.append(repr(exc))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield faults
    finally:
        is_over.set()
        reader.join()
