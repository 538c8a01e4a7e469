"""What processes told of themselves, in memory."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from services.monitor.domain.processes import ProcessReport
from shared.ledger.port import Unit
from tests.fakes.clock import FakeClock


class InMemoryProcesses:
    def __init__(self, clock: FakeClock) -> None:
        self.known: dict[UUID, ProcessReport] = {}
        self._clock = clock

    async def note_processes(self, unit: Unit, reports: Sequence[ProcessReport]) -> None:
        for one in reports:
            known = self.known.get(one.process_id)
            if known is None or known.said_at < one.said_at:
                self.known[one.process_id] = one

    async def list_processes(self, silent_s_max: float) -> list[ProcessReport]:
        found = [replace(one, silent_s=self._silent_s(one)) for one in self.known.values()]
        return [one for one in found if one.silent_s < silent_s_max]

    async def forget_processes(self, silent_s_min: float) -> None:
        kept = {k: v for k, v in self.known.items() if self._silent_s(v) <= silent_s_min}
        self.known = kept

    def _silent_s(self, report: ProcessReport) -> float:
        return max((self._clock.now() - report.said_at).total_seconds(), 0.0)
