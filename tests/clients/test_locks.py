"""What the group `clients` installs is fixed to the byte, and no file says from which host. Part of the quick run."""

import json
import re
from typing import Any

import pytest

from build.clients import FOLDER
from build.environment import lock_file

PACKAGE = json.loads((FOLDER / "package.json").read_text("utf-8"))
LOCKED: dict[str, Any] = json.loads((FOLDER / "package-lock.json").read_text("utf-8"))["packages"]
PYTHON_LOCK = lock_file("clients").read_text("utf-8")


@pytest.mark.parametrize("name, version", {**PACKAGE["dependencies"], **PACKAGE["optionalDependencies"]}.items())
def test_npm_package_is_named_with_its_exact_version(name: str, version: str) -> None:
    assert LOCKED[f"node_modules/{name}"]["version"] == version


def test_every_npm_package_has_a_hash_and_none_says_where_it_came_from() -> None:
    installed = {path: one for path, one in LOCKED.items() if path}

    assert installed
    assert [path for path, one in installed.items() if "integrity" not in one or "resolved" in one] == []


def test_every_python_package_has_hashes_and_none_says_where_it_came_from() -> None:
    entries = [entry for entry in PYTHON_LOCK.replace("\\\n", "").splitlines() if not entry.startswith("#")]

    assert entries
    assert [entry for entry in entries if not re.search(r"==.* --hash=sha256:[0-9a-f]{64}", entry)] == []
    assert "://" not in PYTHON_LOCK


def test_every_python_requirement_is_locked() -> None:
    lines = (FOLDER / "requirements.in").read_text("utf-8").splitlines()
    wanted = {line for line in lines if not line.startswith("#")}

    assert wanted <= set(re.findall(r"^([a-z0-9._-]+)==", PYTHON_LOCK, re.MULTILINE))
