"""How estimates of tokens behave; how close they come is seen in tests/clients/test_token_estimate.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard_tray.surfaces.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "counted"),
    [
        # As gpt-tokenizer counts them: o200k, cl100k.
        ('{"name":"create_issue","description":"Create a new issue in a GitHub repository."}', (19, 18)),
        ("The quick brown fox jumps over the lazy dog, and then it sleeps until the morning comes again.", (20, 20)),
        ("github.get_me(): Promise<unknown>", (8, 8)),
        ("查询天气预报返回未来三天的气温", (11, 16)),
    ],
)
def test_estimate_is_within_a_third_of_what_tokenizers_count_for_a_single_line(
    text: str, counted: tuple[int, int]
) -> None:
    assert min(counted) * 2 / 3 <= estimate_tokens(text) <= max(counted) * 4 / 3


def test_no_text_has_no_tokens_and_any_text_has_one_at_least() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens("a") == 1


@given(st.text(st.characters()))
def test_estimate_is_never_more_than_five_tokens_a_character(text: str) -> None:
    assert (text != "") <= estimate_tokens(text) <= 5 * len(text)


@given(st.text(min_size=20), st.text(min_size=20))
def test_two_texts_together_cost_about_what_they_cost_alone(one: str, other: str) -> None:
    apart = estimate_tokens(one) + estimate_tokens(other)

    assert abs(estimate_tokens(one + other) - apart) <= 4
