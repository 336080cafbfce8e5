"""Code names, by which JavaScript calls tools, settled once over the whole catalog as wire names are. Pure.

A server is a global and each of its tools a method: ``github.create_issue(...)``.
"""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from types import MappingProxyType
from typing import NamedTuple

from switchboard_tray.names import HASH_CHARS, ToolRef

# What a script may not name anything: words of the language, what the engine provides, what we add to it.
_WORDS = (
    "abstract arguments as async await boolean break byte case catch char class const continue debugger default delete "
    "do double else enum eval export extends false final finally float for from function get goto if implements import "
    "in instanceof int interface let long native new null of package private protected public return set short static "
    "super switch synchronized this throw throws transient true try typeof undefined var void volatile while with yield"
)
_BUILTINS = (
    "AggregateError Array ArrayBuffer AsyncDisposableStack AsyncIterator Atomics BigInt BigInt64Array BigUint64Array "
    "Boolean DataView Date DisposableStack Error EvalError FinalizationRegistry Float16Array Float32Array Float64Array "
    "Function Infinity Int16Array Int32Array Int8Array InternalError Iterator JSON Map Math NaN Number Object Promise "
    "Proxy RangeError ReferenceError Reflect RegExp Set SharedArrayBuffer String SuppressedError Symbol SyntaxError "
    "Temporal TypeError URIError Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap WeakRef WeakSet "
    "decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape globalThis isFinite isNaN parseFloat "
    "parseInt performance queueMicrotask console catalog"
)
# A method of these names would be taken for something else: `await server` calls `then`.
_MEMBERS = (
    "__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor hasOwnProperty "
    "isPrototypeOf propertyIsEnumerable prototype then toJSON toLocaleString toString valueOf"
)
RESERVED = frozenset(f"{_WORDS} {_BUILTINS} {_MEMBERS}".split())


class CodeName(NamedTuple):
    """How JavaScript calls a tool."""

    server: str
    method: str

    def __str__(self) -> str:
        return f"{self.server}.{self.method}"


def settle_code_names(refs: Iterable[ToolRef]) -> Mapping[ToolRef, CodeName]:
    """A code name for each reference, no two the same, and one global for each server.

    A name that needed no change is kept; of those that come to the same one, each that had to be changed gets a hash.
    """
    methods: dict[str, dict[str, None]] = {}
    for ref in refs:
        methods.setdefault(ref.server, {})[ref.tool] = None
    names = {}
    for server, name in _settled(methods).items():
        for tool, method in _settled(methods[server]).items():
            names[ToolRef(server, tool)] = CodeName(name, method)
    return MappingProxyType(names)


def identifier(name: str) -> str:
    """The identifier nearest to `name`; not unique by itself."""
    plain = "".join(char if _is_allowed(char) else "_" for char in name)
    if not plain or plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if plain in RESERVED else plain


def _is_allowed(char: str) -> bool:
    return char in "_$" or (char.isalnum() if char.isascii() else char.isalpha())


def _settled(names: Iterable[str]) -> dict[str, str]:
    """An identifier for each name; where names clash, those that were changed end in a hash."""
    rivals: dict[str, list[str]] = {}
    for name in names:
        rivals.setdefault(identifier(name), []).append(name)
    settled: dict[str, str] = {}
    for plain, of_it in rivals.items():
        owner = of_it[0] if len(of_it) == 1 else plain if plain in of_it else None
        if owner is not None:
            settled[owner] = plain
    taken = set(settled.values())
    for name in sorted(name for of_it in rivals.values() for name in of_it if name not in settled):
        unique = f"{identifier(name)}_{_digest(name)}"
        # A tool may be named like another one's name with a hash; one more tells them apart.
        while unique in taken:
            unique = f"{unique}_{_digest(unique)}"
        settled[name] = unique
        taken.add(unique)
    return settled


def _digest(text: str) -> str:
    return sha256(text.encode(errors="surrogatepass")).hexdigest()[:HASH_CHARS]
