"""The MCP server as a function: one JSON-RPC message in, its response out. Does no IO and keeps no state of its own.

Source: https://modelcontextprotocol.io/specification/2025-11-25, and the three revisions before it.
"""

import math
from collections.abc import Callable, Mapping
from typing import cast

from switchboard_tray.demo.notebook import Notebook
from switchboard_tray.demo.notes import shorten
from switchboard_tray.demo.results import JsonObject
from switchboard_tray.demo.tool import Call, call_tool, definition
from switchboard_tray.demo.tools import TOOLS

REVISIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
SERVER_VERSION = "1.0.0"
INSTRUCTIONS = (
    "A notebook of short notes with tags, kept on the user's computer. Look first with search_notes or list_notes: "
    "they return ids and excerpts; get_note returns a whole note. Delete or overwrite only what the user asked for."
)

# A name of a megabyte must not come back as an error of a megabyte.
ECHO_LIMIT_CHARS = 200

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603

RequestId = str | int | float
Notify = Callable[[JsonObject], None]

_TOOLS_BY_NAME = {tool.name: tool for tool in TOOLS}


class _ProtocolError(Exception):
    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code


def answer(message: object, notebook: Notebook, notify: Notify) -> JsonObject | None:
    """Response to one parsed message, or None where none is due: to notifications and to responses.

    `notify` gets the notifications that belong before the response, as they arise. Whatever `message` is, the answer
    is a well-formed response; an exception other than from `notify` is a bug.
    """
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return error_response(request_id(message), INVALID_REQUEST, "Not a JSON-RPC 2.0 message")
    method = message.get("method")
    if method is None and ("result" in message or "error" in message):
        return None
    if not isinstance(method, str):
        return error_response(request_id(message), INVALID_REQUEST, "method must be a string")
    if "id" not in message:
        return None
    asked_id = request_id(message)
    if asked_id is None:
        return error_response(None, INVALID_REQUEST, "id must be a string or a number")
    try:
        result = _result(method, message.get("params"), notebook, notify)
    except _ProtocolError as exc:
        return error_response(asked_id, exc.code, str(exc))
    return {"jsonrpc": "2.0", "id": asked_id, "result": result}


def error_response(asked_id: RequestId | None, code: int, text: str) -> JsonObject:
    """JSON-RPC error; `asked_id` is None when the request had no id that can be read."""
    return {"jsonrpc": "2.0", "id": asked_id, "error": {"code": code, "message": text}}


def request_id(message: object) -> RequestId | None:
    """Id of `message` when it has a valid one: a string or a finite number."""
    asked = message.get("id") if isinstance(message, dict) else None
    return asked if _is_token(asked) or (isinstance(asked, float) and math.isfinite(asked)) else None


def _result(method: str, raw_params: object, notebook: Notebook, notify: Notify) -> JsonObject:
    if raw_params is not None and not isinstance(raw_params, dict):
        raise _ProtocolError(INVALID_PARAMS, "params must be an object")
    params = cast(Mapping[str, object], raw_params or {})
    match method:
        case "initialize":
            return _initialize(params)
        case "ping":
            return {}
        case "tools/list":
            return _list_tools(params)
        case "tools/call":
            return _call_tool(params, notebook, notify)
        case _:
            raise _ProtocolError(METHOD_NOT_FOUND, f"Method not found: {shorten(method, ECHO_LIMIT_CHARS)}")


def _initialize(params: Mapping[str, object]) -> JsonObject:
    asked = params.get("protocolVersion")
    return {
        "protocolVersion": asked if asked in REVISIONS else REVISIONS[-1],
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "switchboard-demo", "title": "Demo notebook", "version": SERVER_VERSION},
        "instructions": INSTRUCTIONS,
    }


def _list_tools(params: Mapping[str, object]) -> JsonObject:
    if params.get("cursor") is not None:
        raise _ProtocolError(INVALID_PARAMS, "Unknown cursor: the list of tools has one page, ask without a cursor")
    return {"tools": [definition(tool) for tool in TOOLS]}


def _call_tool(params: Mapping[str, object], notebook: Notebook, notify: Notify) -> JsonObject:
    name = params.get("name")
    if not isinstance(name, str):
        raise _ProtocolError(INVALID_PARAMS, "name must be the name of a tool")
    if name not in _TOOLS_BY_NAME:
        raise _ProtocolError(INVALID_PARAMS, f"Unknown tool: {shorten(name, ECHO_LIMIT_CHARS)}")
    arguments = params.get("arguments")
    if arguments is not None and not isinstance(arguments, dict):
        raise _ProtocolError(INVALID_PARAMS, "arguments must be an object")
    meta = params.get("_meta")
    token = meta.get("progressToken") if isinstance(meta, dict) else None

    def report(done: int, total: int) -> None:
        if _is_token(token):
            progress = {"progressToken": token, "progress": done, "total": total}
            notify({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress})

    return call_tool(_TOOLS_BY_NAME[name], Call(notebook, report), arguments or {})


def _is_token(value: object) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)
