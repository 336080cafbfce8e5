"""Looking up by name in any letter case."""

from switchboard_tray.config.model import Config, Profile, ServerConfig

CONFIG = Config(servers={"GitHub": ServerConfig("GitHub")}, profiles={"Work": Profile("Work")})


def test_names_are_found_in_any_letter_case() -> None:
    assert CONFIG.server("github") is CONFIG.servers["GitHub"]
    assert CONFIG.server("GitHub") is CONFIG.servers["GitHub"]
    assert CONFIG.profile("WORK") is CONFIG.profiles["Work"]


def test_an_unknown_name_is_none() -> None:
    assert CONFIG.server("gitlab") is None
    assert CONFIG.profile("home") is None
