"""A client on fastmcp, driven by lines of JSON: {"method", "params"} in, {"result"} or {"error"} out.

Runs in an environment that has fastmcp and nothing of ours. usage: fastmcp_client.py URL
"""

import asyncio
import json
import sys
from typing import Any

from fastmcp import Client  # type: ignore[import-not-found]


async def main(url: str) -> None:
    """Serve stdin until it ends."""
    async with Client(url) as client:
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            try:
                said: dict[str, Any] = {"result": await _answer(client, asked["method"], asked.get("params") or {})}
            except Exception as exc:
                said = {"error": repr(exc)}
            print(json.dumps(said), flush=True)


async def _answer(client: Any, method: str, params: dict[str, Any]) -> Any:
    if method == "tools/list":
        result = await client.list_tools_mcp()
    else:
        result = await client.call_tool_mcp(params["name"], params["arguments"])
    return result.model_dump(mode="json", by_alias=True, exclude_none=True)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
