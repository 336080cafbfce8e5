"""A tool as lists of terms, one for each part of its definition. Pure.

How much each part counts is `scorer`'s business.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass

from switchboard_tray.search import lexicon, words

DESCRIPTION_CHARS = 1500
PARAMETERS = 100
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n")
_STOP = frozenset(words.stem(word) for word in lexicon.STOP_WORDS)


@dataclass(frozen=True, slots=True)
class Fields:
    """Terms of the parts of one tool, without stop words but in names.

    `written` is name, title, first sentence and rest once more, as they stand there but in lower case.
    """

    name: list[str]
    server: list[str]
    title: list[str]
    first_sentence: list[str]
    rest: list[str]
    parameters: list[str]
    written: tuple[list[str], list[str], list[str], list[str]]


class Reader:
    """Reads tools one after another, and cuts up each word only once."""

    def __init__(self) -> None:
        self._terms: dict[str, list[str]] = {}
        self._parts: dict[str, list[str]] = {}

    def read(self, server: str, name: str, title: str, description: str, parameters: Collection[str]) -> Fields:
        """The terms of one tool. Words of its server are left out of its name, which would count them twice."""
        of_server = self.terms(server)
        of_name = self.terms(name)
        text = description[:DESCRIPTION_CHARS]
        end = _SENTENCE_END.search(text)
        first, rest = (text[: end.start()], text[end.end() :]) if end else (text, "")
        shown = "" if title == name else title
        return Fields(
            name=[term for term in of_name if term not in of_server] or of_name,
            server=of_server,
            title=self._telling(shown),
            first_sentence=self._telling(first),
            rest=self._telling(rest),
            parameters=self._telling(" ".join(list(parameters)[:PARAMETERS])),
            written=(self._written(name), self._written(shown), self._written(first), self._written(rest)),
        )

    def terms(self, text: str) -> list[str]:
        """All terms of `text`, in order."""
        return self._cut(text, self._terms, _terms_of_word)

    def spellings(self) -> set[str]:
        """The parts of all words of names, titles and descriptions that were read, as written but in lower case."""
        return {part for parts in self._parts.values() for part in parts}

    def _telling(self, text: str) -> list[str]:
        return [term for term in self.terms(text) if term not in _STOP]

    def _written(self, text: str) -> list[str]:
        return self._cut(text, self._parts, words.split_word)

    @staticmethod
    def _cut(text: str, known: dict[str, list[str]], cut: Callable[[str], list[str]]) -> list[str]:
        found: list[str] = []
        for word in words.find_words(text):
            parts = known.get(word)
            if parts is None:
                parts = known[word] = cut(word)
            found += parts
        return found


def _terms_of_word(word: str) -> list[str]:
    return [words.stem(part) for part in words.split_word(word)]
