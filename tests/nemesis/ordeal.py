"""Safety first, then liveness: troubles and traffic together, everything made whole, and all
that was promised has to come to its end without anybody's help but a replay."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.eventually import eventually
from tests.nemesis.pace import until
from tests.nemesis.plan import Trouble, plan
from tests.nemesis.results import ORDEAL, line, note
from tests.nemesis.traffic import Traffic
from tests.nemesis.troubles import Struck
from tests.nemesis.verdict import Verdict, all_have_ended, judged
from tests.system.records import Records

# After everything is whole again. Waits of a ladder and pauses of a breaker have to run out.
ENDS_WITHIN_S = 300.0


@dataclass(slots=True)
class Ordeal:
    seed: int
    length_s: float
    lanes: Sequence[str]
    story: list[str] = field(default_factory=list)
    troubles: int = 0
    _began: float = 0

    async def run(self, struck: Struck, traffic: Traffic, records: Records) -> Verdict:
        self._began = time.monotonic()
        async with asyncio.TaskGroup() as everything:
            everything.create_task(traffic.flow(self.length_s))
            try:
                await self._strike_all(struck)
            finally:
                # Whoever uploads keeps at it until then. And when something has failed, the
                # next seed begins on the same stack.
                await struck.heal()
            self._note("everything is whole again")

        async def is_over() -> bool:
            await traffic.send_back_all()
            return await all_have_ended(records, traffic)

        await eventually(is_over, within_s=ENDS_WITHIN_S, every_s=1)
        await eventually(records.is_quiet, within_s=60, every_s=0.5)
        self._note("everything has ended")
        verdict = await judged(records, traffic)
        took_s = time.monotonic() - self._began
        note(line(ORDEAL, str(self.seed), self.troubles, verdict, took_s))
        return verdict

    async def _strike_all(self, struck: Struck) -> None:
        async with asyncio.TaskGroup() as troubles:
            for lane in plan(self.seed, self.length_s, self.lanes).values():
                troubles.create_task(self._strike(struck, lane))

    async def _strike(self, struck: Struck, lane: Sequence[Trouble]) -> None:
        for trouble in lane:
            await until(self._began + trouble.at_s)
            if why := struck.lacks(trouble):
                self._note(f"{trouble}: left out, {why}")
                continue
            self._note(f"{trouble}")
            self.troubles += 1
            await struck.by(trouble)
            self._note(f"{trouble}: over")

    def _note(self, words: str) -> None:
        self.story.append(f"{time.monotonic() - self._began:7.2f} s  {words}")

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}, {self.length_s:.0f} s", *self.story])
