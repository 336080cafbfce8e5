"""The admin API over HTTP, as CLI and window use it (docs/admin-api.md)."""

import json
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import pytest_asyncio

from switchboard_tray import __version__, gateway_app
from switchboard_tray.redact import REDACTED
from tests.fixtures.clients import McpClient, connected
from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.http import Answer, fetch
from tests.fixtures.servers import ScriptedServer, Servers, error, result, tool
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.asyncio(loop_scope="module")

CALLS = {
    "wrong": [result('{"content":[],"isError":true}')],
    "broken": [error('{"code":-5,"message":"no"}')],
    "chatty": [["stderr", "first\nsecond\nthird\n"], result('{"content":[]}')],
    "crash": [["exit", 2]],
}


@pytest.fixture(scope="module")
def server(module_servers: Servers) -> ScriptedServer:
    return module_servers.make(tools=[tool(name, description=f"The {name}.") for name in ("echo", *CALLS)], calls=CALLS)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(server: ScriptedServer, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    entry = server.entry(env={"API_TOKEN": "hunter2-value", "REFERRED": "${env:MINE}"}, description="For tests.")
    document = config_of({"one": entry}, clients=[{"match": "slim", "profile": "few"}])
    document["profiles"]["few"] = {"include": ["one.echo"], "overrides": {"one.echo": {"name": "say"}}}
    environ = {"PATH": "/usr/bin:/bin", "MINE": "hunter3-value"}
    async with running_gateway(tmp_path_factory.mktemp("home"), document, environ) as running:
        await running.until_listed("one")
        yield running


def message_of(answer: Answer) -> str:
    """The sentence and the hint of an error answer."""
    shown = answer.json()["error"]
    return f"{shown['message']} {shown['hint']}"


# -- reading -----------------------------------------------------------------------------------------------------------


async def test_status_tells_what_runs_where(gateway: RunningGateway) -> None:
    answer = await gateway.api("GET", "/status")

    status = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert (status["version"], status["url"]) == (__version__, gateway.url)
    assert (status["config"]["state"], status["config"]["path"]) == ("ok", str(gateway.paths.config))
    assert (status["profiles"], status["defaultProfile"]) == (["all", "few"], "all")
    assert status["servers"]["total"] == 1 and status["uptimeSec"] > 0


async def test_server_is_shown_with_its_entry_and_its_tools(gateway: RunningGateway) -> None:
    shown = await gateway.server("ONE")

    assert (shown["name"], shown["description"], shown["tools"]) == ("one", "For tests.", 5)
    assert shown["toolNames"] == ["echo", *CALLS]
    assert [one["name"] for one in (await gateway.api("GET", "/servers")).json()] == ["one"]


async def test_profile_is_shown_with_the_tools_it_selects(gateway: RunningGateway) -> None:
    few = (await gateway.api("GET", "/profiles/FEW")).json()

    assert (few["name"], few["isDefault"], few["toolRefs"]) == ("few", False, ["one.echo"])
    assert [one["isDefault"] for one in (await gateway.api("GET", "/profiles")).json()] == [True, False]


async def test_tools_of_a_profile_are_listed_for_a_person_and_as_its_client_sees_them(gateway: RunningGateway) -> None:
    own = (await gateway.api("GET", "/tools?profile=few")).json()
    seen = (await gateway.api("GET", "/tools?profile=few&asClient=true")).json()

    assert [(one["ref"], one["wireName"], one["description"], one["server"]) for one in own] == [
        ("one.echo", "say", "The echo.", "one")
    ]
    assert [one["name"] for one in seen] == ["say"]
    assert len((await gateway.api("GET", "/tools")).json()) == 5


async def test_search_gives_tools_with_signatures_or_says_why_there_are_none(gateway: RunningGateway) -> None:
    found = (await gateway.api("GET", "/search?profile=few&query=echo")).json()
    missed = (await gateway.api("GET", "/search?profile=few&query=chatty")).json()

    assert [(one["ref"], one["wireName"], one["summary"]) for one in found["tools"]] == [
        ("one.echo", "say", "The echo.")
    ]
    assert "one.echo(" in found["tools"][0]["signature"] and found["miss"] == ""
    assert missed["tools"] == [] and missed["miss"].startswith("No match for 'chatty' among 1 tool of")


@pytest.mark.parametrize("query", ["", "query=%20", "query=x&limit=0", "query=x&limit=51", "query=x&limit=%C2%B2"])
async def test_search_without_a_query_or_with_a_wild_limit_is_refused(gateway: RunningGateway, query: str) -> None:
    assert (await gateway.api("GET", f"/search?{query}")).status == 400


async def test_why_says_what_brings_a_tool_into_a_profile_or_keeps_it_out(gateway: RunningGateway) -> None:
    there = (await gateway.api("GET", "/why?profile=few&ref=one.echo")).json()
    away = (await gateway.api("GET", "/why?profile=few&ref=one.wrong")).json()

    assert (there["isIncluded"], there["wireName"], away["isIncluded"]) == (True, "say", False)
    assert "include pattern 'one.echo'" in there["reasons"][0]
    assert away["reasons"]


async def test_secret_in_a_server_s_environment_is_in_no_answer(gateway: RunningGateway) -> None:
    paths = ("/config", "/servers", "/servers/one", "/status", "/servers/one/logs")
    bodies = [(await gateway.api("GET", path)).body for path in paths]

    assert not [body for body in bodies if b"hunter" in body]
    entry = json.loads(bodies[0])["document"]["servers"]["one"]
    assert entry["env"] == {"API_TOKEN": REDACTED, "REFERRED": "${env:MINE}"}


async def test_last_lines_of_a_server_s_stderr_are_shown(gateway: RunningGateway) -> None:
    await gateway.api("POST", "/call", {"ref": "one.chatty"})

    async def last_two() -> bool:
        return bool((await gateway.api("GET", "/servers/one/logs?lines=2")).json()["text"] == "second\nthird\n")

    await eventually(last_two)
    assert (await gateway.server("one"))["lastStderr"].endswith("third")


# -- faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/servers/onee", "Did you mean one?"),
        ("/servers/zzz", "switchboard server list"),
        ("/servers/zzz/logs", "no server 'zzz'"),
        ("/profiles/al", "Did you mean all?"),
        ("/tools?profile=zzz", "switchboard profile list"),
        ("/why?profile=zzz&ref=a.b", "no profile 'zzz'"),
        ("/why?ref=nonsense", "SERVER.TOOL"),
        ("/nothing", "nothing at"),
        ("/", "nothing at"),
    ],
)
async def test_what_does_not_exist_is_404_with_the_way_out(gateway: RunningGateway, path: str, words: str) -> None:
    answer = await gateway.api("GET", path)

    assert answer.status == 404
    assert words in message_of(answer)


