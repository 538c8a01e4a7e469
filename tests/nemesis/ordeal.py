"""Safety first, then liveness: troubles and traffic together, everything made whole, and all
that was promised has to come to its end without anybody's help but a replay."""

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from deploy.verify.machine import unready
from tests.eventually import eventually
from tests.nemesis.burst import Bursts, is_back
from tests.nemesis.entry import Entry, entered
from tests.nemesis.pace import until
from tests.nemesis.plan import MAY_DIE_OF, Trouble, plan
from tests.nemesis.results import ORDEAL
from tests.nemesis.traffic import Traffic
from tests.nemesis.troubles import Struck
from tests.nemesis.verdict import Verdict, all_have_ended, judged, misjudged, strays
from tests.system.records import Records
from tests.system.verdict import require_promises_kept

# After everything is whole again and nobody hands in any more. Whoever is later than the first
# is late, and whoever is later than the second is lost.
RESTS_WITHIN_S, ENDS_WITHIN_S = 60.0, 300.0
# So often a kind of trouble may find nobody to strike, when it never finds anybody.
MISSES_MAX = 2


@dataclass(slots=True)
class Ordeal:
    seed: int
    length_s: float
    lanes: Sequence[str]
    # Whether the stack is ours alone: then it is timed, and all its promises are judged.
    is_alone: bool = False
    story: list[str] = field(default_factory=list)
    struck: Counter[str] = field(default_factory=Counter)
    missed: Counter[str] = field(default_factory=Counter)
    entry: Entry = field(default_factory=lambda: Entry(ORDEAL, ""))
    _began: float = 0

    @property
    def troubles(self) -> int:
        return self.struck.total()

    async def run(self, struck: Struck, traffic: Traffic, records: Records) -> Verdict:
        self.entry.name = str(self.seed)
        [now] = await records.rows("SELECT now() AS at")
        judge = partial(self._judged, traffic, records, now["at"])
        async with entered(self.entry, traffic, judge):
            bursts = Bursts(struck.stack)
            before_s = await bursts.before() if self.is_alone else 0.0
            await self._suffered(struck, traffic)
            await self._rested(struck, traffic, records)
            self.entry.verdict = verdict = await judge()
            assert verdict.holds, verdict.offenders
            self._require_met()
            if self.is_alone:
                await self._require_vigour(bursts, before_s)
                struck.note_answers_at_risk()
                await require_promises_kept(struck.stack, struck.provider, repairs_allowed=None)
        return verdict

    async def _suffered(self, struck: Struck, traffic: Traffic) -> None:
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

    async def _rested(self, struck: Struck, traffic: Traffic, records: Records) -> None:
        healed = time.monotonic()

        async def is_over() -> bool:
            await traffic.send_back_all()
            odd = await misjudged(records, traffic, may_die_of=MAY_DIE_OF)
            assert not odd, odd
            return await all_have_ended(records, traffic)

        await eventually(is_over, within_s=ENDS_WITHIN_S, every_s=1)
        await eventually(records.is_quiet, within_s=60, every_s=0.5)
        await eventually(partial(_all_are_ready, struck), within_s=60, every_s=0.5)
        self.entry.rest_s = round(time.monotonic() - healed, 1)
        self._note("everything has ended")

    async def _judged(self, traffic: Traffic, records: Records, since: object) -> Verdict:
        verdict = await judged(records, traffic, may_die_of=MAY_DIE_OF)
        odd = await misjudged(records, traffic, may_die_of=MAY_DIE_OF)
        return replace(
            verdict, wronged={**verdict.wronged, **odd, **await strays(records, since)}
        )

    async def _require_vigour(self, bursts: Bursts, before_s: float) -> None:
        rest_s = self.entry.rest_s
        assert rest_s is not None and rest_s <= RESTS_WITHIN_S, f"at rest after {rest_s} s"
        after_s = await bursts.after(before_s)
        self.entry.throughput = round(before_s / after_s, 2)
        self._note(f"a burst took {before_s:.1f} s before and takes {after_s:.1f} s now")
        assert is_back(before_s, after_s), f"{before_s:.1f} s before, {after_s:.1f} s now"

    async def _strike_all(self, struck: Struck) -> None:
        async with asyncio.TaskGroup() as troubles:
            for lane in plan(self.seed, self.length_s, self.lanes).values():
                troubles.create_task(self._strike(struck, lane))

    async def _strike(self, struck: Struck, lane: Sequence[Trouble]) -> None:
        for trouble in lane:
            await until(self._began + trouble.at_s)
            if lacking := struck.lacks(trouble):
                self._note(f"{trouble}: left out, there is no {lacking}")
                self.entry.left_out.add(lacking)
                continue
            if time.monotonic() - self._began > self.length_s:
                # Others took longer than planned, and nobody hands in any more.
                self._note(f"{trouble}: left out, it is too late")
                continue
            self._note(f"{trouble}")
            self.struck[trouble.kind] += 1
            self.entry.faults += 1
            missed = await struck.by(trouble)
            self.missed[trouble.kind] += bool(missed)
            self.entry.missed += bool(missed)
            self._note(f"{trouble}: {f'missed, {missed}' if missed else 'over'}")

    def _require_met(self) -> None:
        """A kind that strikes again and again and never meets anybody is none."""
        never = [
            kind
            for kind, count in self.struck.items()
            if self.missed[kind] == count > MISSES_MAX
        ]
        assert not never, f"never met anybody: {never}"

    def _note(self, words: str) -> None:
        self.story.append(f"{time.monotonic() - self._began:7.2f} s  {words}")

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}, {self.length_s:.0f} s", *self.story])


async def _all_are_ready(struck: Struck) -> bool:
    for service, port in struck.stack.ops_ports.items():
        why = await asyncio.to_thread(unready, port)
        assert not why, f"{service}: {why}"
    return True
