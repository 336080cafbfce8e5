"""From a server's config to a process that has said hello, within its time to start."""

import asyncio
from dataclasses import replace

from switchboard_tray.config.model import ServerConfig
from switchboard_tray.errors import ServerError
from switchboard_tray.protocol.eras import Era
from switchboard_tray.protocol.messages import RpcError
from switchboard_tray.servers.environment import Launcher
from switchboard_tray.servers.handshake import Hello, shake_hands
from switchboard_tray.servers.installing import extended_while_installing
from switchboard_tray.servers.reports import Reports
from switchboard_tray.servers.stdio import StdioConnection
from switchboard_tray.servers.words import Words


async def open_server(
    server: ServerConfig, connection: StdioConnection, era: Era, launcher: Launcher, words: Words, reports: Reports
) -> Hello:
    """Start `server` behind `connection` and open the protocol. Raises `ServerError` that says what went wrong.

    A process that was started is the caller's to end, whatever is raised.
    """
    name, timeout_s = server.name, server.start_timeout_s
    try:
        async with asyncio.timeout(timeout_s) as limit:
            launch = await launcher.plan(server)
            words.begin(launch.hidden)
            launch = replace(launch, env={**launch.env, **reports.starting()})
            try:
                await connection.spawn(launch)
            finally:
                reports.started(launch.env, connection.process.pid)
            async with extended_while_installing(limit, launch, connection.process, timeout_s):
                return await shake_hands(connection, era)
    except TimeoutError:
        late = words.explain(f"Server {name} did not answer within {timeout_s:g} s of its start")
        raise ServerError(late, hint="startTimeoutSec can be raised.") from None
    except RpcError as refusal:
        refused = f"Server {name} refused to start: error {refusal.code}, {refusal.message}"
        raise ServerError(words.explain(refused)) from refusal
    except ServerError as fault:
        raise ServerError(words.explain(str(fault)), hint=words.shown(fault.hint)) from fault
