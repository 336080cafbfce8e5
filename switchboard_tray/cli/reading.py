"""What the commands show, in the admin API's own shapes: asked of the running gateway, or worked out from the files.

Changes nothing, but for the first config, which is made where there is none.
"""

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from switchboard_tray.admin.client import AdminClient, running_gateway
from switchboard_tray.cli.output import note, warn
from switchboard_tray.config.problems import InvalidConfig, Problem
from switchboard_tray.errors import NotFound
from switchboard_tray.names import did_you_mean
from switchboard_tray.paths import Paths
from switchboard_tray.stores.config import ConfigStore, Loaded

if TYPE_CHECKING:
    from switchboard_tray.snapshot import Offer, Snapshot

Json = dict[str, Any]


class Reader(Protocol):
    """Servers, profiles and tools as the admin API describes them. Names match in any letter case."""

    def servers(self) -> list[Json]:
        """All servers."""

    def server(self, name: str) -> Json:
        """One server; raises NotFound."""

    def profiles(self) -> list[Json]:
        """All profiles."""

    def profile(self, name: str | None) -> Json:
        """One profile, the default one where `name` is None; raises NotFound."""

    def tools(self, profile: str | None) -> list[Json]:
        """The tools of a profile, whatever its surface; raises NotFound."""

    def client_tools(self, profile: str | None) -> list[Json]:
        """What a client of the profile is listed; raises NotFound."""

    def search(self, query: str, limit: int | None, profile: str | None) -> Json:
        """The tools that fit a query: where no limit is given ten, or all of a server; raises NotFound."""

    def why(self, ref: str, profile: str | None) -> Json:
        """Why a tool is in a profile, or not; raises NotFound."""


def open_reader(paths: Paths) -> Reader:
    """The gateway where it runs, else the files. Raises InvalidConfig where they are broken beyond recovery."""
    client = running_gateway(paths)
    return Stored(paths) if client is None else Live(client)


class Live:
    """What the running gateway says."""

    def __init__(self, client: AdminClient) -> None:
        self._client = client

    def servers(self) -> list[Json]:
        """All servers."""
        answer: list[Json] = self._client.get("/servers")
        return answer

    def server(self, name: str) -> Json:
        """One server."""
        answer: Json = self._client.get(f"/servers/{quote(name, safe='')}")
        return answer

    def profiles(self) -> list[Json]:
        """All profiles."""
        answer: list[Json] = self._client.get("/profiles")
        return answer

    def profile(self, name: str | None) -> Json:
        """One profile."""
        if name is None:
            name = self._client.get("/status")["defaultProfile"]
        if name is None:
            raise no_default()
        answer: Json = self._client.get(f"/profiles/{quote(name, safe='')}")
        return answer

    def tools(self, profile: str | None) -> list[Json]:
        """The tools of a profile."""
        answer: list[Json] = self._client.get("/tools", **_profile_query(profile))
        return answer

    def client_tools(self, profile: str | None) -> list[Json]:
        """What a client is listed."""
        answer: list[Json] = self._client.get("/tools", asClient="true", **_profile_query(profile))
        return answer

    def search(self, query: str, limit: int | None, profile: str | None) -> Json:
        """The tools that fit a query."""
        asked = {} if limit is None else {"limit": str(limit)}
        answer: Json = self._client.get("/search", query=query, **asked, **_profile_query(profile))
        return answer

    def why(self, ref: str, profile: str | None) -> Json:
        """Why a tool is in a profile."""
        answer: Json = self._client.get("/why", ref=ref, **_profile_query(profile))
        return answer


