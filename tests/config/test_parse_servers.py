"""Servers and settings: what a valid document means, and what each fault says."""

from typing import Any

import pytest

from switchboard_tray.config.model import Config, ServerConfig, Settings
from switchboard_tray.config.parse import parse_config


def config_of(document: dict[str, Any]) -> Config:
    parsed = parse_config(document)
    assert parsed.problems == ()
    assert parsed.config is not None
    return parsed.config


def server_of(**spec: Any) -> ServerConfig:
    return config_of({"servers": {"it": spec}}).servers["it"]


def faults(document: object) -> list[tuple[str, str, str]]:
    parsed = parse_config(document)
    assert (parsed.config is None) == bool(parsed.problems)
    return [(problem.pointer, problem.message, problem.hint) for problem in parsed.problems]


def server_fault(key: str, value: Any, **rest: Any) -> tuple[str, str]:
    """What is wrong with one key of a server that is right otherwise: message and hint."""
    base = {} if key in ("url", "builtin") else {"command": "npx"}
    [(pointer, message, hint)] = faults({"servers": {"it": {**base, **rest, key: value}}})
    assert pointer == f"/servers/it/{key}"
    return message, hint


def warnings(document: object) -> list[tuple[str, str, str]]:
    return [(problem.pointer, problem.message, problem.hint) for problem in parse_config(document).warnings]


def test_an_empty_document_is_a_config_of_nothing() -> None:
    assert config_of({}) == Config()


def test_a_whole_server_is_read() -> None:
    server = server_of(
        command="npx", args=["-y", "x"], env={"TOKEN": "${secret:t}"}, cwd="~/x", enabled=False, description="Issues.",
        idleTimeoutSec=0, callTimeoutSec=0.5, startTimeoutSec=30, isolation="profile", maxConcurrent=3.0,
        toolChanges="block",
    )  # fmt: skip

    assert server == ServerConfig(
        "it", command="npx", args=("-y", "x"), env={"TOKEN": "${secret:t}"}, cwd="~/x", enabled=False,
        description="Issues.", idle_timeout_s=0.0, call_timeout_s=0.5, start_timeout_s=30.0, isolation="profile",
        max_concurrent=3, tool_changes="block",
    )  # fmt: skip
    assert isinstance(server.max_concurrent, int)


def test_what_a_server_does_not_say_has_the_defaults() -> None:
    assert server_of(builtin="demo") == ServerConfig("it", builtin="demo")
    assert server_of(command="x", maxConcurrent=None).max_concurrent is None


@pytest.mark.parametrize(
    ("keys", "transport"),
    [
        ({}, "http"),
        ({"transport": "http"}, "http"),
        ({"transport": "streamable-http"}, "http"),
        ({"type": "streamableHttp"}, "http"),
        ({"type": "streamable_http"}, "http"),
        ({"type": "remote"}, "http"),
        ({"type": "sse"}, "sse"),
        ({"type": "remote", "transport": "http"}, "http"),
    ],
)
def test_a_remote_transport_is_read_in_the_spellings_of_other_clients(keys: dict[str, str], transport: str) -> None:
    assert server_of(url="https://x.example/mcp", **keys).transport == transport


@pytest.mark.parametrize("keys", [{}, {"type": "stdio"}, {"transport": "stdio"}, {"type": "local"}])
def test_a_command_is_spoken_to_over_stdio(keys: dict[str, str]) -> None:
    assert server_of(command="npx", **keys).transport == "stdio"


@pytest.mark.parametrize(
    ("keys", "is_enabled"),
    [
        ({}, True),
        ({"disabled": True}, False),
        ({"disabled": False}, True),
        ({"disabled": True, "enabled": False}, False),
    ],
)
def test_disabled_is_another_spelling_of_enabled(keys: dict[str, bool], is_enabled: bool) -> None:
    assert server_of(command="npx", **keys).enabled is is_enabled


