"""The measurement's gateway, as a process: all that ``serve`` runs, for the home of ``SWITCHBOARD_HOME``.

It takes a port that is free, and ends when its stdin does: so it never outlives who started it, whatever ended that.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from switchboard_tray.gateway_app import serve
from switchboard_tray.jsonfile import make_private_folder
from switchboard_tray.paths import find_paths
from switchboard_tray.stores.config import ConfigStore
from switchboard_tray.wire.server import new_event_loop


def main() -> None:
    """Serve until stdin ends. `daemon.json` says where."""
    # Ctrl-C reaches everything in the terminal. Who started this cleans up, and still needs it for that.
    signal.signal(signal.SIGINT, lambda *_: None)
    paths = find_paths(os.environ)
    make_private_folder(paths.state)
    store = ConfigStore(paths)
    store.create_first()
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(serve(store, paths, 0, os.environ, _stopped_by_end_of_input))


@contextmanager
def _stopped_by_end_of_input(stop: Callable[[], None]) -> Iterator[None]:
    loop = asyncio.get_running_loop()

    def wait() -> None:
        # Not by sys.stdin: a thread that waits in it holds its lock, which fails a process that ends meanwhile.
        while os.read(0, 4096):
            pass
        loop.call_soon_threadsafe(stop)

    threading.Thread(target=wait, daemon=True).start()
    yield


if __name__ == "__main__":
    main()
