"""A server that costs next to nothing, so that what is measured is not the server: one tool, `echo`."""

import json
import sys
from typing import Any


def main() -> None:
    """Answer until stdin ends."""
    tool = {"name": "echo", "description": "Says what it was told.", "inputSchema": {"type": "object"}}
    for line in sys.stdin.buffer:
        message = json.loads(line)
        answer: dict[str, Any]
        match message.get("method"):
            case "initialize":
                info = {"name": "echo", "version": "1"}
                answer = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": info}
            case "tools/list":
                answer = {"tools": [tool]}
            case "tools/call":
                answer = {"content": [{"type": "text", "text": message["params"].get("arguments", {}).get("t", "")}]}
            case _:
                continue
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