@pytest.mark.parametrize(
    ("keys", "found"),
    [
        ({}, "found none of them"),
        ({"command": "x", "url": "https://x"}, "found command and url"),
        ({"command": "x", "url": "https://x", "builtin": "demo"}, "found command and url and builtin"),
    ],
)
def test_a_server_has_exactly_one_way_to_be_reached(keys: dict[str, str], found: str) -> None:
    expected = f"{found}, expected exactly one of command, url and builtin"

    assert faults({"servers": {"it": keys}}) == [("/servers/it", expected, "")]


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        ("command", 7, "found a number, expected text that is not empty", "Put it in quotes."),
        ("command", "", "found empty text, expected text that is not empty", ""),
        ("command", ["npx"], "found a list, expected text that is not empty", ""),
        ("command", "a\0b", "found text with a character that has no place here, expected text that is not empty", ""),
        ("args", "-y", "found text, expected a list", "Put it in [ ]."),
        ("args", {}, "found an object, expected a list", ""),
        ("env", [], "found a list, expected an object", ""),
        ("cwd", None, "found null, expected text that is not empty", ""),
        ("url", "linear.app", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", "ftp://x", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", "https://", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", "https://x:99999", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", "http://[", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", " https://x", "found text that is no such address, expected http:// or https:// with a host", ""),
        ("url", 7, "found a number, expected text", "Put it in quotes."),
        (
            "url",
            "https://${HOST}",
            "a ${ here starts no reference",
            "Write ${env:NAME} or ${secret:NAME}, and $${ for a literal ${.",
        ),
        ("builtin", "dem", 'found "dem", expected "demo"', "Did you mean demo?"),
        ("enabled", 1, "found a number, expected true or false", ""),
        ("enabled", "yes", "found text, expected true or false", ""),
        ("idleTimeoutSec", True, "found true, expected a number from 0 to 31536000", ""),
        ("idleTimeoutSec", -1, "found -1, expected a number from 0 to 31536000", ""),
        ("idleTimeoutSec", float("nan"), "found nan, expected a number from 0 to 31536000", ""),
        pytest.param(
            "maxConcurrent", 10**5000, "found a huge number, expected a whole number from 1 to 1000", "", id="huge"
        ),
        ("callTimeoutSec", 0, "found 0, expected a number above 0, at most 86400", ""),
        ("callTimeoutSec", "9", "found text, expected a number above 0, at most 86400", "Take it out of its quotes."),
        ("maxConcurrent", 1.5, "found 1.5, expected a whole number from 1 to 1000", ""),
        ("isolation", "shred", 'found "shred", expected "shared", "profile" or "client"', "Did you mean shared?"),
        ("isolation", 3, 'found a number, expected "shared", "profile" or "client"', ""),
        ("isolation", "x" * 99, f'found "{"x" * 40}...", expected "shared", "profile" or "client"', ""),
        ("type", "websocket", 'found "websocket", expected "stdio", "http" or "sse"', ""),
        ("type", "sse", "found sse without a url, expected stdio", ""),
        ("description", "\ud800", "found half of a surrogate pair in the text, expected whole characters", ""),
    ],
)
def test_a_faulty_value_says_what_was_found_and_what_is_expected(
    key: str, value: object, message: str, hint: str
) -> None:
    assert server_fault(key, value) == (message, hint)


def test_a_url_cannot_be_spoken_to_over_stdio() -> None:
    [(pointer, message, _)] = faults({"servers": {"it": {"url": "https://x", "transport": "stdio"}}})

    assert (pointer, message) == ("/servers/it/transport", "found stdio beside a url, expected http or sse")


def test_spellings_of_one_thing_must_agree() -> None:
    document = {
        "servers": {
            "a": {"url": "https://x", "type": "sse", "transport": "http"},
            "b": {"command": "x", "enabled": True, "disabled": True},
            "c": {"url": "https://x", "type": "sse", "transport": "htp"},
        }
    }

    assert faults(document) == [
        ("/servers/c/transport", 'found "htp", expected "stdio", "http" or "sse"', "Did you mean http?"),
        ("/servers/a/type", '"type" and "transport" contradict each other', "Keep one of them."),
        ("/servers/b/disabled", '"enabled" and "disabled" contradict each other', "Keep one of them."),
    ]


