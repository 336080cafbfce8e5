"""A process that edits the config again and again, for tests that kill it.

``python -m tests.stores.config_worker HOME NAME COUNT [STEP]``: appends 0, 1, 2, ... to the list ``x-NAME``, an edit
each, and prints each number once its edit is acknowledged. With STEP it ends itself, without any clean-up, at that
file operation of its edits.
"""

import os
import signal
import sys
from itertools import count
from typing import Any

from switchboard_tray.paths import HOME_VARIABLE, find_paths
from switchboard_tray.stores.config import ConfigStore

FILE_OPERATIONS = ("open", "os.chmod", "os.listdir", "os.mkdir", "os.remove", "os.rename", "os.scandir")


def main() -> None:
    """Edit as the arguments say."""
    home, name, times, *step = sys.argv[1:]
    store = ConfigStore(find_paths({HOME_VARIABLE: home}))
    store.load()
    # What is imported at the first edit is no operation of the edit.
    import filelock

    filelock.FileLock(os.path.join(home, "unused"))
    if step:
        die_at(int(step[0]))
    key = f"x-{name}"
    for number in range(int(times)):

        def append(document: dict[str, Any], number: int = number) -> dict[str, Any]:
            return {**document, key: [*document.get(key, []), number]}

        store.modify(append)
        print(number, flush=True)


def die_at(step: int) -> None:
    """End this process at its file operation number `step`, before it happens."""
    operations = count(1)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event in FILE_OPERATIONS and next(operations) == step:
            # Windows knows no SIGKILL; there any signal ends the process at once.
            os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))

    sys.addaudithook(hook)


if __name__ == "__main__":
    main()
