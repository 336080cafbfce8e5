"""Config documents for tests: strategies for any JSON, for valid configs, and for configs with one value put wrong."""

from collections.abc import Iterator
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from switchboard_tray.pointers import child

Document = dict[str, Any]
# A busy machine is no fault of the code, so no example has a time limit.
unhurried = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
whole_documents = settings(unhurried, max_examples=60)

JSON_VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**4000, max_value=10**4001)
    | st.floats()
    | st.text(st.characters(codec=None), max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)

SERVER_NAMES = ("github", "Linear", "demo-1", "a_b")
PROFILE_NAMES = ("work", "Home", "x")
_TEXT = st.sampled_from(["", "plain", "two words", "é", "${env:HOME}/x", "$${literal}", "a\nb"])
_ENV = st.dictionaries(st.sampled_from(["TOKEN", "PATH", "A.b"]), _TEXT, max_size=2)
_HEADERS = st.dictionaries(st.sampled_from(["X-Team", "Authorization"]), st.sampled_from(["core", "Bearer ${env:T}"]))
_PATTERN = st.builds(
    "{}.{}".format, st.sampled_from([*SERVER_NAMES, "*", "git*", "gone"]), st.sampled_from(["*", "a_*"])
)
_SURFACE = st.sampled_from(["auto", "passthrough", "flat", "meta", "code", "apps", "compact"])
_THRESHOLD = st.integers(1, 500) | st.just(40.0)
_AUTO_ABOVE = st.sampled_from(["meta", "apps"])
_NOTE = {"x-note": st.sampled_from([None, 1, {"kept": [None, True]}])}

_COMMON = {
    "description": _TEXT,
    "idleTimeoutSec": st.integers(0, 9999) | st.floats(0, 9999),
    "callTimeoutSec": st.floats(0.001, 999),
    "startTimeoutSec": st.integers(1, 3600),
    "isolation": st.sampled_from(["shared", "profile", "client"]),
    "maxConcurrent": st.none() | st.integers(1, 9),
    "toolChanges": st.sampled_from(["warn", "block"]),
    **_NOTE,
}
_ON = st.sampled_from(
    [{}, {"enabled": True}, {"enabled": False}, {"disabled": True}, {"enabled": True, "disabled": False}]
)
_LOCAL = st.fixed_dictionaries(
    {"command": st.sampled_from(["npx", "${env:BIN}"])},
    optional={
        "args": st.lists(_TEXT, max_size=3),
        "env": _ENV,
        "cwd": st.just("~"),
        "type": st.just("stdio"),
        **_COMMON,
    },
)
_REMOTE = st.fixed_dictionaries(
    {"url": st.sampled_from(["https://mcp.linear.app/mcp", "HTTP://[::1]:80/x", "${env:URL}", "http://${env:H}:1/"])},
    optional={"headers": _HEADERS, "transport": st.sampled_from(["http", "streamableHttp", "sse"]), **_COMMON},
)
_BUILTIN = st.fixed_dictionaries({"builtin": st.just("demo")}, optional=_COMMON)
_SERVER = st.builds(lambda server, on: {**server, **on}, _LOCAL | _REMOTE | _BUILTIN, _ON)
_BUDGETS = st.fixed_dictionaries({}, optional={"timeoutMs": st.integers(1, 600_000), "maxToolCalls": st.just(0)})
_SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "port": st.integers(1, 65_535),
        "surface": _SURFACE,
        "autoThreshold": _THRESHOLD,
        "autoAbove": _AUTO_ABOVE,
        "audit": st.fixed_dictionaries({}, optional={"days": st.integers(0, 9), "bodies": st.booleans(), **_NOTE}),
        "logLevel": st.sampled_from(["debug", "info", "warning", "warn", "error"]),
        "autostart": st.booleans(),
        "theme": st.sampled_from(["system", "light", "dark"]),
        **_NOTE,
    },
)


@st.composite
def valid_documents(draw: st.DrawFn) -> Document:
    """Documents that are valid configs, with unknown keys, in any order of keys."""
    servers = draw(st.dictionaries(st.sampled_from(SERVER_NAMES), _SERVER, max_size=4))
    profiles = draw(st.dictionaries(st.sampled_from(PROFILE_NAMES), _profiles(sorted(servers)), max_size=3))
    profile = st.none() | st.sampled_from([*profiles, *map(str.upper, profiles)]) if profiles else st.none()
    rules = st.lists(
        st.fixed_dictionaries({"match": st.sampled_from(["cursor*", "*"]), "profile": profile}), max_size=2
    )
    keys = {
        "version": st.just(1),
        "servers": st.just(servers),
        "profiles": st.just(profiles),
        "defaultProfile": profile,
        "clients": rules,
        "settings": _SETTINGS,
        "$schema": st.just("http://127.0.0.1:7923/schema/config.json"),
        **_NOTE,
    }
    parts = {"servers": servers, "profiles": profiles, **draw(st.fixed_dictionaries({}, optional=keys))}
    return {key: parts[key] for key in draw(st.permutations(sorted(parts)))}


def _profiles(servers: list[str]) -> st.SearchStrategy[Document]:
    of_servers = st.lists(st.sampled_from([*servers, *map(str.upper, servers)]), max_size=3) if servers else st.just([])
    reference = st.sampled_from(["github.search", "gone.a.b", "Linear.x"])
    override = st.fixed_dictionaries({}, optional={"description": _TEXT, **_NOTE})
    return st.fixed_dictionaries(
        {},
        optional={
            "description": _TEXT,
            "servers": of_servers,
            "include": st.lists(_PATTERN, max_size=3),
            "exclude": st.lists(_PATTERN, max_size=3),
            "surface": _SURFACE,
            "autoThreshold": _THRESHOLD,
            "autoAbove": _AUTO_ABOVE,
            "overrides": st.dictionaries(reference, override, max_size=2),
            "budgets": _BUDGETS,
            "accounts": st.dictionaries(st.sampled_from(servers), st.fixed_dictionaries({"env": _ENV}), max_size=1)
            if servers
            else st.just({}),
            "relay": st.sampled_from([["tools"], ["tools", "prompts"], ["resources", "tools"]]),
            "confirm": st.lists(_PATTERN, max_size=1),
            **_NOTE,
        },
    )


@st.composite
def mutated_documents(draw: st.DrawFn) -> Document:
    """Valid configs in which one to three values, anywhere, are replaced by any JSON."""
    document: Any = draw(valid_documents())
    for _ in range(draw(st.integers(1, 3))):
        place = draw(st.sampled_from([keys for keys, _ in places(document)]))
        document = replaced(document, place, draw(JSON_VALUES))
    return document if isinstance(document, dict) else {"servers": document}


def places(value: Any, keys: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Each value in a document: the keys on its way, and its pointer."""
    pointer = ""
    for key in keys:
        pointer = child(pointer, key)
    yield keys, pointer
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*keys, key))


def replaced(document: Any, keys: tuple[str | int, ...], value: Any) -> Any:
    """`document` with `value` at `keys`."""
    if not keys:
        return value
    inner = replaced(document[keys[0]], keys[1:], value)
    if isinstance(document, list):
        return [inner if index == keys[0] else item for index, item in enumerate(document)]
    return {**document, keys[0]: inner}
