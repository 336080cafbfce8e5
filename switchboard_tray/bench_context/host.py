"""The measurement's gateway, as a process: all that ``serve`` runs, for the home of ``SWITCHBOARD_HOME``.

It takes a port that is free, and ends when its stdin does: so it never outlives who started it, whatever ended that.
"""

import asyncio
import os
import signal
import threading
from collections.abc import Callable

from switchboard_tray import __version__
from switchboard_tray.gateway_app import build_gateway
from switchboard_tray.jsonfile import make_private_folder
from switchboard_tray.paths import Paths, find_paths
from switchboard_tray.stores.config import ConfigStore
from switchboard_tray.stores.daemon import Daemon, write_daemon
from switchboard_tray.wire.listen import listen
from switchboard_tray.wire.server import HttpServer, new_event_loop


def main() -> None:
    """Serve until stdin ends. `daemon.json` says where."""
    # Ctrl-C reaches everything in the terminal. Who started this cleans up, and still needs it for that.
    signal.signal(signal.SIGINT, lambda *_: None)
    with asyncio.Runner(loop_factory=new_event_loop) as runner:
        runner.run(_serve(find_paths(os.environ)))


async def _serve(paths: Paths) -> None:
    make_private_folder(paths.state)
    store = ConfigStore(paths)
    store.create_first()
    sockets = listen(0)
    url = f"http://127.0.0.1:{sockets[0].getsockname()[1]}"
    server, loop = HttpServer(), asyncio.get_running_loop()
    async with build_gateway(store, paths, url, os.environ, server.stop) as app:
        server.at_stop = app.endpoint.close
        threading.Thread(target=_wait_for_end_of_input, args=(loop, server.stop), daemon=True).start()
        write_daemon(paths.daemon, Daemon(os.getpid(), url, __version__))
        await server.serve(app.asgi, sockets)


def _wait_for_end_of_input(loop: asyncio.AbstractEventLoop, stop: Callable[[], None]) -> None:
    # Not by sys.stdin: a thread that waits in it holds its lock, which fails a process that ends meanwhile.
    while os.read(0, 4096):
        pass
    loop.call_soon_threadsafe(stop)


if __name__ == "__main__":
    main()
