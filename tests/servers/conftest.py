"""What tests of servers share."""

import pytest

from switchboard_tray.servers import filling, process


@pytest.fixture
def quick_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers given less time to end by themselves: what is tested is the order, not the patience."""
    monkeypatch.setattr(process, "GRACE_S", 0.3)


@pytest.fixture
def quick_fill(monkeypatch: pytest.MonkeyPatch) -> None:
    """No pauses between the tries to read a list, nor after one."""
    monkeypatch.setattr(filling, "FILL_PAUSES_S", (0.01, 0.01))
    monkeypatch.setattr(filling, "REST_AFTER_FILL_S", 0.01)