@pytest.mark.parametrize("url", ["${env:URL}", "https://${env:HOST}:80/${secret:x}", "HTTPS://x", "http://[::1]:1/"])
def test_a_url_may_hold_references(url: str) -> None:
    assert server_of(url=url).url == url


def test_env_and_headers_hold_text_and_errors_never_repeat_it() -> None:
    document = {
        "servers": {
            "a": {
                "command": "x",
                "env": {"PORT": 8123, "ON": True, "OK": "x", "K=hunter2": "x", "Y": "hunter2 ${", "NUL": "hunter2\0"},
            },
            "b": {"url": "https://x", "headers": {"X-A": "hunter2\r\nX-B: 1", "no colon:": "hunter2", "N": None}},
        }
    }
    found = faults(document)

    assert found[:5] == [
        ("/servers/a/env/PORT", "found a number, expected text", "Put it in quotes."),
        ("/servers/a/env/ON", "found true, expected text", "Put it in quotes."),
        ("/servers/a/env", "found text with a character that has no place here, expected the name of a variable", ""),
        (
            "/servers/a/env/Y",
            "a ${ here starts no reference",
            "Write ${env:NAME} or ${secret:NAME}, and $${ for a literal ${.",
        ),
        ("/servers/a/env/NUL", "found text with a character that has no place here, expected text", ""),
    ]
    assert [pointer for pointer, _, _ in found[5:]] == [
        "/servers/b/headers/X-A",
        "/servers/b/headers",
        "/servers/b/headers/N",
    ]
    assert "hunter2" not in str(found)


def test_headers_are_unique_in_any_letter_case_and_variables_are_not() -> None:
    document = {
        "servers": {
            "a": {"url": "https://x", "headers": {"X-Team": "1", "x-team": "2"}},
            "b": {"command": "x", "env": {"http_proxy": "1", "HTTP_PROXY": "2"}},
        }
    }

    assert faults(document) == [("/servers/a/headers/x-team", '"X-Team" and "x-team" differ only in letter case', "")]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("", "expected a server name"),
        ("-a", "expected a server name"),
        ("a__b", "expected a server name"),
        ("a.b", "expected a server name"),
        ("a" * 33, "expected a server name"),
        ("a\n", "expected a server name"),
        ("Script", 'the name "Script" is reserved'),
        ("catalog", 'the name "catalog" is reserved'),
    ],
)
def test_a_bad_server_name_is_refused(name: str, message: str) -> None:
    [(pointer, found, _)] = faults({"servers": {name: {"command": "x"}}})

    assert pointer == f"/servers/{name}"
    assert message in found


def test_names_are_unique_in_any_letter_case() -> None:
    document = {"servers": {"GitHub": {"command": "x"}, "github": {"command": "y"}}, "profiles": {"a": {}, "A": {}}}

    assert faults(document) == [
        ("/servers/github", '"GitHub" and "github" differ only in letter case', ""),
        ("/profiles/A", '"a" and "A" differ only in letter case', ""),
    ]


def test_keys_without_effect_are_pointed_out() -> None:
    document = {
        "servers": {
            "a": {"command": "x", "headers": {}},
            "b": {"url": "https://x", "env": {}},
            "c": {"builtin": "demo", "args": []},
        }
    }

    assert [found for found in warnings(document) if "effect" in found[1]] == [
        ("/servers/a/headers", "has no effect beside command", ""),
        ("/servers/b/env", "has no effect beside url", ""),
        ("/servers/c/args", "has no effect beside builtin", ""),
    ]


