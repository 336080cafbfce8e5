"""The group `clients`: other people's programs, installed when the first test asks for them."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import pytest

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


def _or_skip(prepare: Callable[[], T]) -> T:
    try:
        return prepare()
    except Unavailable as exc:
        pytest.skip(str(exc))
