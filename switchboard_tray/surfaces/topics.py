"""What the tools of a server deal with, read off their names: for a server that says nothing of itself. Pure."""

from collections import Counter
from collections.abc import Iterable, Iterator

from switchboard_tray.search.words import split, stem

WORDS = 2
"""A topic has so many words at most: merge request, but not merge request approval state."""
_ACTS = frozenset(
    "accept add all analyze append apply approve archive as assign attach batch bulk by cancel change check clear "
    "clone close complete configure connect convert copy count create deactivate delete deploy describe disable "
    "download duplicate edit enable execute export fetch filter find for from generate get give import in insert "
    "install invite is launch link list load lookup make manage mark merge modify move of on open patch pause ping "
    "post preview publish pull push put query read refresh register reject remove rename replace reply reset resolve "
    "restart restore resume retrieve revoke run save schedule search select send set share show start stop submit "
    "subscribe sync tag test the to toggle transfer trigger unarchive unassign unlink unsubscribe update upload "
    "upsert use validate verify view wait with write".split()
)


def find_topics(server: str, tool_names: Iterable[str]) -> list[str]:
    """The things named in the names of tools, those that are named most first.

    Words of the server's own name and of acts (get, list, create) say nothing and are left out.
    """
    own = {stem(part) for part in split(server)}
    counts: Counter[tuple[str, ...]] = Counter()
    spelled: dict[tuple[str, ...], str] = {}
    for name in tool_names:
        words = {stem(word): word for word in _things(split(name)) if stem(word) not in own}
        topic = tuple(words)[:WORDS]
        if topic:
            counts[topic] += 1
            spelled.setdefault(topic, " ".join(tuple(words.values())[:WORDS]))
    return [spelled[topic] for topic, _ in counts.most_common()]


def _things(words: list[str]) -> Iterator[str]:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        # "Merge" is an act and a merge request is a thing.
        is_request = word in ("pull", "merge") and following.startswith("request")
        if is_request or not (stem(word) in _ACTS or word.isdigit() or len(word) == 1):
            yield word
