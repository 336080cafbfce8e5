"""What both eras do alike: tell a message from something else, and give a request its answer."""

import logging
from collections.abc import Awaitable, Callable

from msgspec import UNSET, Raw

from switchboard_tray.errors import NotFound
from switchboard_tray.protocol.messages import INTERNAL_ERROR, INVALID_REQUEST, Frame, RpcError, is_valid_id
from switchboard_tray.wire.exchange import Exchange

log = logging.getLogger(__name__)


def is_message(frame: Frame) -> bool:
    """Whether `frame` is a JSON-RPC request, notification or response."""
    has_valid_id = frame.id is UNSET or is_valid_id(frame.id)
    return frame.jsonrpc == "2.0" and has_valid_id and (frame.method is not UNSET or frame.is_response)


async def answer_with(
    exchange: Exchange, result: Awaitable[bytes | Raw], status_of: Callable[[RpcError], int] = lambda error: 200
) -> None:
    """The one place where a request gets its answer; `status_of` gives the HTTP status of an error."""
    try:
        finished = await result
    except RpcError as error:
        return await exchange.fail(error, status_of(error))
    except NotFound as fault:
        # The profile was there a moment ago.
        return await exchange.fail(RpcError(INVALID_REQUEST, f"{fault} {fault.hint}".strip()), 404)
    except Exception:
        log.exception("bug while answering a request")
        return await exchange.fail(RpcError(INTERNAL_ERROR, "Internal error"))
    await exchange.finish(finished)