class Stored:
    """What config and catalog say while no gateway runs: every server is stopped, or disabled."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._loaded = load_config(paths)
        if self._loaded.problems:
            warn(error_line(self._loaded.problems), mend(str(paths.config)))
            note("The last valid config is shown.")

    def servers(self) -> list[Json]:
        """All servers."""
        return [self.server(name) for name in self._loaded.config.servers]

    def server(self, name: str) -> Json:
        """One server."""
        from switchboard_tray.admin.views import server_view

        server = self._loaded.config.server(name)
        if server is None:
            hint = did_you_mean(name, self._loaded.config.servers) or "See: switchboard server list"
            raise NotFound(f"There is no server {name!r}.", hint=hint)
        return server_view(server, self._loaded.document, self._snapshot.catalog.of(server), None)

    def profiles(self) -> list[Json]:
        """All profiles."""
        return [self.profile(name) for name in self._loaded.config.profiles]

    def profile(self, name: str | None) -> Json:
        """One profile."""
        from switchboard_tray.admin.views import profile_view

        return profile_view(self._loaded.config.profiles[self._profile_name(name)], self._snapshot)

    def tools(self, profile: str | None) -> list[Json]:
        """The tools of a profile."""
        from switchboard_tray.admin.views import tool_views

        return tool_views(self._offer(profile), {})

    def client_tools(self, profile: str | None) -> list[Json]:
        """What a client is listed."""
        import json

        tools: list[Json] = json.loads(self._offer(profile).display.tools)
        return tools

    def search(self, query: str, limit: int | None, profile: str | None) -> Json:
        """The tools that fit a query."""
        from switchboard_tray.admin.views import search_view
        from switchboard_tray.stores.vectors import VectorStore
        from switchboard_tray.surfaces.plan import Surroundings

        return search_view(self._offer(profile), query, limit, Surroundings((), VectorStore().load))

    def why(self, ref: str, profile: str | None) -> Json:
        """Why a tool is in a profile."""
        from switchboard_tray.admin.views import why_view

        return why_view(self._snapshot, ref, self._profile_name(profile))

    @cached_property
    def _snapshot(self) -> "Snapshot":
        # Costs 50 ms that a command which asks the gateway need not pay.
        from switchboard_tray.snapshot import Snapshot, build_snapshot
        from switchboard_tray.stores.catalog import CatalogStore

        return build_snapshot(self._loaded.config, CatalogStore(self._paths.catalog).load(), Snapshot())

    def _offer(self, profile: str | None) -> "Offer":
        return self._snapshot.offers[self._profile_name(profile)]

    def _profile_name(self, name: str | None) -> str:
        config = self._loaded.config
        if name is None:
            if config.default_profile is None:
                raise no_default()
            return config.default_profile
        profile = config.profile(name)
        if profile is None:
            hint = did_you_mean(name, config.profiles) or "See: switchboard profile list"
            raise NotFound(f"There is no profile {name!r}.", hint=hint)
        return profile.name


def load_config(paths: Paths) -> Loaded:
    """The config of the file, which is made where there is none. Raises InvalidConfig where nothing good is left."""
    store = ConfigStore(paths)
    try:
        return store.load()
    except NotFound:
        return store.create_first()
    except InvalidConfig as exc:
        raise broken_config(exc.faults, str(paths.config)) from exc


def broken_config(problems: tuple[Problem, ...], path: str) -> InvalidConfig:
    """The error for the config file at `path`, which has problems."""
    # What concerns the file as a whole says how to mend it by itself; once is enough.
    others = [problem if problem.pointer else replace(problem, hint="") for problem in problems[1:]]
    return InvalidConfig(error_line(problems), others, hint=mend(path))


def mend(path: str) -> str:
    """What to do about the broken file at `path`."""
    return f"Mend {path}, or take back the edit: switchboard config restore"


def error_line(problems: tuple[Problem, ...]) -> str:
    """``config: error at LINE:COL: ...`` for the first of `problems`."""
    first = problems[0]
    place = "" if first.line is None else f" at {first.line}:{first.column}"
    where = f"{first.pointer}: " if first.pointer else ""
    return f"config: error{place}: {where}{first.message}" + (f". {first.hint}" if first.hint else "")


def no_default() -> NotFound:
    """The error for a command that names no profile where there is no default one."""
    return NotFound("There is no default profile.", hint="Use --profile NAME, or: switchboard profile default NAME")


def _profile_query(profile: str | None) -> dict[str, str]:
    return {} if profile is None else {"profile": profile}
