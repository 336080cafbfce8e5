"""Who may import whom in `switchboard_tray`, as data; no code. `tests/test_layers.py` holds the sources to it.

A name stands for that module and, when it is a package, for all in it; the longest name that fits a module counts.
Modules may be named before they are written.
"""

from __future__ import annotations  # build/test.py reads this before it refuses a Python that is too old

# From bottom to top. A module imports from lower layers, and from its own layer only inside its own package (modules
# directly in `switchboard_tray` count as one package). `switchboard_tray` itself holds the version and is below all.
LAYERS: tuple[tuple[str, ...], ...] = (
    # Words and files. `demo` is a server like any other and imports nothing of ours.
    (
        "switchboard_tray.errors",
        "switchboard_tray.names",
        "switchboard_tray.paths",
        "switchboard_tray.pointers",
        "switchboard_tray.jsonscan",
        "switchboard_tray.jsonfile",
        "switchboard_tray.redact",
        "switchboard_tray.logs",
        "switchboard_tray.job",
        "switchboard_tray.demo",
    ),
    # What is written down: the config, the protocol; then the tool lists, which are of both.
    ("switchboard_tray.config", "switchboard_tray.protocol"),
    ("switchboard_tray.catalog",),
    # What follows from it: who sees what, how it is found, how it reads as TypeScript.
    ("switchboard_tray.profiles", "switchboard_tray.search", "switchboard_tray.typescript"),
    # How tools are presented.
    ("switchboard_tray.surfaces",),
    # All of the above as one value.
    ("switchboard_tray.snapshot",),
    # The world: files, servers, scripts. None of them knows another.
    ("switchboard_tray.stores", "switchboard_tray.servers", "switchboard_tray.sandbox"),
    # What answers a request; then clients' connections, which bring it.
    ("switchboard_tray.gateway",),
    ("switchboard_tray.wire",),
    # The admin API over it.
    ("switchboard_tray.admin",),
    # All put together.
    ("switchboard_tray.gateway_app", "switchboard_tray.doctor"),
    # Clients of the gateway: the admin API's, the stdio bridge, the settings of AI apps.
    ("switchboard_tray.admin.client", "switchboard_tray.bridge", "switchboard_tray.clients"),
    ("switchboard_tray.desktop", "switchboard_tray.bench_context"),
    ("switchboard_tray.cli",),
    ("switchboard_tray.__main__",),
)

# Modules without IO, clock, randomness, tasks or logs. They import none of what does these, and of ours only each
# other; the quick test run holds them to full branch coverage.
PURE: frozenset[str] = frozenset(
    {
        "switchboard_tray.errors",
        "switchboard_tray.names",
        "switchboard_tray.pointers",
        "switchboard_tray.jsonscan",
        "switchboard_tray.redact",
        "switchboard_tray.config.model",
        "switchboard_tray.config.keys",
        "switchboard_tray.config.problems",
        "switchboard_tray.config.references",
        "switchboard_tray.config.read",
        "switchboard_tray.config.not_in_force",
        "switchboard_tray.config.parse",
        "switchboard_tray.config.edit",
        "switchboard_tray.config.first",
        "switchboard_tray.config.migrate",
        "switchboard_tray.config.schema",
        "switchboard_tray.catalog.model",
        "switchboard_tray.catalog.check",
        "switchboard_tray.catalog.names",
        "switchboard_tray.catalog.code_names",
        "switchboard_tray.protocol.spans",
        "switchboard_tray.protocol.messages",
        "switchboard_tray.protocol.eras",
        "switchboard_tray.protocol.headers",
        "switchboard_tray.profiles.select",
        "switchboard_tray.profiles.view",
        "switchboard_tray.profiles.resolve",
        "switchboard_tray.profiles.relayed",
        "switchboard_tray.search.lexicon",
        "switchboard_tray.search.words",
        "switchboard_tray.search.typos",
        "switchboard_tray.search.query",
        "switchboard_tray.search.exact",
        "switchboard_tray.search.fields",
        "switchboard_tray.search.ranking",
        "switchboard_tray.search.scorer",
        "switchboard_tray.search.meaning",
        "switchboard_tray.search.index",
        "switchboard_tray.typescript.text",
        "switchboard_tray.typescript.hints",
        "switchboard_tray.typescript.types",
        "switchboard_tray.typescript.aliases",
        "switchboard_tray.typescript.render",
        "switchboard_tray.typescript.shapes",
        "switchboard_tray.surfaces.plan",
        "switchboard_tray.surfaces.instructions",
        "switchboard_tray.surfaces.passthrough",
        "switchboard_tray.surfaces.meta",
        "switchboard_tray.surfaces.apps",
        "switchboard_tray.surfaces.compact",
        "switchboard_tray.surfaces.code",
        "switchboard_tray.surfaces.material",
        "switchboard_tray.surfaces.manifest",
        "switchboard_tray.surfaces.arguments",
        "switchboard_tray.surfaces.calling",
        "switchboard_tray.surfaces.display",
        "switchboard_tray.surfaces.auto",
        "switchboard_tray.surfaces.tokens",
        "switchboard_tray.surfaces.topics",
        "switchboard_tray.surfaces.costs",
        "switchboard_tray.snapshot",
        "switchboard_tray.gateway.shown",
        "switchboard_tray.servers.lifecycle",
        "switchboard_tray.servers.batch_files",
        "switchboard_tray.servers.status",
        "switchboard_tray.sandbox.source",
        "switchboard_tray.sandbox.model",
        "switchboard_tray.sandbox.frames",
        "switchboard_tray.sandbox.values",
        "switchboard_tray.sandbox.answer",
        "switchboard_tray.admin.views",
        "switchboard_tray.desktop.menu",
    }
)

# Modules of others that only the named ones of ours import: a change of such a library is read in one place, and what
# is heavy to import stays out of everything else.
SOLE_IMPORTERS: dict[str, tuple[str, ...]] = {
    "starlette": ("switchboard_tray.admin", "switchboard_tray.wire", "switchboard_tray.gateway_app"),
    "uvicorn": ("switchboard_tray.wire.server",),
    "uvloop": ("switchboard_tray.wire.server",),
    "httptools": ("switchboard_tray.wire.server",),
    "psutil": (
        "switchboard_tray.servers.process",
        "switchboard_tray.stores.leftovers",
        "switchboard_tray.wire.listen",
        "switchboard_tray.doctor",
    ),
    "platformdirs": ("switchboard_tray.paths",),
    "filelock": ("switchboard_tray.stores", "switchboard_tray.gateway_app"),
    "sqlite3": (
        "switchboard_tray.stores.audit",
        "switchboard_tray.stores.audit_database",
        "switchboard_tray.demo",
        "switchboard_tray.bench_context.home",
    ),
    "keyring": ("switchboard_tray.stores.secrets",),
    "mcp": ("switchboard_tray.servers.remote",),
    "_quickjs": ("switchboard_tray.sandbox.engine",),
    "rank_bm25": ("switchboard_tray.search.ranking",),
    "numpy": (
        "switchboard_tray.search.ranking",
        "switchboard_tray.search.scorer",
        "switchboard_tray.search.meaning",
        "switchboard_tray.stores.vectors",
    ),
    "pystray": ("switchboard_tray.desktop",),
    "PIL": ("switchboard_tray.desktop",),
    "webview": ("switchboard_tray.desktop.window",),
}

# Modules that every start of the command goes through. At top level they import the standard library and each other, so
# that `--version` and an argument error answer at once; the rest waits for the command that needs it.
LAZY: tuple[str, ...] = ("switchboard_tray.__main__", "switchboard_tray.cli.main")
