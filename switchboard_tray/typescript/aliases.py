"""References in drafted types: written out where that is short, else by names, each of which is declared once. Pure."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from switchboard_tray.typescript.text import alias_name
from switchboard_tray.typescript.types import ANYTHING, Draft

INLINE_CHARS = 60
"""What is used more than once is written out up to this length."""
_MARK = re.compile("[\x01\x02]([0-9]+)[\x01\x02]")
_BARE = re.compile("\x01([0-9]+)\x01")


class Aliases:
    """The named types of one text, so that a name means one type in all of it."""

    def __init__(self) -> None:
        self._types: dict[str, str] = {}

    def settle(self, draft: Draft) -> str:
        """The type of `draft` without marks; what needed a name is added here."""
        if not draft.bodies:
            return draft.text
        expanded = _Expanded(draft)
        names = expanded.names(())
        types = expanded.types(names)
        if any(self._types.get(name, text) != text for name, text in types.items()):
            names = expanded.names(self._types)
            types = expanded.types(names)
        self._types.update(types)
        return _named(expanded.text, names)

    def lines(self) -> Iterator[str]:
        """A declaration of each name."""
        return (f"type {name} = {text};" for name, text in self._types.items())


class _Expanded:
    """A draft in which only marks are left that need a name."""

    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._bodies = _without_bare_cycles(draft.bodies)
        self._uses = Counter(number for text in (draft.text, *self._bodies.values()) for number in _marks(text))
        self._done: dict[int, str] = {}
        self._open: set[int] = set()
        self._recursive: set[int] = set()
        self._long: set[int] = set()
        self.text = self._expand(draft.text)

    def names(self, taken: Collection[str]) -> Mapping[int, str]:
        """A name for each type that needs one, none of them in `taken`."""
        names: dict[int, str] = {}
        for number in self._done:
            if number in self._recursive | self._long:
                names[number] = _unused(alias_name(self._draft.pointers[number]), {*taken, *names.values()})
        return names

    def types(self, names: Mapping[int, str]) -> dict[str, str]:
        """The text of each named type."""
        return {name: _named(self._done[number], names) for number, name in names.items()}

    def _expand(self, text: str) -> str:
        return _MARK.sub(self._inlined, text)

    def _inlined(self, found: re.Match[str]) -> str:
        number = int(found[1])
        if number in self._open:
            self._recursive.add(number)
            return found[0]
        if number not in self._done:
            self._open.add(number)
            text = self._expand(self._bodies[number])
            self._open.remove(number)
            self._done[number] = text
        text = self._done[number]
        if self._uses[number] > 1 and len(text) > INLINE_CHARS:
            self._long.add(number)
        if number in self._recursive or number in self._long:
            return found[0]
        before, after = found.string[: found.start()], found.string[found.end() :]
        is_part = after.startswith(("[]", " &")) or before.endswith("& ")
        return f"({text})" if is_part and " | " in text else text


def _without_bare_cycles(bodies: Mapping[int, str]) -> dict[int, str]:
    """The bodies without references by which a type would be nothing but itself, or itself and more."""
    bare = {number: {int(one) for one in _BARE.findall(text)} for number, text in bodies.items()}
    reach = {number: _reached(number, bare) for number in bare}

    def opened(number: int, text: str) -> str:
        return _BARE.sub(lambda found: ANYTHING if number in reach[int(found[1])] else found[0], text)

    return {number: opened(number, text) for number, text in bodies.items()}


def _reached(start: int, edges: Mapping[int, set[int]]) -> set[int]:
    seen: set[int] = {start}
    waiting = [start]
    while waiting:
        for number in edges[waiting.pop()] - seen:
            seen.add(number)
            waiting.append(number)
    return seen


def _marks(text: str) -> Iterator[int]:
    return (int(one) for one in _MARK.findall(text))


def _named(text: str, names: Mapping[int, str]) -> str:
    return _MARK.sub(lambda found: names[int(found[1])], text)


def _unused(name: str, taken: Collection[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name}{number}"
    return found
