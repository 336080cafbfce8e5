"""Text as terms: how names and sentences are cut up, and which other terms a term of a query may mean. Pure.

Knows no tools and no weights of fields; `index` asks it for both sides, so that they agree.
"""

import re
import unicodedata

_WORD = re.compile(r"[^\W_]+")
_ASCII_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
# "s3", "k8s", "oauth2": known as a whole too.
_CODE = re.compile(r"(?=.{2,6}\Z)(?:[A-Za-z]+\d+|\d+[A-Za-z]+|[A-Za-z]\d+[A-Za-z])\Z")
_ACCENT = re.compile("[\u0300-\u036f]")
# Scripts without spaces between words: kana, Han, Hangul, Thai to Khmer.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\U00020000-\U0003ffff]+")
# Longest first. What is left has at least four letters.
_ENDINGS = (
    "izations ization ations ation itions ition ements ement ments ment ingly ings ings ing ions ion ators ator "
    "ants ant ances ance ences ence ities ity ively ive ally als al ers er ors or ies ied ed es ly e y s"
).split()
_SIBILANTS = ("s", "x", "z", "ch", "sh")
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "indices": "index",
    "matrices": "matrix",
    "vertices": "vertex",
    "analyses": "analysis",
    "series": "series",
    "news": "news",
    "aws": "aws",
    "dns": "dns",
    "https": "http",
    "css": "css",
    "sms": "sms",
    "kubernetes": "kubernete",
    "men": "man",
    "women": "woman",
}


def find_words(text: str) -> list[str]:
    """The runs of letters and digits in `text`, in order and as written."""
    return _WORD.findall(text)


def split_word(word: str) -> list[str]:
    """Parts of one run of letters and digits, in lower case: ``maxHTTPRetries2`` -> max, http, retries, 2.

    Of a short code the whole as well: ``s3`` -> s, 3, s3.
    """
    if not word.isascii():
        return _parts_of_any_script(word)
    parts = [part.lower() for part in _ASCII_PART.findall(word)]
    return [*parts, word.lower()] if _CODE.match(word) else parts


def split(text: str) -> list[str]:
    """All parts of all words of `text`, in lower case."""
    return [part for word in find_words(text) for part in split_word(word)]


def stem(part: str) -> str:
    """The form that `part` has in an index: plurals only, since those who ask tell "list" and "listing" apart."""
    if len(part) < 4 or not part.isascii():
        return _IRREGULAR.get(part, part)
    known = _IRREGULAR.get(part)
    if known is not None:
        return known
    if part.endswith("ies"):
        return part[:-3] + "y"
    if part.endswith("es") and part[:-2].endswith(_SIBILANTS):
        return part[:-2]
    if part.endswith("s") and not part.endswith(("ss", "us", "is")):
        return part[:-1]
    if part.endswith("ie"):
        return part[:-2] + "y"
    if part.endswith("e") and part[:-1].endswith(_SIBILANTS):
        return part[:-1]
    return part


def rough_stem(term: str) -> str:
    """What `term` has in common with its other forms: create, created, creating, creation, creator -> ``creat``."""
    for ending in _ENDINGS:
        rest = term[: -len(ending)]
        if len(rest) >= 4 and term.endswith(ending):
            return rest[:-1] if rest[-1] == rest[-2] else rest
    return term


def joined(text: str) -> str:
    """`text` without case and without all that separates words, for names in any spelling."""
    return "".join(find_words(text)).casefold()


def _parts_of_any_script(word: str) -> list[str]:
    # "é" as one character or as two, full width or not: one spelling of each.
    plain = unicodedata.normalize("NFKC", _ACCENT.sub("", unicodedata.normalize("NFKD", word)))
    parts: list[str] = []
    at = 0
    for run in _UNSPACED.finditer(plain):
        parts += _cased_parts(plain[at : run.start()])
        parts += _pairs(run.group())
        at = run.end()
    return parts + _cased_parts(plain[at:])


def _cased_parts(text: str) -> list[str]:
    parts: list[str] = []
    before = ""
    for char in text:
        kind = "digit" if char.isdigit() else "upper" if char.isupper() else "other"
        # Marks that are no letters by themselves, as in Devanagari, stay with the letter before them.
        if before and (kind == before or (kind == "other" and before == "upper")):
            parts[-1] += char
        else:
            parts.append(char)
        before = kind
    return [part.lower() for part in parts]


def _pairs(run: str) -> list[str]:
    """Overlapping pairs of characters, which stand for words where nothing separates these."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]
