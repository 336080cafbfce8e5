"""The server's pipes: one JSON message a line, UTF-8, in and out. Knows lines and batches, not what they ask."""

import json
import traceback
from typing import BinaryIO, NoReturn

from switchboard_tray.demo.notebook import Notebook
from switchboard_tray.demo.protocol import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    PARSE_ERROR,
    Notify,
    answer,
    error_response,
    request_id,
)
from switchboard_tray.demo.results import JsonObject

LINE_LIMIT_BYTES = 16 * 1024 * 1024
BATCH_LIMIT_MESSAGES = 100


def serve(reader: BinaryIO, writer: BinaryIO, notebook: Notebook) -> None:
    """Answer every line of `reader` on `writer`, one after the other, until `reader` ends.

    Requests are not taken side by side: each is done in milliseconds, so a cancellation always comes too late, which
    MCP allows. Raises OSError when `writer` is closed.
    """

    def send(message: object) -> None:
        # ASCII: an id may hold half of a surrogate pair, which has no UTF-8 but does have an escape.
        writer.write(json.dumps(message, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n")
        writer.flush()

    while line := reader.readline(LINE_LIMIT_BYTES):
        response = _refuse_long_line(line, reader) or respond(line, notebook, send)
        if response is not None:
            send(response)


def respond(line: bytes, notebook: Notebook, notify: Notify) -> JsonObject | list[JsonObject] | None:
    """Response to one line, or None where none is due; `notify` gets what belongs before it.

    A batch, which only revision 2025-03-26 has, is answered as a batch in all of them.
    """
    if not line.strip():
        return None
    try:
        message: object = json.loads(line.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        # RecursionError: nested too deep; ValueError: not UTF-8, not JSON, or a number of thousands of digits.
        return error_response(None, PARSE_ERROR, "Parse error: the line is not JSON")
    if not isinstance(message, list):
        return _answer_safely(message, notebook, notify)
    if not 1 <= len(message) <= BATCH_LIMIT_MESSAGES:
        return error_response(None, INVALID_REQUEST, f"A batch has 1 to {BATCH_LIMIT_MESSAGES} messages")
    responses = [_answer_safely(part, notebook, notify) for part in message]
    return [response for response in responses if response is not None] or None


def _answer_safely(message: object, notebook: Notebook, notify: Notify) -> JsonObject | None:
    try:
        return answer(message, notebook, notify)
    except OSError:
        raise
    except Exception:
        # A bug in one tool must not end the server for all others.
        traceback.print_exc()
        return error_response(request_id(message), INTERNAL_ERROR, "Internal error; the server's log has the details")


def _refuse_long_line(line: bytes, reader: BinaryIO) -> JsonObject | None:
    if len(line) < LINE_LIMIT_BYTES or line.endswith(b"\n"):
        return None
    while (rest := reader.readline(LINE_LIMIT_BYTES)) and not rest.endswith(b"\n"):
        pass
    return error_response(None, INVALID_REQUEST, f"The line is longer than {LINE_LIMIT_BYTES} bytes")


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
