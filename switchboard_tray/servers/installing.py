"""Launchers that install a package before they run it (npx, uvx): the time for that is not the server's start time.

A start that is cut off in the middle of an install throws the install away, and the next one begins it anew: such
servers would never start on a slow line.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from switchboard_tray.servers.environment import Launch

LAUNCHERS = frozenset({"npx", "uvx", "uv", "bunx", "pnpm", "pnpx", "yarn", "pipx", "docker", "podman"})
LOOK_EVERY_S = 0.5
INSTALL_S = 600.0


class Launching(Protocol):
    """A process that may be a launcher."""

    def has_children(self) -> bool:
        """Whether it has started one of its own that runs."""


def installs_first(launch: Launch) -> bool:
    """Whether the command is one that may install before it runs."""
    # Also behind `env`, and behind `cmd /c`.
    return any(Path(part).stem.lower() in LAUNCHERS for part in launch.argv[:3])


@asynccontextmanager
async def extended_while_installing(
    limit: asyncio.Timeout, launch: Launch, process: Launching, start_timeout_s: float
) -> AsyncIterator[None]:
    """Let `limit` begin only when the launcher has started the server: until then it has no child of its own.

    A child that ends again was not the server, but something that was looked up, or a script of the install.
    """
    if not installs_first(launch):
        yield
        return
    watching = asyncio.get_running_loop().create_task(_extend(limit, process, start_timeout_s))
    try:
        yield
    finally:
        watching.cancel()


async def _extend(limit: asyncio.Timeout, process: Launching, start_timeout_s: float) -> None:
    loop = asyncio.get_running_loop()
    latest = loop.time() + INSTALL_S
    while loop.time() < latest:
        if not process.has_children():
            limit.reschedule(loop.time() + start_timeout_s)
        # Often enough for the limit not to be over between two looks.
        await asyncio.sleep(min(LOOK_EVERY_S, start_timeout_s / 4))
