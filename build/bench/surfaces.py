"""What surfaces cost a model: definitions, and answers to real queries, over 20 real servers.

    SWITCHBOARD_TEST_DATA=FOLDER .venv/bin/python -m build.bench.surfaces [--read]

The folder holds `catalog.json` and `queries_dev.jsonl`. `--read` prints the definitions themselves.
"""

import json
import os
import statistics
import sys
from collections import Counter
from pathlib import Path

from build.bench.search import read_queries
from switchboard_tray.catalog.check import check_tools
from switchboard_tray.catalog.model import Catalog, ServerTools, server_key
from switchboard_tray.config.model import Config, Profile, ServerConfig
from switchboard_tray.protocol.messages import dumps
from switchboard_tray.snapshot import Offer, Snapshot, build_snapshot
from switchboard_tray.stores.vectors import VectorStore
from switchboard_tray.surfaces.calling import search
from switchboard_tray.surfaces.display import Display
from switchboard_tray.surfaces.plan import Search, Surroundings
from switchboard_tray.surfaces.tokens import estimate_tokens

SERVERS = 20


def main() -> None:
    """Print the figures."""
    folder = Path(os.environ["SWITCHBOARD_TEST_DATA"])
    offer = _offer(json.loads((folder / "catalog.json").read_text("utf-8")))
    print(f"{SERVERS} servers, {len(offer.view.entries)} tools")
    for name, cost in offer.costs.items():
        print(f"  {name:<12} {cost.tools:>5} tools  {cost.tokens:>7} tokens")
    if "--read" in sys.argv:
        for name in ("meta", "compact", "apps"):
            print(f"\n== {name} ==\n{offer.bundle.instructions if name == 'passthrough' else ''}")
            for tool in json.loads(Display(name, offer.material).tools):
                print(f"\n-- {tool['name']} --\n{tool['description']}\n{json.dumps(tool['inputSchema'])}")
    around = Surroundings((), VectorStore().load)
    for title, limit, signature_chars in (("ten hits", 10, None), ("compact, five hits", 5, 400)):
        sizes = []
        for query in read_queries(folder):
            plan = search(offer.material, query["query"], limit, signature_chars)
            if isinstance(plan, Search):
                sizes.append(estimate_tokens(plan.find(around).decode()))
        print(f"{title}: {statistics.median(sizes):.0f} tokens in the middle, {max(sizes)} at most")


def _offer(tools: list[dict[str, object]]) -> Offer:
    """A profile with the largest real servers."""
    largest = [name for name, _ in Counter(str(tool["server"]) for tool in tools).most_common(SERVERS)]
    servers = {name: ServerConfig(name, command=name) for name in largest}
    lists = {}
    for name in largest:
        own = [{key: tool[key] for key in tool if key != "server"} for tool in tools if tool["server"] == name]
        accepted, _ = check_tools([dumps({"inputSchema": {"type": "object"}, **one}) for one in own])
        lists[server_key(servers[name])] = ServerTools(accepted)
    config = Config(servers, {"p": Profile("p", servers=tuple(largest))})
    return build_snapshot(config, Catalog(lists), Snapshot()).offers["p"]


if __name__ == "__main__":
    main()
