"""A gateway that is killed while a script runs takes the script's process with it."""

import json
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path

import psutil
import pytest

from tests.clients.gateway import GatewayProcess
from tests.fixtures.waiting import eventually

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals")


async def test_no_script_outlives_the_gateway(home: Path) -> None:
    document = {"version": 1, "servers": {}, "profiles": {"p": {"surface": "code"}}, "defaultProfile": "p"}
    gateway = GatewayProcess(home, document)
    gateway.start()
    try:
        token = gateway.paths.admin_token.read_text()

        def run() -> None:
            connection = HTTPConnection("127.0.0.1", gateway.port)
            body = json.dumps({"code": "while (true) {}"})
            headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
            connection.request("POST", "/api/v1/runs", body, headers)
            connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        workers = await eventually(lambda: [one for one in gateway.servers() if _is_worker(one)])
        thread.join()
        gateway.kill()

        await eventually(lambda: not [one for one in workers if _runs(one)])
    finally:
        gateway.kill()


def _is_worker(process: psutil.Process) -> bool:
    try:
        return any(word.endswith("worker.py") for word in process.cmdline())
    except psutil.Error:
        return False


def _runs(process: psutil.Process) -> bool:
    try:
        return bool(process.is_running() and process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
