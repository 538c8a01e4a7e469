"""A process that runs can be armed, so that a test need not start it anew for each instant."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from shared.failpoints import FailpointHit, arm, disarm, failpoint


@pytest.fixture
def file(tmp_path: Path) -> Iterator[Path]:
    before = signal.getsignal(signal.SIGUSR1)
    yield tmp_path / "failpoint"
    signal.signal(signal.SIGUSR1, before)
    disarm()


async def test_a_running_process_is_armed_by_a_file_which_it_takes(file: Path) -> None:
    arm(f"@{file}")
    file.write_text("unit.before_commit:raise:2")

    os.kill(os.getpid(), signal.SIGUSR1)

    assert not file.exists()
    await failpoint("unit.before_commit")
    with pytest.raises(FailpointHit):
        await failpoint("unit.before_commit")


async def test_what_it_was_armed_with_before_is_forgotten(file: Path) -> None:
    arm(f"relay.claimed:raise,@{file}")
    file.write_text("relay.published:raise")

    os.kill(os.getpid(), signal.SIGUSR1)

    await failpoint("relay.claimed")
    with pytest.raises(FailpointHit):
        await failpoint("relay.published")
