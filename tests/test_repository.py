"""What the repository promises about itself: versions, locks, words that must not appear, and its two commands."""

import ast
import dataclasses
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from build.environment import TEST_LOCKS, SetupError, Stamp, Step, check_python, next_step
from build.test import GROUPS, Options, parse_options, pure_files, pytest_arguments
from switchboard_tray import __version__

ROOT = Path(__file__).resolve().parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
# Top folders that many machines have. One that is not among them names a certain machine.
COMMON_FOLDERS = frozenset(
    "/app /builds /etc /home /mnt /opt /root /srv /tmp /usr /var "
    "/Applications /Library /Users /Volumes /private".split()
)
PIN = re.compile(r"^([a-z0-9._-]+)==(\S+)", re.MULTILINE)


def lock_text(name: str) -> str:
    return (ROOT / "build" / "locks" / f"{name}.txt").read_text("utf-8")


def test_top_entry_of_the_changelog_is_the_version() -> None:
    headings = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)

    assert headings[0] == __version__


@pytest.mark.parametrize("name", TEST_LOCKS)
def test_every_package_of_a_lock_has_hashes(name: str) -> None:
    entries = lock_text(name).replace("\\\n", "").splitlines()
    packages = [entry for entry in entries if not entry.startswith("#")]

    assert packages
    assert [entry for entry in packages if not re.search(r"==.* --hash=sha256:[0-9a-f]{64}", entry)] == []


@pytest.mark.parametrize("name", TEST_LOCKS)
def test_a_lock_names_no_index(name: str) -> None:
    assert re.findall(r"^-.*|\S*://\S*", lock_text(name), re.MULTILINE) == []


def test_a_package_has_one_version_in_all_locks() -> None:
    pins = {pin for name in TEST_LOCKS for pin in PIN.findall(lock_text(name))}

    assert len(pins) == len({package for package, _ in pins})


@pytest.mark.parametrize(
    ("name", "requirements"),
    [
        ("runtime", PYPROJECT["project"]["dependencies"]),
        ("build", PYPROJECT["dependency-groups"]["build"]),
        ("test", PYPROJECT["dependency-groups"]["test"]),
    ],
)
def test_every_requirement_is_locked(name: str, requirements: list[str]) -> None:
    pinned = {package for package, _ in PIN.findall(lock_text(name))}

    assert {re.split(r"[^A-Za-z0-9._-]", requirement)[0] for requirement in requirements} - pinned == set()


def test_no_file_names_a_path_of_this_machine() -> None:
    pattern = machine_paths(ROOT, Path.home())
    found = [
        f"{path.relative_to(ROOT)}: {match[0].decode()}"
        for path in project_files()
        for match in pattern.finditer(path.read_bytes())
    ]

    assert found == []


@pytest.mark.parametrize(
    ("text", "is_found"),
    [
        ("see /place/main/x", True),
        ("file:///place/shared/y", True),
        ("in /home/somebody/.config", True),
        ("http://127.0.0.1:7923/place/x", False),
        ("/home/another/.config", False),
        ("/places/x", False),
    ],
)
def test_a_path_of_the_machine_is_told_from_others(text: str, is_found: bool) -> None:
    pattern = machine_paths(Path("/place/main"), Path("/home/somebody"))

    assert (pattern.search(text.encode()) is not None) is is_found


def machine_paths(checkout: Path, home: Path) -> re.Pattern[bytes]:
    top = f"/{checkout.parts[1]}"
    named = {str(checkout), str(home), *(() if top in COMMON_FOLDERS else (top,))}
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(re.escape(path) for path in sorted(named))})[/\\]".encode())


def project_files() -> list[Path]:
    """Files that are, or are about to be, in the repository; none where this is not a checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    return [path for name in listed.stdout.decode().split("\0") if name and (path := ROOT / name).is_file()]


def test_every_module_says_what_it_is_for() -> None:
    sources = sorted((ROOT / "switchboard_tray").rglob("*.py"))

    assert sources
    assert [str(path) for path in sources if not ast.get_docstring(ast.parse(path.read_bytes()))] == []


def test_groups_of_the_test_command_are_the_markers() -> None:
    markers = PYPROJECT["tool"]["pytest"]["ini_options"]["markers"]

    assert tuple(marker.partition(":")[0] for marker in markers) == GROUPS


def test_quick_run_leaves_the_groups_out() -> None:
    assert pytest_arguments(parse_options([])) == ["-m", "not (clients or browser or desktop or engines or package)"]


def test_all_is_one_session_without_a_filter() -> None:
    assert pytest_arguments(parse_options(["--all"])) == []


def test_groups_run_alone() -> None:
    options = parse_options(["browser", "desktop", "-k", "tray"])

    assert pytest_arguments(options) == ["-m", "browser or desktop", "-k", "tray"]
    assert not options.is_whole


def test_a_path_after_the_dashes_runs_whatever_its_group() -> None:
    options = parse_options(["--", "tests/test_repository.py::test_groups_run_alone", "-x"])

    assert pytest_arguments(options) == ["tests/test_repository.py::test_groups_run_alone", "-x"]


def test_only_a_whole_run_has_lint_types_and_coverage() -> None:
    assert Options().is_whole
    assert Options(is_all=True).is_whole
    assert not Options(pytest=("-x",)).is_whole


def test_an_unknown_group_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        parse_options(["browsers"])

    assert "no group 'browsers': there are clients," in capsys.readouterr().err


def test_pure_files_are_those_that_are_written(tmp_path: Path) -> None:
    (tmp_path / "switchboard_tray").mkdir()
    (tmp_path / "switchboard_tray" / "names.py").touch()

    assert pure_files(tmp_path) == ["switchboard_tray/names.py"]


STAMP = Stamp("cpython-311 here", {"runtime": "r1", "build": "b1"}, "p1")


@pytest.mark.parametrize(
    ("found", "step"),
    [
        (STAMP, Step.NOTHING),
        (dataclasses.replace(STAMP, locks={**STAMP.locks, "test": "t1"}), Step.NOTHING),
        (dataclasses.replace(STAMP, project="p0"), Step.REFRESH),
        (dataclasses.replace(STAMP, locks={"runtime": "r1"}), Step.REFRESH),
        (dataclasses.replace(STAMP, locks={"runtime": "r0", "build": "b1"}), Step.MAKE_ANEW),
        (dataclasses.replace(STAMP, identity="cpython-312 here"), Step.MAKE_ANEW),
        (None, Step.MAKE_ANEW),
    ],
)
def test_set_up_does_what_changed_and_no_more(found: Stamp | None, step: Step) -> None:
    assert next_step(found, STAMP) is step


@pytest.mark.parametrize("version", [(3, 10), (3, 15)])
def test_a_python_outside_the_range_is_refused_with_the_way_out(version: tuple[int, int]) -> None:
    with pytest.raises(SetupError, match=r"this is Python 3\.1\d, Switchboard needs 3\.11 to 3\.14: install"):
        check_python(version)


def test_range_of_pythons_is_the_one_of_the_package() -> None:
    assert PYPROJECT["project"]["requires-python"] == ">=3.11,<3.15"
    check_python((3, 11))
    check_python((3, 14))
