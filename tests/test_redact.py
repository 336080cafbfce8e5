"""Known secrets are taken out of text, however a program spelled them (docs/security.md)."""

import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.redact import REDACTED, SHORTEST_CHARS, redact, spellings

values = st.text(st.characters(exclude_categories=()), min_size=SHORTEST_CHARS, max_size=40)
# Random text seldom holds a secret by accident, and then a test would say nothing.
around = st.text(st.sampled_from("•_"), max_size=5)


@given(values, around, around)
def test_value_is_found_however_it_is_spelled(value: str, before: str, after: str) -> None:
    quoted = json.dumps(value, ensure_ascii=False)[1:-1]
    urls = [quote(value, safe=safe, errors="surrogatepass") for safe in ("", "/")]
    for spelled in (value, json.dumps(value)[1:-1], quoted, json.dumps(value)[1:-1].replace("/", "\\/"), *urls):
        shown = redact(before + spelled + after, spellings([value]))
        assert value in (REDACTED * 2) or shown == before + REDACTED + after


@given(st.lists(values, max_size=3), st.text())
def test_text_without_secrets_stays_as_it_is(secrets: list[str], text: str) -> None:
    spelled = spellings(secrets)

    assert redact(text, spelled) == text or any(one in text for one in spelled)


def test_longer_value_goes_first_so_that_nothing_of_it_is_left() -> None:
    assert redact("key=abcdefgh", spellings(["abcdef", "abcdefgh"])) == f"key={REDACTED}"


def test_lines_of_a_key_file_are_found_one_by_one() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", "MIIEvQIBADANBgkqhkiG9w0BAQ", "short", ""]
    spelled = spellings(["\n".join(lines)])

    assert redact(f"  {lines[1]} read", spelled) == f"  {REDACTED} read"
    assert redact("short", spelled) == "short"


@pytest.mark.parametrize("value", ["", "a", "x" * (SHORTEST_CHARS - 1)])
def test_value_that_is_too_short_to_be_told_from_text_is_let_pass(value: str) -> None:
    assert spellings([value]) == ()


def test_nothing_is_hidden_where_nothing_is_secret() -> None:
    assert redact("some text", spellings([])) == "some text"
