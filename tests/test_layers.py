"""Holds the sources to `build/layers.py`: imports point down, pure modules stay pure, heavy libraries have one door.

Each rule is a function from a module to complaints, so that it can be shown to fail on a few lines written for it.
"""

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from build.layers import LAYERS, LAZY, PURE, SOLE_IMPORTERS

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "switchboard_tray"

# What gives a module a clock, chance, the file system, the network, other tasks or a log. Pure paths are fine.
IMPURE_IMPORTS = frozenset(
    "asyncio builtins concurrent contextvars ctypes fcntl glob http importlib io locale logging mmap msvcrt "
    "multiprocessing os pathlib platform queue random sched secrets select selectors shutil signal socket "
    "socketserver sqlite3 ssl subprocess sys tempfile threading time urllib.request uuid warnings webbrowser "
    "anyio filelock httpx httpx2 keyring mcp platformdirs psutil pystray quickjs starlette uvicorn webview".split()
)
PURE_PATHS = frozenset({"pathlib.PurePath", "pathlib.PurePosixPath", "pathlib.PureWindowsPath"})
IMPURE_CALLS = frozenset({"open", "print", "input", "breakpoint", "exec", "eval"})
CLOCKS = frozenset({"now", "utcnow", "today"})


@dataclass(frozen=True)
class Module:
    """A module of the package: its dotted name and its source, parsed."""

    name: str
    tree: ast.Module
    is_package: bool = False


@dataclass(frozen=True)
class Import:
    """One imported module (or a name in it, when that cannot be told apart) and the line it stands on."""

    target: str
    line: int


