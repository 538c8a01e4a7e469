"""A dead queue emptied into the tables of a monitor whose memory is watched."""

import asyncio
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from deploy.local import rabbitmq
from deploy.local.ports import remembered
from deploy.local.state import State
from services.monitor.handlers.keeping import keep_letters
from services.monitor.ports import Ports
from shared.bus.letter_drain import LetterDrain
from shared.bus.letters import Letter
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import dead_queue
from tests.bench._shared import dying
from tests.bench._shared.dying import linked
from tests.bench._shared.report import say
from tests.broker.database import Servers
from tests.broker.monitor_world import Monitor
from tests.broker.vhosts import own_vhost
from tests.eventually import eventually
from tests.unit.monitor.world import QUEUE

TELL_EVERY = 100_000
# Until it is stopped, at the end of the benchmark.
BROKER_MEMORY = "2GiB"
WITHIN_S = 3_600


class Memory:
    """Of this process, from now on."""

    def __init__(self) -> None:
        self._before_mb = self._most_mb = _rss_mb()

    def look(self) -> None:
        self._most_mb = max(self._most_mb, _rss_mb())

    @property
    def growth_mb(self) -> float:
        return self._most_mb - self._before_mb


class Counted:
    """Keeps letters, and tells how many they were."""

    def __init__(self, use: Ports) -> None:
        self.letters = 0
        self._use = use

    async def __call__(self, letters: Sequence[Letter]) -> None:
        await keep_letters(letters, self._use)
        before, self.letters = self.letters, self.letters + len(letters)
        if before // TELL_EVERY < self.letters // TELL_EVERY:
            say(f"  {self.letters:,} drained, {_rss_mb():,.0f} MB")


async def drain(count: int, monitor: Monitor) -> dict[str, float]:
    async with own_vhost() as broker_url, linked(broker_url, "consume") as consuming:
        await apply(broker_url, plan())
        await _make_room()
        say(f"publishing {count:,} dead letters")
        await _publish(broker_url, count)
        say("draining them")
        counted = Counted(monitor.use)
        taking = LetterDrain(consuming, dead_queue(QUEUE), counted)
        began = time.monotonic()
        memory = Memory()

        def all_kept() -> bool:
            memory.look()
            return counted.letters >= count

        async with asyncio.TaskGroup() as group:
            group.create_task(taking.run())
            await eventually(all_kept, within_s=WITHIN_S, every_s=0.25)
            seconds = time.monotonic() - began
            await taking.stop()
    if await monitor.count("dead_letters") != count:
        raise SystemExit("letters were lost or doubled on the way")
    return {
        "drained_per_s": count / seconds,
        "drain_rss_growth_mb": memory.growth_mb,
    }


async def _make_room() -> None:
    """What was written last stays in the broker's memory, and a small one would stop us."""
    if (folder := Servers().state) is not None:
        state = State(Path(folder))
        words = ("set_vm_memory_high_watermark", "absolute", BROKER_MEMORY)
        await asyncio.to_thread(rabbitmq.control, state, remembered(state), *words)


async def _publish(url: str, count: int) -> None:
    command = (sys.executable, "-m", dying.__name__, url, str(count))
    process = await asyncio.create_subprocess_exec(*command)
    if await process.wait():
        raise SystemExit("not all letters could be published")


def _rss_mb() -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    [rss] = [line.split()[1] for line in lines if line.startswith("VmRSS:")]
    return int(rss) / 1024
