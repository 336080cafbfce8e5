"""How names and sentences are cut into terms."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.search import lexicon
from switchboard_tray.search.words import find_words, joined, rough_stem, split, split_word, stem

ANY_TEXT = st.text(st.characters(codec=None), max_size=60)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("createPullRequest", ["create", "pull", "request"]),
        ("getHTTPResponse2xx", ["get", "http", "response", "2", "xx"]),
        ("create_pull-request.now", ["create", "pull", "request", "now"]),
        ("DNS_getDNSRecordsV1", ["dns", "get", "dns", "records", "v", "1"]),
        ("don't", ["don", "t"]),
        ("", []),
        ("?! \0 _", []),
    ],
)
def test_names_and_sentences_are_cut_where_words_end(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    ("word", "parts"),
    [("s3", ["s", "3", "s3"]), ("k8s", ["k", "8", "s", "k8s"]), ("36kr", ["36", "kr", "36kr"])],
)
def test_a_short_code_is_known_as_a_whole_too(word: str, parts: list[str]) -> None:
    assert split_word(word) == parts


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("天气预报", ["天气", "气预", "预报"]),
        ("火", ["火"]),
        ("get天气now", ["get", "天气", "now"]),
        ("カレンダー", ["カレ", "レン", "ンダ", "ダー"]),
        ("größeÄndern", ["große", "andern"]),
        ("cafe\u0301", ["cafe"]),
        ("ÜberHTTPStraße2", ["uber", "httpstraße", "2"]),
        ("\uff21\uff22\uff23", ["abc"]),
        ("найтиФайл", ["наити", "фаил"]),
    ],
)
def test_other_scripts_are_cut_as_well(text: str, parts: list[str]) -> None:
    assert split(text) == parts


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("issue", "issues"),
        ("repository", "repositories"),
        ("branch", "branches"),
        ("box", "boxes"),
        ("status", "statuses"),
        ("cache", "caches"),
        ("database", "databases"),
        ("movie", "movies"),
        ("address", "addresses"),
        ("person", "people"),
        ("index", "indices"),
        ("index", "indexes"),
        ("index", "index"),
    ],
)
def test_singular_and_plural_are_one_term(one: str, other: str) -> None:
    assert stem(one) == stem(other)


@pytest.mark.parametrize(
    ("one", "other"), [("list", "listing"), ("news", "new"), ("aws", "aw"), ("bus", "bu"), ("analysis", "analysi")]
)
def test_words_that_only_look_like_plurals_stay_apart(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_other_forms_of_a_word_have_a_rough_stem_in_common() -> None:
    forms = ("create", "creating", "creation", "created", "creator")

    assert {rough_stem(form) for form in forms} == {"creat"}
    assert rough_stem("stopped") == rough_stem("stop")
    assert rough_stem("red") == "red"


@pytest.mark.parametrize("text", ["create_issue", "createIssue", "CREATE-ISSUE", "Create issue"])
def test_spellings_of_one_name_are_equal_when_joined(text: str) -> None:
    assert joined(text) == "createissue"


@given(ANY_TEXT)
def test_parts_are_never_empty_and_no_more_than_the_characters_and_words(text: str) -> None:
    found = split(text)

    assert all(found)
    assert len(found) <= len(unicodedata.normalize("NFKD", text)) + len(find_words(text))


@given(st.lists(st.from_regex(r"[a-z]{2,9}", fullmatch=True), min_size=1, max_size=5))
def test_every_spelling_of_a_name_has_the_same_parts(parts: list[str]) -> None:
    camel = parts[0] + "".join(part.capitalize() for part in parts[1:])

    assert split("_".join(parts)) == split("-".join(parts)) == split(" ".join(parts)) == split(camel) == parts


def test_the_tables_name_words_in_lower_case_and_no_word_stands_for_itself() -> None:
    for short, longer in lexicon.ABBREVIATIONS.items():
        assert find_words(short) == [short] and short == short.lower()
        assert longer and short not in longer
        assert sum(" " in phrase for phrase in longer) <= 1, "a query takes the first phrase alone"
    for row in lexicon.SYNONYMS:
        assert len(set(row)) == len(row) > 1
        assert all(word.isalpha() and word == word.lower() for word in row)
    for table in (lexicon.STOP_WORDS, lexicon.CHATTER, lexicon.DESTRUCTIVE, lexicon.GENERIC_SERVER_WORDS):
        assert all(word.isalpha() and word == word.lower() for word in table)
