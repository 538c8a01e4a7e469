"""Safety first, then liveness: troubles and traffic together, everything made whole, and all
that was promised has to come to its end without anybody's help but a replay."""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from deploy.verify.machine import unready
from tests.eventually import eventually
from tests.nemesis.burst import Burst, Bursts, is_back
from tests.nemesis.entry import Entry, entered
from tests.nemesis.grown import Grown
from tests.nemesis.met import Meetings
from tests.nemesis.pace import until
from tests.nemesis.plan import MAY_DIE_OF, Trouble, plan
from tests.nemesis.results import ORDEAL
from tests.nemesis.traffic import Traffic
from tests.nemesis.troubles import Struck
from tests.nemesis.verdict import (
    Verdict,
    all_have_ended,
    books,
    judged,
    misjudged,
    strays,
)
from tests.system.records import IN_FLIGHT, Records
from tests.system.stack import SERVICES
from tests.system.verdict import require_promises_kept

# After everything is whole again and nobody hands in any more. Whoever is later than the first
# is late, and whoever is later than the second is lost.
RESTS_WITHIN_S, ENDS_WITHIN_S = 60.0, 300.0
# Of the answers that were paid for, so many may have been lost and paid for once more.
EXCUSED_SHARE, EXCUSED_ALWAYS = 0.1, 5
REPAIRED = "SELECT coalesce(sum(sweeps), 0)::int FROM ingest.documents WHERE created_at >= $1"
NOT_GONE = """
SELECT document_id, status, stage FROM ingest.documents
 WHERE document_id = ANY ($1::uuid[]) AND (status, stage) IS DISTINCT FROM ('deleted', 'done')
"""


@dataclass(slots=True)
class Ordeal:
    seed: int
    length_s: float
    lanes: Sequence[str]
    # Whether the stack is ours alone: then it is timed, and all its promises are judged.
    is_alone: bool = False
    story: list[str] = field(default_factory=list)
    met: Meetings = field(default_factory=Meetings)
    entry: Entry = field(default_factory=lambda: Entry(ORDEAL, ""))
    _began: float = 0
    _whole: float = 0

    @property
    def troubles(self) -> int:
        return self.entry.faults

    async def run(self, struck: Struck, traffic: Traffic, records: Records) -> Verdict:
        self.entry.name = str(self.seed)
        [now] = await records.rows("SELECT now() AS at")
        judge = partial(self._judged, traffic, records, now["at"])
        self.entry.met = self.met
        if self.is_alone:
            struck.forget()
        async with entered(self.entry, traffic, judge):
            bursts = Bursts(struck.stack)
            before = await bursts.before() if self.is_alone else None
            grown = Grown(struck.stack, (*SERVICES, *struck.seconds))
            async with grown.watched():
                await self._suffered(struck, traffic)
            await self._rested(struck, traffic, records)
            self.entry.verdict = verdict = await judge()
            [[self.entry.repaired]] = await records.rows(REPAIRED, now["at"])
            assert verdict.holds, verdict.offenders
            assert verdict.documents, "nobody handed anything in"
            assert not self.met.never, f"never met anybody: {self.met.never}"
            if before is not None:
                assert not grown.beyond, f"too large meanwhile: {grown.beyond}"
                await self._require_promises(struck, traffic, records)
                await self._require_vigour(bursts, before)
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
            # Whoever still repeats an upload does so against a system that is whole.
            self._whole = max(time.monotonic(), self._began + self.length_s)
            self._note("everything is whole again")

    async def _rested(self, struck: Struck, traffic: Traffic, records: Records) -> None:
        async def is_over() -> bool:
            await traffic.send_back_all()
            odd = await misjudged(records, traffic, may_die_of=MAY_DIE_OF)
            assert not odd, odd
            assert traffic.operations.are_over, traffic.operations
            left = await records.rows(NOT_GONE, [*traffic.deleted])
            assert not left, f"wanted gone, and still there: {left}"
            return await all_have_ended(records, traffic)

        found = await books(records, traffic)
        self.entry.waiting = sum(row["status"] in IN_FLIGHT for row in found)
        self._note(f"{self.entry.waiting} documents wait")
        await eventually(is_over, within_s=ENDS_WITHIN_S, every_s=1)
        await eventually(records.is_quiet, within_s=60, every_s=0.5)
        await eventually(partial(_all_are_ready, struck), within_s=60, every_s=0.5)
        self.entry.rest_s = round(time.monotonic() - self._whole, 1)
        self._note("everything has ended")

    async def _judged(self, traffic: Traffic, records: Records, since: object) -> Verdict:
        verdict = await judged(records, traffic, may_die_of=MAY_DIE_OF)
        odd = await misjudged(records, traffic, may_die_of=MAY_DIE_OF)
        return replace(
            verdict, wronged={**verdict.wronged, **odd, **await strays(records, since)}
        )

    async def _require_promises(
        self, struck: Struck, traffic: Traffic, records: Records
    ) -> None:
        struck.note_answers_at_risk()
        # Who was in the hands of those that died too often has a letter, and nobody else may.
        given_up = {
            row["document_id"] for row in await books(records, traffic) if row["letters"]
        }
        struck.stack.history.innocent(traffic.promised - given_up)
        found = await require_promises_kept(struck.stack, struck.provider)
        self.entry.excused = sum(one.excused for one in found)
        most = EXCUSED_ALWAYS + EXCUSED_SHARE * len(struck.answered)
        assert self.entry.excused <= most, f"{self.entry.excused} answers were paid for twice"

    async def _require_vigour(self, bursts: Bursts, before: Burst) -> None:
        rest_s = self.entry.rest_s
        assert rest_s is not None and rest_s <= RESTS_WITHIN_S, (
            f"at rest after {rest_s} s, {self.entry.waiting} were waiting"
        )
        after = await bursts.after(before)
        self.entry.throughput = round(before.took_s / after.took_s, 2)
        self._note(f"a burst took {before} before and takes {after} now")
        assert is_back(before, after), f"{before} before, {after} now"

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
                self.met[trouble.pair].late += 1
                self.entry.late += 1
                self._note(f"{trouble}: left out, it is too late")
                continue
            self._note(f"{trouble}")
            self.met[trouble.pair].struck += 1
            self.entry.faults += 1
            missed = await struck.by(trouble)
            self.met[trouble.pair].missed += bool(missed)
            self.entry.missed += bool(missed)
            self._note(f"{trouble}: {f'missed, {missed}' if missed else 'over'}")

    def _note(self, words: str) -> None:
        self.story.append(f"{time.monotonic() - self._began:7.2f} s  {words}")

    def __str__(self) -> str:
        return "\n".join([f"seed {self.seed}, {self.length_s:.0f} s", *self.story])


async def _all_are_ready(struck: Struck) -> bool:
    for service, port in struck.stack.ops_ports.items():
        why = await asyncio.to_thread(unready, port)
        assert not why, f"{service}: {why}"
    return True