@pytest.mark.parametrize("lines", ["0", "-1", "x", "1.5", "", "999999999999", "%C2%B2"])
async def test_number_of_lines_that_is_none_is_400(gateway: RunningGateway, lines: str) -> None:
    answer = await gateway.api("GET", f"/servers/one/logs?lines={lines}")

    assert answer.status == 400


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"5", b"null", b'"x"', b"[" * 100_000, b"\xff"])
async def test_body_that_is_no_json_object_is_400(gateway: RunningGateway, body: bytes) -> None:
    headers = {
        "Authorization": f"Bearer {gateway.paths.admin_token.read_text()}",
        "Content-Type": "application/json",
    }
    for method, path in (("POST", "/api/v1/call"), ("PATCH", "/api/v1/config")):
        assert (await fetch(gateway.port, method, path, headers, body)).status == 400


async def test_verb_that_a_path_does_not_have_is_405(gateway: RunningGateway) -> None:
    assert (await gateway.api("DELETE", "/status")).status == 405


# -- calling -----------------------------------------------------------------------------------------------------------


async def test_call_of_a_tool_that_the_profile_does_not_have_leaves_a_row(gateway: RunningGateway) -> None:
    await gateway.api("POST", "/call", {"ref": "one.traced", "profile": "few"})

    def rows() -> list[tuple[str, str, str]]:
        query = "SELECT profile, origin, status FROM calls WHERE tool = 'one.traced'"
        with closing(sqlite3.connect(gateway.paths.audit)) as database:
            return database.execute(query).fetchall()

    assert await eventually(rows) == [("few", "api", "refused")]


@pytest.mark.parametrize("ref", ["one.echo", "ONE.Echo", "say"])
async def test_call_by_reference_or_name_gives_the_tool_s_result(gateway: RunningGateway, ref: str) -> None:
    body = {"ref": ref, "profile": "few", "arguments": {"n": 2**70, "f": 1.0}}
    answer = await gateway.api("POST", "/call", body)

    line = answer.json()["result"]["content"][0]["text"]
    assert '"n":1180591620717411303424' in line and '"f":1.0' in line


