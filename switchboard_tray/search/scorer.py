"""How well each tool fits the words of a query: BM25 over fields, then what the name, the server and the rest add.

Imports numpy, so it is itself imported when the first index is built. Pure.

Source: weights tuned on the project's dev queries over 4,000 real tools; each stays useful over a wide range.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from switchboard_tray.search import lexicon, words
from switchboard_tray.search.fields import Fields
from switchboard_tray.search.query import Group, Vocabulary
from switchboard_tray.search.ranking import Field, FieldedBM25, Places, Scores

_NAME, _SERVER, _TITLE = Field(4, 0.2), Field(2, 0), Field(3, 0.3)
_FIRST_SENTENCE, _REST, _PARAMETERS = Field(1.3, 0.5), Field(0.3, 0.75), Field(0.7, 0.75)
_SATURATION = 0.8
_AS_WRITTEN = 0.4
_COVERAGE = 0.7
_NAME_COVERAGE = 0.4
_SERVER_TEXT = 1.0
_SERVER_NAMED = 1.0
_DESTRUCTIVE = 0.7
_DESTRUCTIVE_TERMS = frozenset(map(words.stem, lexicon.DESTRUCTIVE))
_GENERIC_TERMS = frozenset(map(words.stem, lexicon.GENERIC_SERVER_WORDS))
# A member of a group this sure stands for the word itself.
_SURE = 0.75


class Scorer:
    """Scores the tools of one index, given by their places in it."""

    def __init__(self, tools: Sequence[Fields], servers: Sequence[str], purposes: Mapping[str, list[str]]) -> None:
        fields = (_NAME, _SERVER, _TITLE, _FIRST_SENTENCE, _REST, _PARAMETERS)
        self._all = FieldedBM25([_parts(tool) for tool in tools], fields, _SATURATION)
        self._written = FieldedBM25(
            [tool.written for tool in tools], (_NAME, _TITLE, _FIRST_SENTENCE, _REST), _SATURATION
        )
        self._names = FieldedBM25([(tool.name,) for tool in tools], (Field(1, 0),))
        self._name_lengths = np.array([max(len(set(tool.name)), 1) for tool in tools], np.float32)
        self._destructive = np.array([not _DESTRUCTIVE_TERMS.isdisjoint(tool.name) for tool in tools], np.bool_)
        self._add_servers(tools, servers, purposes)

    def _add_servers(self, tools: Sequence[Fields], servers: Sequence[str], purposes: Mapping[str, list[str]]) -> None:
        places = {server: place for place, server in enumerate(dict.fromkeys(servers))}
        texts = [list(purposes[server]) for server in places]
        names: list[list[str]] = [[] for _ in places]
        for tool, server in zip(tools, servers, strict=True):
            names[places[server]] = tool.server
            texts[places[server]] += [*tool.name, *tool.title, *tool.first_sentence, *tool.rest]
        self._server_texts = FieldedBM25(list(zip(texts, names, strict=True)), (Field(1, 0.75), Field(5, 0)))
        own = [[term for term in name if term not in _GENERIC_TERMS] or name for name in names]
        self._server_names = [frozenset(name) for name in own]
        self.server_of: Places = np.array([places[server] for server in servers], np.int32)

    def vocabulary(self, spellings: set[str]) -> Vocabulary:
        """The terms that groups may have; `spellings` are the words that a typo may stand for."""
        # A word of what a server is for leads to that server's tools, though not to one of them by itself.
        rarity = self._server_texts.idf | self._all.idf
        return Vocabulary(rarity, self._names.idf, spellings.union(*self._server_names))

    def scores(self, groups: Sequence[Group], query: str) -> Scores:
        """One score for each tool; 0 where it has nothing of the query."""
        total = np.zeros(len(self._name_lengths), np.float32)
        covered, named = np.zeros_like(total), np.zeros_like(total)
        for group in groups:
            worth = self._best(self._all, group)
            total += worth
            covered += (worth > 0) * np.float32(group.rarity)
            named += self._named(group)
        rarity = sum(group.rarity for group in groups) or 1.0
        parts = [part for part in words.split(query) if part not in lexicon.STOP_WORDS]
        total += (total > 0) * np.float32(_AS_WRITTEN) * self._written.get_scores(parts)
        total *= (1 - _COVERAGE) + _COVERAGE * covered / np.float32(rarity)
        total *= 1 + _NAME_COVERAGE * np.minimum(named / self._name_lengths, 1)
        if all(_DESTRUCTIVE_TERMS.isdisjoint(group.members) for group in groups):
            total[self._destructive] *= np.float32(_DESTRUCTIVE)
        total *= self._server_factors(groups)[self.server_of]
        return total

    def servers_named(self, groups: Sequence[Group]) -> Scores:
        """For each server of `server_of`, the share of its name that stands in the query."""
        sure = {term for group in groups for term, weight in group.members.items() if weight >= _SURE}
        return np.array([len(name & sure) / max(len(name), 1) for name in self._server_names], np.float32)

    def _server_factors(self, groups: Sequence[Group]) -> Scores:
        texts = np.zeros(len(self._server_names), np.float32)
        for group in groups:
            texts += self._best(self._server_texts, group, is_bound=False)
        texts /= max(float(texts.max(initial=0)), 1e-9)
        return (1 + _SERVER_TEXT * texts) * (1 + _SERVER_NAMED * self.servers_named(groups))

    def _best(self, ranking: FieldedBM25, group: Group, *, is_bound: bool = True) -> Scores:
        """For each document, the most that a member of `group` is worth; none is rarer than the word it stands for."""
        best = np.zeros(ranking.corpus_size, np.float32)
        for term, weight in group.members.items():
            documents, worths = ranking.postings(term)
            rarity = ranking.idf.get(term, 0.0)
            factor = np.float32(weight * (min(rarity, group.rarity) if is_bound else rarity))
            best[documents] = np.maximum(best[documents], worths * factor)
        return best

    def _named(self, group: Group) -> Scores:
        best = np.zeros(len(self._name_lengths), np.float32)
        for term, weight in group.members.items():
            documents, _ = self._names.postings(term)
            best[documents] = np.maximum(best[documents], np.float32(weight))
        return best


def _parts(tool: Fields) -> tuple[list[str], ...]:
    return (tool.name, tool.server, tool.title, tool.first_sentence, tool.rest, tool.parameters)