def modules_of_the_package() -> list[Module]:
    found = []
    for path in sorted((ROOT / PACKAGE).rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_package = parts[-1] == "__init__"
        name = ".".join(parts[:-1] if is_package else parts)
        found.append(Module(name, ast.parse(path.read_bytes(), str(path)), is_package))
    return found


def imports_in(module: Module, nodes: Iterator[ast.AST]) -> Iterator[Import]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                yield from (Import(alias.name, node.lineno) for alias in names)
            case ast.ImportFrom(names=names):
                base = absolute_base(module, node)
                yield from (Import(f"{base}.{alias.name}", node.lineno) for alias in names)
            case ast.Call(func=ast.Name("import_module" | "__import__"), args=[ast.Constant(str(name)), *_]):
                yield Import(name, node.lineno)
            case ast.Call(func=ast.Attribute(attr="import_module"), args=[ast.Constant(str(name)), *_]):
                yield Import(name, node.lineno)


def absolute_base(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    ups = node.level - 1 if module.is_package else node.level
    parents = module.name.split(".")[: len(module.name.split(".")) - ups]
    return ".".join([*parents, *([node.module] if node.module else [])])


def top_level(nodes: list[ast.stmt]) -> Iterator[ast.AST]:
    """Statements that run when the module is imported, without those for the type checker alone."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from top_level(node.orelse)
            continue
        yield node
        for block in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from top_level(getattr(node, block, []))


def is_within(name: str, prefix: str) -> bool:
    return name == prefix or name.startswith(f"{prefix}.")


def layer_of(name: str) -> int | None:
    """Number of the layer, 0 at the bottom; -1 is the package itself, None a module (or a name) in no layer."""
    if name == PACKAGE:
        return -1
    named = [(prefix, level) for level, layer in enumerate(LAYERS) for prefix in layer]
    return max(((len(prefix), level) for prefix, level in named if is_within(name, prefix)), default=(0, None))[1]


def room_of(name: str) -> str:
    """The package whose files may import each other inside a layer; the top one for a module directly in it."""
    first = ".".join(name.split(".")[:2])
    return first if (ROOT / first.replace(".", "/")).is_dir() else PACKAGE


def complaints_about_place(module: Module) -> Iterator[str]:
    if layer_of(module.name) is None:
        yield f"{module.name} is in no layer: name it, or its package, in LAYERS of build/layers.py"


def complaints_about_direction(module: Module) -> Iterator[str]:
    own = layer_of(module.name)
    for found in imports_in(module, ast.walk(module.tree)):
        # A name of the package itself, such as its version, belongs to no layer and is below all.
        level = layer_of(found.target) if is_within(found.target, PACKAGE) else None
        if own is None or level is None or level < own:
            continue
        if level > own:
            yield f"{module.name}:{found.line} imports {found.target} from a higher layer"
        elif room_of(found.target) != room_of(module.name):
            yield f"{module.name}:{found.line} imports {found.target} from another package of its layer"


def complaints_about_purity(module: Module) -> Iterator[str]:
    if module.name not in PURE:
        return
    for found in imports_in(module, ast.walk(module.tree)):
        if found.target in PURE_PATHS:
            continue
        if any(is_within(found.target, banned) for banned in IMPURE_IMPORTS):
            yield f"{module.name}:{found.line} is pure and imports {found.target}"
        is_ours = layer_of(found.target) is not None
        if is_ours and not any(is_within(found.target, pure) for pure in PURE):
            yield f"{module.name}:{found.line} is pure and imports {found.target}, which is not in PURE"
    for node in ast.walk(module.tree):
        match node:
            case ast.Call(func=ast.Name(name)) if name in IMPURE_CALLS:
                yield f"{module.name}:{node.lineno} is pure and calls {name}"
            case ast.Attribute(value=ast.Name("datetime" | "date"), attr=name) if name in CLOCKS:
                yield f"{module.name}:{node.lineno} is pure and reads the clock by {name}"


def complaints_about_libraries(module: Module) -> Iterator[str]:
    for found in imports_in(module, ast.walk(module.tree)):
        for library, importers in SOLE_IMPORTERS.items():
            if is_within(found.target, library) and not any(is_within(module.name, own) for own in importers):
                yield f"{module.name}:{found.line} imports {library}, which is for {', '.join(importers)}"


def complaints_about_haste(module: Module) -> Iterator[str]:
    if module.name not in LAZY:
        return
    for found in imports_in(module, top_level(module.tree.body)):
        is_light = found.target.partition(".")[0] in sys.stdlib_module_names
        # A name straight from the package, such as its version, costs nothing; a module of it that is not LAZY does.
        is_lazy = found.target == PACKAGE or any(is_within(found.target, name) for name in LAZY)
        is_name_of_package = found.target.startswith(f"{PACKAGE}.__") and layer_of(found.target) is None
        if not (is_light or is_lazy or is_name_of_package):
            yield f"{module.name}:{found.line} imports {found.target} at top level: import it where it is used"


def complaints_about_reexports(module: Module) -> Iterator[str]:
    if module.is_package:
        for found in imports_in(module, ast.walk(module.tree)):
            yield f"{module.name}:{found.line} imports {found.target}: a package's __init__ only names its files"


Rule = Callable[[Module], Iterator[str]]


def test_every_module_belongs_to_a_layer() -> None:
    hold_the_package_to(complaints_about_place)


def test_imports_point_down() -> None:
    hold_the_package_to(complaints_about_direction)


def test_pure_modules_touch_nothing_outside_their_arguments() -> None:
    hold_the_package_to(complaints_about_purity)


def test_each_heavy_library_is_imported_where_the_table_says() -> None:
    hold_the_package_to(complaints_about_libraries)


def test_the_start_of_the_command_imports_the_standard_library_alone() -> None:
    hold_the_package_to(complaints_about_haste)


def test_packages_reexport_nothing() -> None:
    hold_the_package_to(complaints_about_reexports)


def hold_the_package_to(rule: Rule) -> None:
    modules = modules_of_the_package()
    assert len(modules) > 1, "no sources found: a rule over nothing proves nothing"
    complaints = [complaint for module in modules for complaint in rule(module)]
    if complaints:
        pytest.fail("\n".join(complaints), pytrace=False)


@pytest.mark.parametrize(
    ("rule", "name", "source"),
    [
        (complaints_about_place, f"{PACKAGE}.unheard_of", ""),
        (complaints_about_direction, f"{PACKAGE}.names", f"import {PACKAGE}.config.parse"),
        (complaints_about_direction, f"{PACKAGE}.config.parse", f"from {PACKAGE}.catalog import model"),
        (complaints_about_direction, f"{PACKAGE}.config.parse", f"def late():\n    from {PACKAGE} import snapshot"),
        (complaints_about_direction, f"{PACKAGE}.config.parse", "from ..gateway.hub import Hub"),
        (complaints_about_direction, f"{PACKAGE}.names", f"from {PACKAGE} import demo"),
        (complaints_about_purity, f"{PACKAGE}.names", "import asyncio.queues"),
        (complaints_about_purity, f"{PACKAGE}.names", "from pathlib import Path"),
        (complaints_about_purity, f"{PACKAGE}.names", "from urllib import request"),
        (complaints_about_purity, f"{PACKAGE}.names", f"from {PACKAGE}.paths import Paths"),
        (complaints_about_purity, f"{PACKAGE}.names", "text = open('x').read()"),
        (complaints_about_purity, f"{PACKAGE}.names", "from datetime import datetime\nborn = datetime.now()"),
        (complaints_about_libraries, f"{PACKAGE}.cli.main", "def late():\n    from mcp.client import session"),
        (complaints_about_libraries, f"{PACKAGE}.cli.main", "import importlib\nimportlib.import_module('psutil')"),
        (complaints_about_haste, f"{PACKAGE}.cli.main", "try:\n    import msgspec\nexcept ImportError:\n    pass"),
        (complaints_about_haste, f"{PACKAGE}.__main__", f"from {PACKAGE} import errors"),
        (complaints_about_haste, f"{PACKAGE}.__main__", f"from {PACKAGE}.errors import NotFound"),
    ],
)
def test_a_rule_finds_what_it_forbids(rule: Rule, name: str, source: str) -> None:
    assert len(list(rule(Module(name, ast.parse(source))))) == 1


@pytest.mark.parametrize(
    ("rule", "name", "source"),
    [
        (complaints_about_place, PACKAGE, ""),
        (complaints_about_direction, f"{PACKAGE}.config.parse", f"from {PACKAGE}.config.model import Config"),
        (complaints_about_direction, f"{PACKAGE}.names", f"from {PACKAGE} import __version__, errors"),
        (complaints_about_direction, f"{PACKAGE}.names", f"from {PACKAGE}.errors import NotFound"),
        (complaints_about_direction, f"{PACKAGE}.config.parse", "from . import model\nfrom ..names import wire_name"),
        (complaints_about_purity, f"{PACKAGE}.names", "from pathlib import PurePosixPath\nfrom urllib import parse"),
        (complaints_about_purity, f"{PACKAGE}.paths", "import os"),
        (complaints_about_libraries, f"{PACKAGE}.admin.api", "from starlette.routing import Route"),
        (complaints_about_libraries, f"{PACKAGE}.admin.api", "from mcpx import session"),
        (complaints_about_haste, f"{PACKAGE}.__main__", f"from {PACKAGE} import __version__\nimport sys"),
        (complaints_about_haste, f"{PACKAGE}.__main__", f"from {PACKAGE}.cli.main import main"),
        (complaints_about_haste, f"{PACKAGE}.cli.main", "def late():\n    import msgspec"),
        (complaints_about_haste, f"{PACKAGE}.cli.main", "if TYPE_CHECKING:\n    import msgspec"),
    ],
)
def test_a_rule_lets_the_rest_pass(rule: Rule, name: str, source: str) -> None:
    assert list(rule(Module(name, ast.parse(source)))) == []


def test_a_package_that_imports_is_found() -> None:
    module = Module(f"{PACKAGE}.config", ast.parse("from .model import Config"), is_package=True)

    assert list(complaints_about_reexports(module)) == [
        f"{PACKAGE}.config:1 imports {PACKAGE}.config.model.Config: a package's __init__ only names its files"
    ]


def test_no_module_is_named_twice_in_the_table() -> None:
    names = [name for layer in LAYERS for name in layer]

    assert len(names) == len(set(names))
