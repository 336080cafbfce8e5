"""Which profile a request is for: address, header, client rule, default, in this order."""

import pytest

from switchboard_tray.config.model import ClientRule, Config, Profile
from switchboard_tray.errors import NotFound
from switchboard_tray.profiles.resolve import ClientFacts, resolve_profile

PROFILES = {name: Profile(name) for name in ("Work", "home", "play")}
RULES = (
    ClientRule("cursor*", "Work"),
    ClientRule("Claude Code", "home"),
    ClientRule("codex", None),
    ClientRule("c*", "play"),
)
CONFIG = Config(profiles=PROFILES, default_profile="play", clients=RULES)
EVERYTHING = ClientFacts(url_profile="home", header_profile="work", client_id="cursor", client_name="codex")


@pytest.mark.parametrize(
    ("facts", "profile", "reason"),
    [
        (EVERYTHING, "home", "the address names it"),
        (ClientFacts(None, "WORK", "codex"), "Work", "the header X-Switchboard-Profile names it"),
        (ClientFacts(client_id="cursor-vscode", client_name="codex"), "Work", "the client rule 'cursor*' matches"),
        (ClientFacts(client_name="claude code"), "home", "the client rule 'Claude Code' matches 'claude code'"),
        (ClientFacts(client_name="codex"), None, "the client rule 'codex' matches 'codex'"),
        (ClientFacts(client_name="codex2"), "play", "the client rule 'c*' matches 'codex2'"),
        (ClientFacts(client_name="windsurf"), "play", "it is the default profile"),
        (ClientFacts(), "play", "it is the default profile"),
    ],
)
def test_the_most_explicit_wish_decides_and_is_told(facts: ClientFacts, profile: str | None, reason: str) -> None:
    resolution = resolve_profile(facts, CONFIG)

    assert resolution.profile == profile
    assert resolution.reason.startswith(reason)


def test_the_parameter_of_the_address_counts_and_not_the_name_the_client_gives() -> None:
    assert resolve_profile(ClientFacts(client_id="vim", client_name="cursor"), CONFIG).profile == "play"


def test_a_client_with_neither_rule_nor_default_waits() -> None:
    resolution = resolve_profile(ClientFacts(client_name="vim"), Config(profiles=PROFILES, clients=RULES))

    assert resolution.profile is None
    assert resolution.reason == "no client rule matches and there is no default profile"


@pytest.mark.parametrize("name", [None, "", "vim", "*", "\ud800"])
def test_a_rule_for_all_matches_every_client_even_one_without_a_name(name: str | None) -> None:
    config = Config(profiles=PROFILES, clients=(ClientRule("*", "home"),))

    assert resolve_profile(ClientFacts(client_name=name), config).profile == "home"


def test_a_client_that_calls_itself_a_pattern_matches_no_other_rule() -> None:
    assert resolve_profile(ClientFacts(client_name="*"), CONFIG).reason == "it is the default profile"


@pytest.mark.parametrize("facts", [ClientFacts(url_profile="wrok"), ClientFacts(header_profile="wrok")])
def test_an_unknown_profile_is_no_other_one(facts: ClientFacts) -> None:
    with pytest.raises(NotFound, match=r"^There is no profile 'wrok'\.$") as caught:
        resolve_profile(facts, CONFIG)

    assert caught.value.hint == "Did you mean Work?"


@pytest.mark.parametrize("name", ["", "zzz", "*"])
def test_an_unknown_profile_with_no_near_name_gets_the_command_that_lists_them(name: str) -> None:
    with pytest.raises(NotFound) as caught:
        resolve_profile(ClientFacts(url_profile=name), CONFIG)

    assert "switchboard profile list" in caught.value.hint
