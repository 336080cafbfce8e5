"""A secret goes to the server it is for, and nowhere else: no log, answer, audit or error has it (docs/security.md)."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import pytest

from switchboard_tray.paths import find_paths
from switchboard_tray.stores.secrets import SecretStore
from tests.fixtures.clients import connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.servers import ScriptedServer, Servers, error, say, text, tool
from tests.fixtures.waiting import eventually

SECRET = 'sk-0123/456"789'
"""With signs that JSON and URLs spell in their own way."""
SPELLINGS = (SECRET, json.dumps(SECRET)[1:-1], json.dumps(SECRET)[1:-1].replace("/", "\\/"), quote(SECRET, safe=""))
TOKEN = "another-0123456789"
"""In the clear in the config, under a key that says what it is."""
REPEATS = [word for secret in (*SPELLINGS, TOKEN) for word in (f"using key {secret}\n", f"GET /?key={secret}&x=1\n")]


@pytest.fixture
def server(servers: Servers) -> ScriptedServer:
    """A server that repeats its secrets wherever it can."""
    quoted = json.dumps(" ".join(REPEATS))
    return servers.make(
        tools=[tool(name) for name in ("environment", "error", "crash", "silent")],
        start=[["stderr", "".join(REPEATS)], *(say(word.strip()) for word in REPEATS)],
        calls={
            "environment": [["environment"]],
            "error": [error(f'{{"code":-5,"message":{quoted}}}')],
            # In two pieces, so that no piece holds it whole.
            "crash": [["stderr", SECRET[:7]], ["pause", 0.05], ["stderr", SECRET[7:] + TOKEN[:-1]], ["exit", 3]],
            "silent": [["until", "never"]],
        },
    )


def keep_secret(home: Path) -> None:
    SecretStore(find_paths({"SWITCHBOARD_HOME": str(home)}).secrets).set("api", SECRET)


def entry(server: ScriptedServer, **keys: object) -> dict[str, object]:
    """The server with one secret in its environment, one in its arguments, and one in the clear."""
    env = {"KEY": "${secret:api}", "MY_TOKEN": TOKEN, "PLAIN": "shown"}
    return {**server.entry(env=env, callTimeoutSec=0.3, **keys)}


def found_in(data: bytes) -> list[str]:
    """The spellings of secrets in `data`; most of one counts too."""
    return [secret for secret in (*SPELLINGS, TOKEN) if secret[:-1].encode() in data]


def files_with_secrets(folder: Path) -> dict[str, list[str]]:
    """What is found in which files."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): found for path in files if (found := found_in(path.read_bytes()))}


async def test_secret_reaches_its_server_and_stands_in_no_file_answer_or_error(
    home: Path, server: ScriptedServer
) -> None:
    keep_secret(home)
    audit = {"audit": {"bodies": True}, "logLevel": "debug"}
    async with running_gateway(home, config_of({"one": entry(server)}, settings=audit)) as gateway:
        client = await connected(gateway)
        told = json.loads(await client.text("one__environment", json.dumps({"mine": SECRET})))
        outcomes = [(await client.call(f"one__{name}")).body for name in ("crash", "silent")]
        await client.call("one__error")
        server.change(list=[error(f'{{"code":-5,"message":{json.dumps(SECRET)}}}')])
        outcomes.append((await gateway.api("POST", "/servers/one/refresh")).body)
        server.change(start=[["stderr", SECRET], ["exit", 1]])
        outcomes.append((await gateway.api("POST", "/servers/one/restart")).body)
        outcomes += [await everything_it_says(gateway)]
        await gateway.stop()
        kept = bodies(gateway)

    assert (told["env"]["KEY"], told["env"]["MY_TOKEN"]) == (SECRET, TOKEN)
    assert [found for outcome in outcomes if (found := found_in(outcome))] == []
    assert b"exited with status 3" in outcomes[0]
    in_files = files_with_secrets(home)
    assert (in_files.pop("config.json"), in_files.pop("state/secrets.json")) == ([TOKEN], [SPELLINGS[1]])
    assert {path.partition("/")[0] for path in in_files} == {"history"}
    assert all(secrets == [TOKEN] for secrets in in_files.values())
    # The whole text is there, but for what must not be.
    assert '"PLAIN\\": \\"shown' in kept["environment"] and "•••" in kept["environment"]


async def everything_it_says(gateway: RunningGateway) -> bytes:
    """All that the admin API tells without being asked for a change."""
    paths = "/status /config /servers /servers/one /servers/one/logs /profiles /tools /tools?asClient=true".split()
    return b"".join([(await gateway.api("GET", path)).body for path in paths])


def bodies(gateway: RunningGateway) -> dict[str, str]:
    """The kept arguments and results of calls, by tool."""
    with closing(sqlite3.connect(gateway.paths.audit)) as database:
        return dict(database.execute("SELECT tool, arguments || result FROM calls").fetchall())


