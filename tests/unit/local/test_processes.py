"""Recognising our own processes, and no others."""

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.local import processes
from deploy.local.processes import Launch, Running
from deploy.local.state import REPOSITORY, State, write_json

# They end by themselves: whoever kills these tests kills nobody who could end them.
IDLE = ["sleep", "120"]
STUBBORN = [
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(120)",
]

STARTS = f"""
import os, signal, sys
from pathlib import Path
from deploy.local import processes
from deploy.local.state import State

state = State(Path(sys.argv[1]))
for _ in range(80):
    launch = processes.Launch("sleeper", {IDLE!r}, {{}}, state.root)
    child = processes.start(state, launch).pid
    shown = processes._environment(child)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    assert b"PAPERLINE_COMPONENT=sleeper" in shown, shown
"""


@pytest.fixture
def state(tmp_path: Path) -> Iterator[State]:
    state = State(tmp_path)
    state.create()
    yield state
    processes.sweep(state, "sleeper")


def _start(state: State, command: list[str]) -> Running:
    return processes.start(state, Launch("sleeper", command, {}, state.root))


def test_a_started_process_is_found_again(state: State) -> None:
    started = _start(state, IDLE)

    assert processes.running(state, "sleeper") == started


def test_a_started_process_carries_its_mark_at_once(state: State) -> None:
    # By a small program: one with as much in its memory as this is too slow to be too early.
    program = [sys.executable, "-c", STARTS, str(state.root)]

    done = subprocess.run(program, cwd=REPOSITORY, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


def test_a_stopped_process_is_gone_and_forgotten(state: State) -> None:
    started = _start(state, IDLE)

    assert processes.stop(state, "sleeper", patience_s=5)

    assert not processes.alive(started)
    assert not state.record("sleeper").exists()


def test_one_that_will_not_stop_is_killed(state: State) -> None:
    started = _start(state, STUBBORN)

    processes.stop(state, "sleeper", patience_s=0.3)

    assert not processes.alive(started)


def test_a_number_used_again_by_somebody_else_is_not_ours(state: State) -> None:
    mine = Running(os.getpid(), 1, 0.0, "")

    assert not processes.alive(mine)


def test_a_zombie_counts_as_gone(state: State) -> None:
    # Nobody waits for it while this test runs, so after its end it stays a zombie.
    started = _start(state, [sys.executable, "-c", ""])

    assert processes.wait_until(lambda: not processes.alive(started), 5)


def test_what_a_deleted_state_folder_left_running_is_still_recognised(state: State) -> None:
    started = _start(state, IDLE)
    state.record("sleeper").unlink()

    assert processes.running(state, "sleeper") is None
    assert processes.leftovers(state, "sleeper") == [started.pid]


def test_another_stack_is_never_swept(state: State) -> None:
    started = _start(state, IDLE)

    assert processes.sweep(replace(state, root=state.root / "other"), "sleeper") == 0
    assert processes.alive(started)


def test_half_a_record_left_by_a_kill_means_nothing_runs(state: State) -> None:
    write_json(state.record("sleeper"), {})
    state.record("sleeper").write_text('{"pid": 1')

    assert processes.running(state, "sleeper") is None