async def test_call_that_the_tool_calls_an_error_is_a_result(gateway: RunningGateway) -> None:
    answer = await gateway.api("POST", "/call", {"ref": "one.wrong"})

    assert (answer.status, answer.json()) == (200, {"result": {"content": [], "isError": True}})


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({"ref": "one.nothing"}, 404, "no tool 'one.nothing' in profile all"),
        ({"ref": "one.wrong", "profile": "few"}, 404, "no tool 'one.wrong' in profile few"),
        ({"ref": "one.ecco"}, 404, "Did you mean one.echo"),
        ({"ref": "one.echo", "profile": "zzz"}, 404, "no profile 'zzz'"),
        ({"ref": "one.broken"}, 502, "error -5: no"),
        ({"ref": "one.crash"}, 503, "exited with status 2"),
        ({}, 400, "needs `ref`"),
        ({"ref": 5}, 400, "needs `ref`"),
        ({"ref": "one.echo", "arguments": [1]}, 400, "as an object"),
        ({"ref": "one.echo", "profile": 5}, 400, "needs"),
    ],
)
async def test_call_that_cannot_be_made_says_why(
    gateway: RunningGateway, body: dict[str, object], status: int, words: str
) -> None:
    answer = await gateway.api("POST", "/call", body)

    assert answer.status == status
    assert words in message_of(answer)


# -- the config --------------------------------------------------------------------------------------------------------


async def test_edit_by_one_who_saw_the_last_version_holds_at_once(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        etag = (await gateway.api("GET", "/config")).json()["etag"]
        edited = await gateway.api("PATCH", "/config", {"profiles": {"new": {}}}, {"If-Match": f'"{etag}"'})
        late = await gateway.api("PATCH", "/config", {"profiles": {"late": {}}}, {"If-Match": f'"{etag}"'})
        profiles = (await gateway.api("GET", "/status")).json()["profiles"]

    assert edited.status == 200 and edited.json()["etag"] != etag
    assert (late.status, profiles) == (412, ["all", "new"])


async def test_invalid_edit_is_422_with_every_problem_and_changes_nothing(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        before = gateway.paths.config.read_bytes()
        answer = await gateway.api("PATCH", "/config", {"settings": {"port": "x"}, "profiles": {"all": {"servers": 5}}})
        after = gateway.paths.config.read_bytes()

    pointers = {problem["pointer"] for problem in answer.json()["error"]["problems"]}
    assert (answer.status, pointers) == (422, {"/settings/port", "/profiles/all/servers"})
    assert before == after


async def test_edit_of_a_broken_file_is_409_and_leaves_it_alone(home: Path) -> None:
    async with running_gateway(home, config_of({})) as gateway:
        gateway.paths.config.write_text('{"version": 1,')
        answer = await gateway.api("PATCH", "/config", {"profiles": {"new": {}}})

        assert (answer.status, gateway.paths.config.read_text()) == (409, '{"version": 1,')


async def test_hidden_value_cannot_be_written_back_in_place_of_the_real_one(home: Path, servers: Servers) -> None:
    entry = servers.make().entry(env={"TOKEN": "real"})
    async with running_gateway(home, config_of({"one": entry})) as gateway:
        shown = (await gateway.api("GET", "/config")).json()["document"]
        answer = await gateway.api("PATCH", "/config", {"servers": shown["servers"]})

        assert answer.status == 400
        assert json.loads(gateway.paths.config.read_text())["servers"]["one"]["env"] == {"TOKEN": "real"}


async def test_edit_by_hand_takes_effect_and_a_broken_one_leaves_the_last_good_config(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateway_app, "WATCH_EVERY_S", 0.05)
    async with running_gateway(home, config_of({})) as gateway:

        async def status() -> dict[str, object]:
            shown: dict[str, object] = (await gateway.api("GET", "/status")).json()
            return shown

        async def is_broken() -> bool:
            return bool((await gateway.api("GET", "/config")).json()["problems"])

        async def has_new_profile() -> bool:
            return (await status())["profiles"] == ["all", "new"]

        text = gateway.paths.config.read_text()
        gateway.paths.config.write_text(text[:-5])
        await eventually(is_broken)
        broken = await McpClient(gateway).initialize()
        gateway.paths.config.write_text(text.replace('"profiles": {', '"profiles": {"all": {}, "new": {}}, "x": {'))
        await eventually(has_new_profile)

        assert broken.status == 200
        assert (await connected(gateway, "/mcp/new")).session_id
