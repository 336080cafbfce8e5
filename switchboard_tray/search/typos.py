"""Words nobody wrote, and the words that may have been meant. Pure.

Cheap enough for a vocabulary of 20,000 words at every query: letters are compared as bits before spelling is.
"""

from collections.abc import Iterable, Mapping

LONGEST = 32


def by_first_letter(vocabulary: Iterable[str]) -> Mapping[str, tuple[tuple[str, int], ...]]:
    """The words of `vocabulary` that a typo can stand for, by first letter, each with its letters as bits."""
    groups: dict[str, list[tuple[str, int]]] = {}
    for word in vocabulary:
        if 3 <= len(word) <= LONGEST and not word.isdigit():
            groups.setdefault(word[0], []).append((word, _letters(word)))
    return {letter: tuple(words) for letter, words in groups.items()}


def candidates(word: str, groups: Mapping[str, tuple[tuple[str, int], ...]]) -> list[str]:
    """Words one slip away from `word`, or two when it is long; only the nearest, sorted.

    A slip is a letter too many, too few, another, or two swapped. The first letter is right, or swapped with the next.
    """
    if not 4 <= len(word) <= LONGEST or word.isdigit():
        return []
    allowed = 2 if len(word) >= 8 else 1
    letters = _letters(word)
    found: dict[int, list[str]] = {}
    for first in dict.fromkeys(word[:2]):
        for other, bits in groups.get(first, ()):
            if abs(len(other) - len(word)) > allowed or (letters ^ bits).bit_count() > 2 * allowed:
                continue
            if first != word[0] and other[:2] != word[1::-1]:
                continue
            slips = _distance(word, other)
            if slips <= allowed:
                found.setdefault(slips, []).append(other)
    return sorted(found[min(found)]) if found else []


def _letters(word: str) -> int:
    bits = 0
    for char in word:
        bits |= 1 << (ord(char) & 31)
    return bits


def _distance(one: str, other: str) -> int:
    """Slips between two words: optimal string alignment."""
    older: list[int] = []
    old = list(range(len(other) + 1))
    for row, char in enumerate(one, 1):
        new = [row]
        for column, against in enumerate(other, 1):
            best = min(old[column] + 1, new[-1] + 1, old[column - 1] + (char != against))
            if row > 1 and column > 1 and char == other[column - 2] and one[row - 2] == against:
                best = min(best, older[column - 2] + 1)
            new.append(best)
        older, old = old, new
    return old[-1]
