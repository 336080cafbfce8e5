"""The config of a first start."""

from switchboard_tray.config.first import first_document
from switchboard_tray.config.model import ServerConfig
from switchboard_tray.config.parse import parse_config


def test_a_first_start_gives_every_client_the_demo_server() -> None:
    parsed = parse_config(first_document())

    assert (parsed.problems, parsed.warnings) == ((), ())
    assert parsed.config is not None
    assert parsed.config.servers == {"demo": ServerConfig("demo", builtin="demo")}
    assert parsed.config.default_profile == "default"
    assert parsed.config.profiles["default"].servers == ("demo",)
