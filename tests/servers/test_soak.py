"""A twentieth of the soak in docs/soak.md: everything goes wrong at once, and nothing is left."""

from pathlib import Path

from build.bench.soak import soak


async def test_five_hundred_steps_of_crashes_cancels_timeouts_and_edits_leave_nothing_behind(tmp_path: Path) -> None:
    tally = await soak(500, 7, tmp_path)

    assert tally.faults == []
    assert (tally.processes_left, tally.tasks_left, tally.waits_left) == (0, 0, 0)
    before, after = tally.descriptors
    # The event loop keeps one of its own from the first process on.
    assert after <= before + 2
    assert tally.outcomes["echo: result"] > 100
    # A client that left may have gone before its call was read.
    assert tally.calls - tally.outcomes["left: no answer"] <= tally.rows <= tally.calls
