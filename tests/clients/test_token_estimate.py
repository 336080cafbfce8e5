"""Estimates of tokens beside what two real tokenizers count, over the catalogue of real tools."""

import pytest

from build.bench.tokens import Catalogue, columns, count_tokens, definitions, errors, signatures
from tests.clients.programs import Npm

pytestmark = [pytest.mark.clients, pytest.mark.timeout(600)]


@pytest.mark.parametrize("form", ["definitions", "signatures"])
def test_estimates_are_within_5_percent_on_average_whichever_tokenizer_counts(
    npm: Npm, catalogue: Catalogue, form: str
) -> None:
    texts = definitions(catalogue) if form == "definitions" else signatures(catalogue)
    o200k, cl100k, _ = columns(count_tokens(npm.node, [text for of_server in texts.values() for text in of_server]))

    assert errors(texts, o200k).mean < 0.05
    assert errors(texts, cl100k).mean < 0.05


def test_no_server_is_estimated_15_percent_off_the_mean_of_the_tokenizers(npm: Npm, catalogue: Catalogue) -> None:
    texts = definitions(catalogue)
    _, _, mean = columns(count_tokens(npm.node, [text for of_server in texts.values() for text in of_server]))

    found = errors(texts, mean)

    assert found.servers[found.worst] < 0.15, found.worst
