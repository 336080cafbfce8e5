"""Values of env and headers, which nobody is shown; references to secrets, which everybody may see."""

import json
from typing import Any

import pytest
from hypothesis import given

from switchboard_tray.admin.views import redacted, server_view
from switchboard_tray.redact import REDACTED
from tests.config.documents import Document, valid_documents
from tests.profiles.samples import config_of

SECRET = "hunter2"


def with_secrets(value: Any) -> Any:
    """A document with every value of env and headers replaced by a secret."""
    if isinstance(value, dict):
        return {
            key: dict.fromkeys(item, SECRET) if key in ("env", "headers") else with_secrets(item)
            for key, item in value.items()
        }
    return [with_secrets(item) for item in value] if isinstance(value, list) else value


@given(valid_documents())
def test_no_value_of_env_or_headers_is_ever_shown(document: Document) -> None:
    config = config_of(servers={"a": None})
    secret = with_secrets(document)

    shown = redacted(secret)

    assert SECRET not in json.dumps(shown)
    assert shown == json.loads(json.dumps(secret).replace(SECRET, REDACTED))
    for entry in secret["servers"].values():
        view = server_view(config.servers["a"], {"servers": {"a": entry}}, None, None)
        assert SECRET not in json.dumps(view)


def test_a_profiles_own_account_is_redacted_too() -> None:
    account = {"env": {"TOKEN": SECRET}, "headers": {"Authorization": f"Bearer {SECRET}"}}

    shown = redacted({"profiles": {"work": {"accounts": {"github": account}}}})

    hidden = {"env": {"TOKEN": REDACTED}, "headers": {"Authorization": REDACTED}}
    assert shown == {"profiles": {"work": {"accounts": {"github": hidden}}}}


@pytest.mark.parametrize("reference", ["${secret:github}", "${env:GITHUB_TOKEN}"])
def test_a_reference_to_a_secret_is_shown(reference: str) -> None:
    assert redacted({"env": {"A": reference}, "headers": {"B": reference}}) == {
        "env": {"A": reference},
        "headers": {"B": reference},
    }


@pytest.mark.parametrize(
    "value",
    [
        SECRET,
        "",
        f"${{secret:a}}{SECRET}",
        f"Bearer {SECRET} ${{secret:a}}",
        f"$${{secret:{SECRET}}}",
        f"${{{SECRET}}}",
        f"${{secret:a}}\n{SECRET}",
        "${secret:a}\n",
        7,
        None,
        [SECRET],
        {"a": SECRET},
    ],
)
def test_a_value_that_is_more_than_a_reference_is_hidden(value: Any) -> None:
    assert redacted({"env": {"A": value}}) == {"env": {"A": REDACTED}}


@pytest.mark.parametrize("values", [SECRET, [f"TOKEN={SECRET}"], None, 7])
def test_env_and_headers_of_another_form_are_hidden_as_a_whole(values: Any) -> None:
    assert redacted({"servers": {"a": {"env": values, "headers": values}}}) == {
        "servers": {"a": {"env": REDACTED, "headers": REDACTED}}
    }


def test_servers_and_profiles_may_be_called_env_and_headers() -> None:
    document = {
        "servers": {"env": {"command": "npx", "env": {"A": SECRET}}},
        "profiles": {"headers": {"servers": ["env"], "accounts": {"env": {"env": {"A": SECRET}}}}},
    }

    assert redacted(document) == json.loads(json.dumps(document).replace(SECRET, REDACTED))


def test_a_document_is_shown_without_being_changed() -> None:
    document = {"servers": {"a": {"command": "npx", "args": ["-y", {"env": {"A": SECRET}}], "env": {"A": SECRET}}}}
    before = json.dumps(document)

    shown = redacted(document)

    assert SECRET not in json.dumps(shown)
    assert json.dumps(document) == before
