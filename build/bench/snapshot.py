"""How long a change takes to be in force: 1,000 tools of 25 servers into a snapshot, and what a list costs then.

Run by ``.venv/bin/python -m build.bench.snapshot``.
"""

import json
import time
from collections.abc import Callable
from types import MappingProxyType

from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.config.model import Config, Profile, ServerConfig
from switchboard_tray.protocol.eras import TOOLS_CHANGED
from switchboard_tray.snapshot import Snapshot, build_snapshot

SERVERS, TOOLS_EACH, ROUNDS = 25, 40, 7


def main() -> None:
    """Print the figures."""
    config, catalog = _world()
    first = build_snapshot(config, catalog, Snapshot())
    changed = _with_one_more_tool(config, catalog)
    build_s = _best(lambda: build_snapshot(config, catalog, Snapshot()))
    render_s = _best(lambda: _rendered(config, catalog))
    change_s = _best(lambda: build_snapshot(config, changed, first))
    parse_s = _best(lambda: json.loads(first.offers["all"].display.tools))
    size_kb = len(first.offers["all"].display.tools) / 1024
    count = SERVERS * TOOLS_EACH
    print(f"{count} tools, {SERVERS} servers, {len(config.profiles)} profiles; a list of {size_kb:.0f} KB")
    print(f"built from nothing      {build_s * 1000:7.1f} ms   {build_s / parse_s:5.2f} x one json.loads of the list")
    print(f"built and rendered      {render_s * 1000:7.1f} ms   {render_s / parse_s:5.2f} x")
    print(f"one server's list grew  {change_s * 1000:7.1f} ms   {change_s / parse_s:5.2f} x")
    ready_s = _best(lambda: first.offers["all"].display.tools)
    print(f"a list, once rendered   {ready_s * 1000:7.4f} ms   the same bytes each time")


def _rendered(config: Config, catalog: Catalog) -> list[str]:
    return [offer.fingerprints[TOOLS_CHANGED] for offer in build_snapshot(config, catalog, Snapshot()).offers.values()]


def _world() -> tuple[Config, Catalog]:
    servers = {name: ServerConfig(name, command=name) for name in (f"server{i}" for i in range(SERVERS))}
    profiles = {
        "all": Profile("all", servers=tuple(servers)),
        "some": Profile("some", servers=tuple(servers)[:5], exclude=("*.delete*",)),
        "safe": Profile("safe", servers=tuple(servers), exclude=("*.delete*", "server3.*")),
    }
    lists = {server_key(server): _tools(TOOLS_EACH) for server in servers.values()}
    return Config(MappingProxyType(servers), MappingProxyType(profiles)), Catalog(MappingProxyType(lists))


def _tools(count: int) -> ServerTools:
    properties = {
        name: {"type": "string", "description": f"The {name} of the thing that is asked for."}
        for name in ("owner", "repo", "path", "query", "limit")
    }
    schema = {"type": "object", "properties": properties, "required": ["owner", "repo"]}
    text = "Does one thing well, and says in a few sentences what it is and when a model should use it. " * 3
    tools = [{"name": f"tool_{i}", "description": text, "inputSchema": schema} for i in range(count)]
    return ServerTools(check_tools([json.dumps(tool).encode() for tool in tools])[0])


def _with_one_more_tool(config: Config, catalog: Catalog) -> Catalog:
    return catalog.with_list(server_key(config.servers["server0"]), _tools(TOOLS_EACH + 1))


def _best(action: Callable[[], object]) -> float:
    """The shortest of some rounds, in seconds: what disturbs a round only makes it longer."""
    times = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        action()
        times.append(time.perf_counter() - started)
    return min(times)


if __name__ == "__main__":
    main()
