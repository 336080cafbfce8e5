"""One call from its request to its result: what comes in between goes to the client, and time is kept."""

import asyncio
import logging
from collections.abc import Callable

from msgspec import UNSET, Raw

from switchboard_tray.errors import CallTimeout, ConnectionLost
from switchboard_tray.protocol.calls import Alive, Ask, Call, Expired, Listener, Lost, Note, Tick, Withdrawn
from switchboard_tray.protocol.messages import Frame, RpcError, dumps
from switchboard_tray.servers.across import ASK_TIMEOUT_S
from switchboard_tray.servers.clock import Clock

log = logging.getLogger(__name__)

PROGRESS_STRETCH = 10
"""Progress may lengthen a call to this many times its timeout."""
TELL_EVERY_S = 5


async def follow(call: Call, listener: Listener, server: str, timeout_s: float, explain: Callable[[str], str]) -> Raw:
    """Wait for the result of `call`. `explain` adds the server's last words to a fault.

    Raises `RpcError` with the server's own error, `ServerError` where no answer will come, `CallTimeout` where it takes
    longer than `timeout_s` without a sign of progress.
    """
    latest = asyncio.get_running_loop().time() + timeout_s * PROGRESS_STRETCH
    clock = Clock(call.push, timeout_s)
    try:
        while not isinstance(item := await call.next(), Frame):
            match item:
                case Lost(reason):
                    fault = explain(f"Server {server} did not answer the call: {reason}")
                    raise ConnectionLost(fault, was_sent=True, hint="It may have had an effect all the same.")
                case Expired():
                    fault = f"Server {server} did not answer within {timeout_s:g} s."
                    raise CallTimeout(fault, hint="The call was cancelled; callTimeoutSec can be raised.")
                case Ask():
                    # The server waits for a person now, which is not its fault.
                    latest += ASK_TIMEOUT_S
                    clock.ends_in(ASK_TIMEOUT_S)
                case Note() | Alive():
                    clock.ends_in(timeout_s, latest)
            await _pass_on(item, listener)
    finally:
        clock.stop()
        listener.end()
    if item.error is not UNSET:
        raise RpcError.from_raw(item.error)
    assert item.result is not UNSET
    return item.result


async def tell_of_start(server: str, listener: Listener, token: Raw | None) -> None:
    """Tell the client of a call from time to time that its server is being started. Until it is cancelled."""
    elapsed_s = 0
    while True:
        await asyncio.sleep(TELL_EVERY_S)
        elapsed_s += TELL_EVERY_S
        told = {"progressToken": token, "progress": elapsed_s, "message": f"starting server {server}"}
        try:
            if token is None:
                await listener.tick()
            else:
                await listener.note(Note("notifications/progress", dumps(told)))
        except Exception:
            # It cannot be told, which is the call's own to find out, and nobody else's trouble.
            log.info("server %s: a client cannot be told of its start", server, exc_info=True)
            return


async def _pass_on(item: Note | Ask | Withdrawn | Alive | Tick, listener: Listener) -> None:
    match item:
        case Note():
            await listener.note(item)
        case Ask():
            await listener.ask(item)
        case Withdrawn(key):
            await listener.withdraw(key)
        case Tick():
            await listener.tick()
        case Alive():
            pass
