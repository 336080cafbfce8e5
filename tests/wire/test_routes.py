"""What holds for every route there is, so that a new one cannot be forgotten (docs/security.md)."""

from collections.abc import AsyncIterator, Iterable, Iterator

import pytest
import pytest_asyncio
from starlette.routing import BaseRoute, Mount, Route

from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.http import Headers, fetch

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    async with running_gateway(tmp_path_factory.mktemp("home"), config_of({})) as running:
        yield running


def every_request(gateway: RunningGateway) -> list[tuple[str, str]]:
    """Method and path for each method of each route of the running gateway."""
    found = list(walk(gateway.app.routes, ""))
    assert {("POST", "/mcp"), ("GET", "/hello"), ("PATCH", "/api/v1/config"), ("GET", "/x")} <= set(found)
    return found


def walk(routes: Iterable[BaseRoute], prefix: str) -> Iterator[tuple[str, str]]:
    for route in routes:
        match route:
            case Mount():
                assert route.routes, f"the routes below {route.path} cannot be seen"
                yield from walk(route.routes, prefix + route.path)
            case Route():
                path = prefix + route.path.replace("{profile}", "all").replace("{name}", "x").replace("{server}", "x")
                assert "{" not in path, f"what is a fitting value for {path}?"
                yield from ((method, path) for method in sorted(route.methods or {"GET", "POST", "DELETE"}))
            case _:
                pytest.fail(f"what kind of route is {route}?")


async def statuses(gateway: RunningGateway, headers: Headers, body: bytes | None = None) -> dict[tuple[str, str], int]:
    """The status that each request gets with these headers; those that take a body get `body`."""
    answered = {}
    for method, path in every_request(gateway):
        sent = body if method in ("POST", "PUT", "PATCH") else None
        answered[method, path] = (await fetch(gateway.port, method, path, headers, sent)).status
    return answered


async def test_foreign_host_is_421_on_every_route(gateway: RunningGateway) -> None:
    assert set((await statuses(gateway, {"Host": "evil.example"})).values()) == {421}


async def test_missing_host_is_no_way_in(gateway: RunningGateway) -> None:
    assert set((await statuses(gateway, {"Host": None})).values()) <= {400, 421}


async def test_foreign_origin_is_403_on_every_route(gateway: RunningGateway) -> None:
    assert set((await statuses(gateway, {"Origin": "http://evil.example"})).values()) == {403}


async def test_origin_of_another_local_port_is_403_on_every_route(gateway: RunningGateway) -> None:
    assert set((await statuses(gateway, {"Origin": f"http://127.0.0.1:{gateway.port + 1}"})).values()) == {403}


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", None])
async def test_body_that_is_not_json_is_415_on_every_route_that_takes_one(
    gateway: RunningGateway, kind: str | None
) -> None:
    answered = await statuses(gateway, {"Content-Type": kind}, b"{}")

    assert {status for (method, _), status in answered.items() if method in ("POST", "PATCH")} == {415}
    assert 415 not in {status for (method, _), status in answered.items() if method in ("GET", "DELETE")}


async def test_every_path_below_the_api_is_401_without_the_token(gateway: RunningGateway) -> None:
    known = [request for request in every_request(gateway) if request[1].startswith("/api/v1")]
    unknown = [("GET", "/api/v1/"), ("GET", "/api/v1/no"), ("PUT", "/api/v1/status"), ("GET", "/api/v1/servers/x/y")]
    for method, path in (*known, *unknown):
        for given in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic eDp5"}, {"Cookie": "token=x"}):
            answer = await fetch(gateway.port, method, path, given)
            assert (answer.status, answer.headers.get("www-authenticate")) == (401, "Bearer"), (method, path, given)


async def test_page_of_our_own_may_call_and_is_told_no_cors(gateway: RunningGateway) -> None:
    token = gateway.paths.admin_token.read_text()
    headers = {"Origin": gateway.url, "Authorization": f"Bearer {token}"}
    answer = await fetch(gateway.port, "GET", "/api/v1/status", headers)

    assert answer.status == 200
    assert not [name for name in answer.headers if name.startswith("access-control-")]


async def test_preflight_of_a_foreign_page_is_refused(gateway: RunningGateway) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = await fetch(gateway.port, "OPTIONS", "/mcp", asked)

    assert answer.status == 403
    assert not [name for name in answer.headers if name.startswith("access-control-")]
