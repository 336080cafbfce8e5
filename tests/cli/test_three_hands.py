"""One config, edited by the command line, over the API and by hand at once: no edit is lost, the file stays whole."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from switchboard_tray.admin.client import find_gateway
from switchboard_tray.errors import ConfigConflict
from switchboard_tray.paths import find_paths
from tests.cli.running import WAIT_S, Serving, environment, serving

DOCUMENT = {"version": 1, "kept": {"by": ["nobody"]}, "profiles": {"first": {}}}


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A gateway on a home of its own."""
    with serving(tmp_path_factory.mktemp("home"), DOCUMENT) as running:
        yield running


class Hands:
    """Adds profiles in three ways, and remembers those that were acknowledged."""

    def __init__(self, gateway: Serving) -> None:
        self._home = gateway.home
        self._paths = find_paths({"SWITCHBOARD_HOME": str(gateway.home)})
        self.kept: set[str] = set()

    def cli(self, name: str) -> None:
        """Add a profile by a command."""
        assert self._command(name).wait(WAIT_S) == 0
        self.kept.add(name)

    def killed(self, name: str) -> None:
        """Add a profile by a command that is killed at some moment: it may have come that far or not."""
        process = self._command(name)
        time.sleep(hash(name) % 20 / 100)
        process.send_signal(signal.SIGKILL)
        process.wait(WAIT_S)

    def api(self, name: str) -> None:
        """Add a profile over the API, as a form does that tries again when the file moved."""
        client = find_gateway(self._paths)
        give_up = time.monotonic() + WAIT_S
        while True:
            etag = client.get("/config")["etag"]
            try:
                client.patch("/config", {"profiles": {name: {"description": "by the API"}}}, if_match=etag)
            except ConfigConflict:
                assert time.monotonic() < give_up
                continue
            self.kept.add(name)
            return

    def hand(self, name: str) -> None:
        """Add a profile as an editor does: read, write beside, rename over."""
        document = self.document()
        document.setdefault("profiles", {})[name] = {"description": "by hand"}
        beside = self._paths.config.with_name("config.json.swp")
        beside.write_text(json.dumps(document, indent=4))
        os.replace(beside, self._paths.config)
        self.kept.add(name)

    def document(self) -> dict[str, Any]:
        """The config as it is on disk."""
        document: dict[str, Any] = json.loads(self._paths.config.read_bytes())
        return document

    def in_force(self) -> set[str]:
        """The profiles the gateway knows."""
        return {profile["name"] for profile in find_gateway(self._paths).get("/profiles")}

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Read the file all the time; each time it must be a whole document."""
        faults: list[str] = []
        is_over = threading.Event()

        def watch() -> None:
            while not is_over.is_set():
                try:
                    assert self.document()["kept"] == {"by": ["nobody"]}
                except (ValueError, AssertionError) as fault:
                    faults.append(repr(fault))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield
        finally:
            is_over.set()
            watcher.join()
        assert faults == []

    def _command(self, name: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "switchboard_tray", "profile", "add", name]
        return subprocess.Popen(command, env=environment(self._home), stdout=subprocess.DEVNULL)


# An editor writes over what came between its reading and its writing, as every editor does: so a hand is alone, and the
# others, which take care of each other, come together.
TOGETHER = st.lists(st.sampled_from(["cli", "api", "killed"]), min_size=1, max_size=3)
STEPS = st.lists(st.just(("hand",)) | TOGETHER, max_size=4)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(steps=[("cli", "api", "killed"), ("hand",), ("api", "cli"), ("hand",), ("killed", "api")])
@given(steps=STEPS)
def test_no_edit_of_three_hands_is_lost_and_the_file_is_whole_at_every_moment(
    gateway: Serving, steps: list[tuple[str, ...]]
) -> None:
    hands = Hands(gateway)
    before = set(hands.document()["profiles"])
    with hands.watched(), ThreadPoolExecutor() as pool:
        for step in steps:
            numbered = [(hand, f"p{len(before)}-{len(hands.kept)}-{number}") for number, hand in enumerate(step)]
            for done in [pool.submit(getattr(hands, hand), name) for hand, name in numbered]:
                done.result()

    written = set(hands.document()["profiles"])
    assert before | hands.kept <= written
    give_up = time.monotonic() + WAIT_S
    while hands.in_force() != written:
        assert time.monotonic() < give_up
        time.sleep(0.05)

