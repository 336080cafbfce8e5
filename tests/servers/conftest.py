"""What tests of servers share."""

import pytest

from switchboard_tray.servers import process


@pytest.fixture
def quick_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have servers given less time to end by themselves: what is tested is the order, not the patience."""
    monkeypatch.setattr(process, "GRACE_S", 0.3)
