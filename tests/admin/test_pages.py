"""The web UI's files, and nothing else of this machine."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tests.fixtures.gateway import RunningGateway, config_of, running_gateway
from tests.fixtures.http import fetch

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def gateway(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[RunningGateway]:
    async with running_gateway(tmp_path_factory.mktemp("home"), config_of({})) as running:
        yield running


async def test_start_page_is_html_with_a_content_security_policy(gateway: RunningGateway) -> None:
    answer = await fetch(gateway.port, "GET", "/")

    assert answer.status == 200
    assert answer.headers["content-type"].startswith("text/html")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["referrer-policy"] == "no-referrer"
    assert b"<script>" not in answer.body and b" style=" not in answer.body


async def test_file_of_the_page_has_its_type_and_the_same_policy(gateway: RunningGateway) -> None:
    answer = await fetch(gateway.port, "GET", "/app.css")

    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/css")
    assert "content-security-policy" in answer.headers


@pytest.mark.parametrize(
    "path",
    ["/nothing.js", "/favicon.ico", "/.", "/..", "/.hidden", "/../pyproject.toml", "/..%2fpyproject.toml", "/%2e%2e",
     "/..%5cpyproject.toml", "/C:%5CWindows%5Cwin.ini", "/%2Fetc%2Fpasswd", "//etc/passwd", "/index.html/", "/a/b",
     "/%00", "/.well-known/oauth-protected-resource", "/.well-known/oauth-authorization-server/mcp", "/register",
     "/api", "/api/v1"],
)  # fmt: skip
async def test_anything_else_is_a_404_that_a_program_can_read(gateway: RunningGateway, path: str) -> None:
    answer = await fetch(gateway.port, "GET", path)

    assert (answer.status, answer.headers["content-type"]) == (404, "application/json")
    assert answer.json()["error"]["message"]


async def test_pages_are_only_read(gateway: RunningGateway) -> None:
    assert (await fetch(gateway.port, "POST", "/")).status == 405
    assert (await fetch(gateway.port, "HEAD", "/")).body == b""
