"""What is bundled from elsewhere is what its script made, with its licence beside it."""

import hashlib
import json
from pathlib import Path

from switchboard_tray import sandbox

FOLDER = Path(sandbox.__file__).parent / "vendor"
LOCK = Path(__file__).resolve().parents[2] / "build" / "vendor" / "package-lock.json"


def test_bundle_is_the_one_whose_hash_is_written_down() -> None:
    facts = json.loads((FOLDER / "sucrase.json").read_text("utf-8"))

    assert hashlib.sha256((FOLDER / "sucrase.js").read_bytes()).hexdigest() == facts["sha256"]
    assert "Permission is hereby granted" in (FOLDER / "sucrase.LICENSE").read_text("utf-8")
    assert facts["license"] == "MIT"


def test_version_is_the_locked_one_and_the_lock_names_no_host() -> None:
    lock = json.loads(LOCK.read_text("utf-8"))
    facts = json.loads((FOLDER / "sucrase.json").read_text("utf-8"))

    assert lock["packages"]["node_modules/sucrase"]["version"] == facts["version"]
    assert "resolved" not in LOCK.read_text("utf-8")
