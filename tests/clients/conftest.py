"""The group `clients`: other people's programs, installed when the first test asks for them."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

from build.bench.tokens import Catalogue, read_catalogue
from build.clients import prepare_npm, prepare_python
from build.environment import Unavailable
from tests.clients.programs import Npm

T = TypeVar("T")


@pytest.fixture(scope="session")
def npm() -> Npm:
    """The npm packages."""
    return Npm(_or_skip(prepare_npm))


@pytest.fixture(scope="session")
def other_python() -> Path:
    """A Python that has other people's servers and clients."""
    return _or_skip(prepare_python)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """Real tools of real servers, which are too large for the repository."""
    folder = os.environ.get("SWITCHBOARD_TEST_DATA")
    if not folder or not Path(folder, "catalog.json").is_file():
        pytest.skip("SWITCHBOARD_TEST_DATA names no folder with catalog.json")
    return read_catalogue(Path(folder))


def _or_skip(prepare: Callable[[], T]) -> T:
    try:
        return prepare()
    except Unavailable as exc:
        pytest.skip(str(exc))
