"""A query as groups of terms that an index has: each word of it with all that it may mean there. Pure.

How much a term is worth in which tool is `scorer`'s business.
"""

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from switchboard_tray.search import lexicon, typos, words

WORDS_PER_QUERY = 64
# What a term weighs that is not the word itself. Tuned on the project's own dev queries, and flat around these values.
_ABBREVIATION, _SPLIT, _TYPO = 0.8, 0.9, 0.8
_FORM = 0.75
_PREFIX = 0.3
_SYNONYM = 0.3
_SHORTEST_PREFIX = 3
_LONGEST_JOINED = 40
# "/srv/report.md": of a path only its ending says what a tool should do.
_PATH = re.compile(r"(?<![\w:/.])(?:~|\.{1,2})?(?:/[\w.@-]+){2,}/?")


@dataclass(frozen=True, slots=True)
class Group:
    """One word of a query.

    `members` are terms of the index, each with the share (0 to 1) that a tool gets for it; the best one counts.
    `rarity` is the word's own IDF, and bounds that of its members.
    """

    term: str
    rarity: float
    members: Mapping[str, float]


class Vocabulary:
    """The terms of one index, with how rare each is, and which of them occur in names of tools."""

    def __init__(self, rarity: Mapping[str, float], in_names: Iterable[str], as_written: Iterable[str]) -> None:
        self._rarity = rarity
        self._terms = sorted(rarity)
        self._in_names = sorted(in_names)
        self._name_set = frozenset(self._in_names)
        self._by_letter = typos.by_first_letter(sorted(set(as_written)))
        self._forms: dict[str, list[str]] = {}
        for term in self._terms:
            self._forms.setdefault(words.rough_stem(term), []).append(term)
        self._synonyms = _synonyms()

    def groups(self, query: str) -> list[Group]:
        """The words of `query` that lead to a term, in order and each once; stop words where there is nothing else."""
        parts = list(dict.fromkeys(_parts(_PATH.sub(_ending, query))))[:WORDS_PER_QUERY]
        meant = [part for part in parts if not _is_empty(part)]
        return [group for part in meant or parts for group in self._groups(part)]

    def _groups(self, part: str) -> Iterator[Group]:
        term = words.stem(part)
        members = {term: 1.0} | dict.fromkeys(self._synonyms.get(term, ()), _SYNONYM)
        longer = lexicon.ABBREVIATIONS.get(part) or lexicon.ABBREVIATIONS.get(term) or ()
        members |= {words.stem(word): _ABBREVIATION for word in longer if " " not in word}
        several = next((phrase.split() for phrase in longer if " " in phrase), None)
        if several is None:
            yield from self._expanded(part, term, members)
            return
        for word in several:
            yield from self._expanded(part, term, {**members, words.stem(word): _ABBREVIATION})

    def _expanded(self, part: str, term: str, members: dict[str, float]) -> Iterator[Group]:
        for form in self._forms.get(words.rough_stem(term), ()):
            members[form] = max(members.get(form, 0), _FORM)
        is_known = any(weight >= _FORM and other in self._rarity for other, weight in members.items())
        if not is_known:
            parts = self._unknown(part, term, members)
            if parts:
                yield from (Group(part, self._rarity[part], {part: _SPLIT}) for part in parts)
                return
        elif term not in self._name_set:
            for other in _starting_with(self._in_names, term):
                members[other] = max(members.get(other, 0), _PREFIX)
        found = {other: weight for other, weight in members.items() if other in self._rarity}
        if found:
            rarity = self._rarity.get(term) or max(self._rarity[other] for other in found)
            yield Group(term, rarity, found)

    def _unknown(self, part: str, term: str, members: dict[str, float]) -> Sequence[str]:
        """Add to `members` what a word that no tool has may be, or return the words it is made of."""
        meant = typos.candidates(part, self._by_letter)
        longer = _starting_with(self._terms, term)
        if meant:
            members |= {words.stem(word): _TYPO for word in meant}
        elif longer:
            members |= dict.fromkeys(longer, _TYPO if len(longer) == 1 else _PREFIX)
        elif len(part) <= _LONGEST_JOINED:
            return self._unjoined(part, 3) or ()
        return ()

    def _unjoined(self, text: str, most: int) -> list[str] | None:
        """``createpullrequest`` as known words, the longest first; None where it is not made of at most `most`."""
        for end in range(len(text) - 3, 2, -1):
            first, rest = words.stem(text[:end]), text[end:]
            if first not in self._name_set:
                continue
            if words.stem(rest) in self._rarity:
                return [first, words.stem(rest)]
            others = self._unjoined(rest, most - 1) if most > 2 else None
            if others:
                return [first, *others]
        return None


def _synonyms() -> Mapping[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for row in lexicon.SYNONYMS:
        terms = [words.stem(word) for word in row]
        for term in terms:
            found.setdefault(term, {}).update(dict.fromkeys(other for other in terms if other != term))
    return {term: tuple(others) for term, others in found.items()}


def _parts(query: str) -> Iterator[str]:
    for word in words.find_words(query):
        lower = word.lower()
        yield from [lower] if lower in lexicon.ABBREVIATIONS else words.split_word(word)


def _ending(path: re.Match[str]) -> str:
    _, dot, ending = path.group().rpartition("/")[2].rpartition(".")
    return f" {ending} " if dot else " "


def _is_empty(part: str) -> bool:
    return part in lexicon.STOP_WORDS or part in lexicon.CHATTER


def _starting_with(known: Sequence[str], start: str) -> Sequence[str]:
    """The words of the sorted `known` that begin with `start`, which is long enough to mean something."""
    if len(start) < _SHORTEST_PREFIX:
        return ()
    return known[bisect_left(known, start) : bisect_left(known, start + "\U0010ffff")]
