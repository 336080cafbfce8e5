"""What a tool is, what a client is told of it, and the call of one. Knows no particular tool and no JSON-RPC."""

import json
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from switchboard_tray.demo.export import Report
from switchboard_tray.demo.notebook import Notebook
from switchboard_tray.demo.notes import Refused
from switchboard_tray.demo.parameters import Parameter, input_schema, read_arguments
from switchboard_tray.demo.results import JsonObject


class Effect(Enum):
    """What a call does to the notebook; decides the hints by which a client asks its user or not."""

    READS = "reads"
    ADDS = "adds"
    REPLACES = "replaces"


@dataclass(frozen=True)
class Call:
    """What a running tool may use: the notebook, and a way to report progress."""

    notebook: Notebook
    report: Report


@dataclass(frozen=True)
class Tool:
    """A tool: its texts and schemas, and `run`, called as ``run(call, **arguments)`` with arguments already checked.

    The text beside the structured result is that result as JSON, or its member `text_member` alone.
    """

    name: str
    title: str
    description: str
    effect: Effect
    is_idempotent: bool
    parameters: tuple[Parameter, ...]
    output_schema: JsonObject
    run: Callable[..., JsonObject]
    text_member: str | None = None


def definition(tool: Tool) -> JsonObject:
    """`tool` as ``tools/list`` shows it (Source: MCP 2025-11-25, "Tool"; older clients pass over what they lack)."""
    annotations = {
        "title": tool.title,
        "readOnlyHint": tool.effect is Effect.READS,
        "destructiveHint": tool.effect is Effect.REPLACES,
        "idempotentHint": tool.is_idempotent,
        "openWorldHint": False,
    }
    return {
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "inputSchema": input_schema(tool.parameters),
        "outputSchema": tool.output_schema,
        "annotations": annotations,
    }


def call_tool(tool: Tool, call: Call, raw_arguments: Mapping[str, object]) -> JsonObject:
    """Result of one call, as ``tools/call`` returns it; what the model did wrong comes back with ``isError``."""
    try:
        structured = tool.run(call, **read_arguments(tool.parameters, raw_arguments))
    except Refused as exc:
        return _error_result(str(exc))
    except (sqlite3.ProgrammingError, sqlite3.IntegrityError):
        # Only a bug here leads to these; they must not read like trouble with the file.
        raise
    except sqlite3.DatabaseError as exc:
        return _error_result(_file_trouble(exc))
    text = structured[tool.text_member] if tool.text_member else json.dumps(structured, ensure_ascii=False)
    return {"content": [{"type": "text", "text": text}], "structuredContent": structured, "isError": False}


def _file_trouble(exc: sqlite3.DatabaseError) -> str:
    if "locked" in str(exc):
        return "Another program is writing to the notebook; try again in a moment."
    return f"The notebook file cannot be used ({exc}); ask the user to look at the file and its disk."


def _error_result(sentence: str) -> JsonObject:
    return {"content": [{"type": "text", "text": sentence}], "isError": True}