def test_settings_are_read() -> None:
    document = {
        "settings": {
            "port": 80.0, "surface": "flat", "autoThreshold": 500, "autoAbove": "apps", "maxRequestMb": 1,
            "audit": {"days": 0, "maxMb": 5, "bodies": True}, "logLevel": "warn", "autostart": True, "theme": "dark",
            "notifications": False, "shortcuts": False,
        }
    }  # fmt: skip
    settings = config_of(document).settings

    assert (settings.port, settings.surface, settings.log_level) == (80, "passthrough", "warning")
    assert (settings.audit.days, settings.audit.max_mb, settings.audit.bodies) == (0, 5, True)
    assert (settings.autostart, settings.theme, settings.notifications, settings.shortcuts) == (
        True,
        "dark",
        False,
        False,
    )
    assert config_of({"settings": {}}).settings == Settings()


@pytest.mark.parametrize("port", [0, 65_536, "7923", True, None, 1.5])
def test_a_port_is_a_whole_number_in_range(port: object) -> None:
    [(pointer, message, _)] = faults({"settings": {"port": port}})

    assert pointer == "/settings/port"
    assert message.endswith("expected a whole number from 1 to 65535")


@pytest.mark.parametrize("document", [None, [], "text", 1, True])
def test_a_document_is_an_object(document: object) -> None:
    [(pointer, message, _)] = faults(document)

    assert pointer == ""
    assert message.endswith("expected an object")


@pytest.mark.parametrize("section", ["servers", "profiles", "settings"])
def test_a_section_is_an_object(section: str) -> None:
    assert faults({section: []}) == [(f"/{section}", "found a list, expected an object", "")]


def test_all_problems_are_found_at_once() -> None:
    document = {
        "servers": {"a": {"command": 1, "args": 2}, "b": [], "c-d": {"url": "x", "env": {"A": 1}}},
        "profiles": {"p": {"surface": 1, "servers": ["x"]}, "q": 7},
        "defaultProfile": "r",
        "settings": {"port": 0, "audit": {"days": -1}},
    }

    assert [pointer for pointer, _, _ in faults(document)] == [
        "/servers/a/command",
        "/servers/a/args",
        "/servers/b",
        "/servers/c-d/url",
        "/servers/c-d/env/A",
        "/profiles/p/surface",
        "/profiles/p/servers/0",
        "/profiles/q",
        "/defaultProfile",
        "/settings/port",
        "/settings/audit/days",
    ]


def test_unknown_keys_are_warned_about_with_the_nearest_known_one() -> None:
    document = {
        "server": {},
        "servers": {"a": {"command": "x", "enviroment": {}, "zzz": 1}},
        "settings": {"audit": {"day": 1}, "a/b": 1},
    }

    assert [found for found in warnings(document) if found[1].startswith("unknown")] == [
        ("/server", 'unknown key "server"', "Did you mean servers?"),
        ("/servers/a/enviroment", 'unknown key "enviroment"', "Did you mean env?"),
        ("/servers/a/zzz", 'unknown key "zzz"', ""),
        ("/settings/audit/day", 'unknown key "day"', "Did you mean days?"),
        ("/settings/a~1b", 'unknown key "a/b"', ""),
    ]


def test_a_newer_version_is_read_and_told() -> None:
    parsed = parse_config({"version": 2, "servers": {"a": {"command": "x"}}})

    assert parsed.is_newer
    assert parsed.config is not None
    assert [problem.pointer for problem in parsed.warnings] == ["/version"]


@pytest.mark.parametrize("version", [1, 1.0])
def test_the_current_version_is_no_matter_for_words(version: object) -> None:
    parsed = parse_config({"version": version})

    assert (parsed.problems, parsed.warnings, parsed.is_newer) == ((), (), False)


@pytest.mark.parametrize("version", [0, -1, True, "1", None, 1.5])
def test_what_is_no_version_is_refused(version: object) -> None:
    assert [pointer for pointer, _, _ in faults({"version": version})] == ["/version"]
