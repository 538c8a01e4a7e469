"""Named places where a test may kill, stop or delay a process.

A crash test that cannot choose its instant proves nothing about the instant that matters.
Unarmed, a failpoint is one dictionary look-up; arming is done by the process at start from
its settings, as `name:action[:nth]` with the actions kill, raise, stop, hold and delay. `stop`
freezes the process; `hold` keeps only the one task, while all others go on, until SIGCONT.

The names are those of `NAMES` and no others: one that no process ever meets would let a test
wait for an instant that cannot come.

`@FILE` among them arms a process that runs: at SIGUSR1 it takes what stands in that file in
place of what it was armed with, and removes the file, so that whoever wrote it knows.
"""

import asyncio
import logging
import os
import signal
from dataclasses import dataclass
from pathlib import Path

DELAY_S = 2.0
ACTIONS = ("kill", "raise", "stop", "hold", "delay")

NAMES = frozenset(
    (
        "consumer.before_handler",
        "consumer.after_handler",
        "consumer.before_ack",
        "consumer.waiting_published",
        "consumer.buried",
        "unit.before_commit",
        "unit.after_commit",
        "relay.claimed",
        "relay.published",
        "relay.deleted",
        "letters.taken",
        "letters.kept",
        "topology.stand_in_bound",
        "topology.moved",
        "topology.queue_deleted",
        "topology.queue_bound",
        "ingest.before_commit",
        "ingest.after_commit",
        "ingest.before_release",
        "ingest.cancelled",
        "ingest.deleted",
        "ingest.before_erasing",
        "ingest.expired",
        "ingest.delivered",
        "extractor.engine_answered",
        "extractor.answer_kept",
        "extractor.before_commit",
        "storage.before_write",
        "storage.written",
        "storage.before_commit",
        "storage.committed",
        "storage.published",
        "storage.manifest_written",
        "storage.manifest_put",
        "storage.compacting",
        "storage.compacted_written",
        "storage.compacted_put",
        "storage.compaction_noted",
        "storage.pruning",
        "storage.strays_erased",
        "storage.erasing",
        "storage.file_erased",
        "storage.files_erased",
        "storage.erased",
        "storage.erasure_reported",
        "storage.batch_before_commit",
        "storage.batch_committed",
        "storage.ack_before_commit",
        "storage.export_page",
        "storage.export_written",
        "review.before_commit",
        "review.in_commit",
        "review.after_commit",
        "monitor.in_commit",
        "monitor.after_commit",
        "monitor.operation_prepared",
        "monitor.operation_stepped",
        "monitor.duty_done",
    )
)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Armed:
    action: str
    hits_left: int


_armed: dict[str, _Armed] = {}


class FailpointHit(Exception):
    """Raised by the action `raise`: stands for a crash that the process survives."""


def arm(specification: str) -> None:
    for part in filter(None, specification.split(",")):
        if part.startswith("@"):
            _listen(Path(part[1:]))
            continue
        name, action, *nth = part.split(":")
        if name not in NAMES:
            raise ValueError(f"there is no failpoint {name!r}; shared/failpoints.py names all")
        if action not in ACTIONS:
            raise ValueError(f"failpoint {name}: unknown action {action!r}")
        _armed[name] = _Armed(action, int(nth[0]) if nth else 1)


def disarm() -> None:
    _armed.clear()


def _listen(file: Path) -> None:
    def take(_number: int, _frame: object) -> None:
        # It comes between any two steps of the program, so nothing is logged here.
        disarm()
        arm(file.read_text())
        file.unlink()

    signal.signal(signal.SIGUSR1, take)


async def failpoint(name: str) -> None:
    armed = _armed.get(name)
    if armed is None:
        return
    armed.hits_left -= 1
    if armed.hits_left != 0:
        return
    # A test whose instant never came has proved nothing, and finds out by this line.
    log.warning("failpoint_reached", extra={"failpoint": name, "action": armed.action})
    match armed.action:
        case "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        case "stop":
            os.kill(os.getpid(), signal.SIGSTOP)
        case "raise":
            raise FailpointHit(name)
        case "hold":
            released = asyncio.Event()
            asyncio.get_running_loop().add_signal_handler(signal.SIGCONT, released.set)
            await released.wait()
        case _:
            await asyncio.sleep(DELAY_S)
