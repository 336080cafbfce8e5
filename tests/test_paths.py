"""Where files live: one folder for tests and portable use, else the platform's folders."""

from pathlib import Path

import pytest
from platformdirs import PlatformDirs

from switchboard_tray.paths import find_paths


def test_everything_is_below_a_given_home(tmp_path: Path) -> None:
    paths = find_paths({"SWITCHBOARD_HOME": str(tmp_path)})

    assert paths.config == tmp_path / "config.json"
    assert paths.history == tmp_path / "history"
    assert paths.catalog == tmp_path / "catalog.json"
    assert paths.state == tmp_path / "state"
    assert paths.logs == tmp_path / "logs"


def test_files_of_the_running_gateway_are_in_the_state_folder(tmp_path: Path) -> None:
    paths = find_paths({"SWITCHBOARD_HOME": str(tmp_path)})
    files = (
        paths.config_lock,
        paths.instance_lock,
        paths.daemon,
        paths.admin_token,
        paths.sessions,
        paths.audit,
        paths.running,
        paths.secrets,
        paths.demo,
    )

    assert {file.parent for file in files} == {paths.state}
    assert len(set(files)) == len(files)


def test_a_relative_home_does_not_move_with_the_working_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    assert find_paths({"SWITCHBOARD_HOME": "portable"}).config == tmp_path / "portable" / "config.json"


def test_a_home_may_start_with_a_tilde() -> None:
    assert find_paths({"SWITCHBOARD_HOME": "~/portable"}).logs == Path.home() / "portable" / "logs"


def test_nothing_is_created(tmp_path: Path) -> None:
    find_paths({"SWITCHBOARD_HOME": str(tmp_path / "home")})

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("environ", [{}, {"SWITCHBOARD_HOME": ""}])
def test_without_a_home_the_platforms_folders_are_used(environ: dict[str, str]) -> None:
    dirs = PlatformDirs("switchboard", appauthor=False)

    paths = find_paths(environ)

    assert paths.config == dirs.user_config_path / "config.json"
    assert paths.history == dirs.user_config_path / "history"
    assert paths.catalog == dirs.user_cache_path / "catalog.json"
    assert paths.logs == dirs.user_log_path


def test_state_has_a_folder_of_its_own_where_the_platform_has_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As on macOS and Windows, where both are one folder.
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))

    paths = find_paths({})

    assert paths.state == paths.config.parent / "state"


@pytest.mark.skipif("sys.platform in ('win32', 'darwin')")
def test_state_is_the_platforms_own_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))

    assert find_paths({}).state == tmp_path / "state" / "switchboard"