async def test_secret_that_is_only_an_argument_of_the_command_is_kept_inside_too(
    home: Path, servers: Servers
) -> None:
    keep_secret(home)
    server = servers.make(start=[["stderr", f"started with {SECRET}\n"]])
    given = server.entry()
    entry = {**given, "args": [*given["args"], "--key", "${secret:api}"]}
    async with running_gateway(home, config_of({"one": entry})) as gateway:
        await gateway.until_listed("one")
        log = (await gateway.api("GET", "/servers/one/logs")).json()["text"]

    assert log == "started with •••\n"


async def test_changed_secret_is_used_by_the_next_process(home: Path, servers: Servers) -> None:
    keep_secret(home)
    server = servers.make(calls={"echo": [["environment"]]})
    async with running_gateway(home, config_of({"one": server.entry(env={"KEY": "${secret:api}"})})) as gateway:
        client = await connected(gateway)
        before = json.loads(await client.text("one__echo"))["env"]["KEY"]
        SecretStore(gateway.paths.secrets).set("api", "another value")
        await gateway.api("POST", "/servers/one/restart")
        after = json.loads(await client.text("one__echo"))["env"]["KEY"]

    assert (before, after) == (SECRET, "another value")


@pytest.mark.parametrize("damage", ["{", '{"api": 5}', None], ids=["no-json", "no-text", "missing"])
async def test_secret_that_cannot_be_had_fails_the_start_and_says_why(
    home: Path, servers: Servers, damage: str | None
) -> None:
    server = servers.make()
    if damage is not None:
        keep_secret(home)
        find_paths({"SWITCHBOARD_HOME": str(home)}).secrets.write_text(damage)
    async with running_gateway(home, config_of({"one": server.entry(env={"KEY": "${secret:api}"})})) as gateway:
        shown = await gateway.until_state("one", "failing")

    assert ("secrets file" if damage else "no secret is called api") in shown["lastError"]
    assert "fault of Switchboard" not in shown["lastError"] and server.starts == 0


async def test_server_sees_nothing_of_the_gateway_s_own(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["environment"]]})
    environ = {"PATH": "/usr/bin:/bin", "HOME": str(home.parent), "SWITCHBOARD_HOME": "x", "OPENAI_API_KEY": "sk-ours"}
    environ |= {"VIRTUAL_ENV": "/venv", "PYTHONPATH": "/lib", "HTTPS_PROXY": "http://proxy:3128", "LANG": "C.UTF-8"}
    async with running_gateway(home, config_of({"one": server.entry(env={"OWN": "1"})}), environ) as gateway:
        told = json.loads(await (await connected(gateway)).text("one__echo"))["env"]

    assert {name: value for name, value in told.items() if name not in ("LC_CTYPE", "PWD")} == {
        "PATH": told["PATH"],
        "HOME": str(home.parent),
        "HTTPS_PROXY": "http://proxy:3128",
        "LANG": "C.UTF-8",
        "NO_COLOR": "1",
        "SWITCHBOARD_START": told["SWITCHBOARD_START"],
        "OWN": "1",
    }


async def test_log_of_the_gateway_names_no_value(
    home: Path, servers: Servers, caplog: pytest.LogCaptureFixture
) -> None:
    keep_secret(home)
    server = servers.make(list=[error(f'{{"code":-5,"message":{json.dumps(SECRET)}}}')])
    async with running_gateway(home, config_of({"one": server.entry(env={"KEY": "${secret:api}"})})):
        await eventually(lambda: "tools not listed" in caplog.text)

    assert found_in(caplog.text.encode()) == [] and "•••" in caplog.text


async def test_words_of_a_server_are_shown_where_they_are_no_secret(home: Path, servers: Servers) -> None:
    server = servers.make(calls={"echo": [["stderr", "plain words\n"], text("done")]})
    async with running_gateway(home, config_of({"one": server.entry(env={"KEY": "short"})})) as gateway:
        await (await connected(gateway)).text("one__echo")

        assert (await gateway.api("GET", "/servers/one/logs")).json()["text"] == "plain words\n"


@pytest.mark.parametrize("value", ["half \ud83d a pair", "escaped \udcff byte"])
async def test_secret_that_is_no_text_is_no_fault_of_ours(home: Path, servers: Servers, value: str) -> None:
    SecretStore(find_paths({"SWITCHBOARD_HOME": str(home)}).secrets).set("api", value)
    async with running_gateway(home, config_of({"one": servers.make().entry(env={"KEY": "${secret:api}"})})) as gateway:
        client = await connected(gateway)
        answer = (await client.call("one__echo")).body

    assert b"fault of Switchboard" not in answer
