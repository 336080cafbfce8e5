"""Bundles sucrase, which strips types from TypeScript, for the sandbox: `python3 build/vendor_sucrase.py`.

Versions are pinned by build/vendor/package-lock.json. Beside the bundle stand its licence and `sucrase.json` with
version and hash, to which a test holds the bundle. Needs npm; standard library only.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "vendor"
TARGET = ROOT / "switchboard_tray" / "sandbox" / "vendor"
ENTRY = """\
import { transform } from "sucrase";
const options = { transforms: ["typescript"], disableESTransforms: true, keepUnusedImports: true };
export const strip = (text) => JSON.stringify(transform(JSON.parse(text), options).code);
"""


def main() -> int:
    """Make the files anew; the exit status."""
    npm = shutil.which("npm")
    if npm is None:
        print("npm is needed: it comes with Node.js", file=sys.stderr)
        return 1
    subprocess.run([npm, "ci", "--fetch-retries=1"], cwd=FOLDER, check=True, stdout=subprocess.DEVNULL)
    modules = FOLDER / "node_modules"
    options = "--bundle --minify --format=iife --global-name=sucrase --platform=neutral --main-fields=module,main"
    bundled = subprocess.run(
        [str(modules / ".bin" / "esbuild"), *options.split(), "--charset=ascii", "--legal-comments=none"],
        cwd=FOLDER,
        check=True,
        input=ENTRY,
        text=True,
        stdout=subprocess.PIPE,
    ).stdout
    TARGET.mkdir(exist_ok=True)
    # What the engine is given is one expression: the function that strips.
    text = f"{bundled.rstrip()}\nsucrase.strip\n"
    (TARGET / "sucrase.js").write_text(text, "ascii")
    package = json.loads((modules / "sucrase" / "package.json").read_text("utf-8"))
    shutil.copyfile(modules / "sucrase" / "LICENSE", TARGET / "sucrase.LICENSE")
    facts = {
        "name": package["name"],
        "version": package["version"],
        "license": package["license"],
        "sha256": hashlib.sha256(text.encode()).hexdigest(),
    }
    (TARGET / "sucrase.json").write_text(json.dumps(facts, indent=2) + "\n", "utf-8")
    print(f"sucrase {package['version']}: {len(text)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
