"""Other people's programs: how each is started, without their installers, updates or accounts."""

import json
import os
import signal
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from build.clients import MODULES

PROGRAM_S = 60.0
"""Far beyond what any of them takes."""


@dataclass(frozen=True)
class Npm:
    """The installed npm packages, and the Node that runs them."""

    node: Path

    def script(self, package: str, name: str | None = None) -> list[str]:
        """The command of `package`; of several, the one called `name`."""
        folder = MODULES / package
        scripts = json.loads((folder / "package.json").read_text("utf-8"))["bin"]
        return [str(self.node), str(folder / scripts[name or next(iter(scripts))])]

    @property
    def claude(self) -> list[str]:
        """Claude Code, whose own command an install script would have to make."""
        return [str(self.node), str(MODULES / "@anthropic-ai" / "claude-code" / "cli-wrapper.cjs")]

    @property
    def opencode(self) -> list[str]:
        """opencode; skips the test where there is none for this kind of machine."""
        for build in MODULES.glob("opencode-*/bin/opencode*"):
            return [str(build)]
        pytest.skip("tests/clients/package.json names no opencode for this kind of machine")


@dataclass(frozen=True)
class Output:
    """What a program said, and how it ended."""

    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True)
class Place:
    """A home of its own for a program, and a project in it."""

    home: Path

    @property
    def project(self) -> Path:
        """The folder the program is started in."""
        return self.home / "project"

    @property
    def environ(self) -> Mapping[str, str]:
        """Variables: nothing of the person who runs the tests but the PATH; no updates, no reports to anybody."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "NO_COLOR": "1",
            "DO_NOT_TRACK": "1",
            "DISABLE_AUTOUPDATER": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        }

    def run(self, command: list[str], given: str | None = None) -> Output:
        """Run a program to its end; `given` is its standard input."""
        self.project.mkdir(parents=True, exist_ok=True)
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL if given is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            env=self.environ,
            cwd=self.project,
            start_new_session=True,
        )
        try:
            stdout, stderr = process.communicate(given, PROGRAM_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            stdout, stderr = process.communicate()
            pytest.fail(f"{command} did not end within {PROGRAM_S:.0f} s. It said: {stdout}\n{stderr}")
        return Output(process.returncode, stdout, stderr)
