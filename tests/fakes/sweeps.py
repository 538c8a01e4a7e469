"""Sweeps that find what a test says; which documents are stuck is told by SQL alone."""

from services.ingest.domain.sweeping import Patience
from services.ingest.ports import Leftovers, Stuck
from shared.ledger.port import Unit


class FakeSweeps:
    def __init__(self) -> None:
        self.stuck: list[Stuck] = []
        self.unreviewed: list[Stuck] = []
        self.another_sweeps = False
        self.leftovers = Leftovers(0, 0, 0.0)

    async def try_sweep(self, unit: Unit) -> bool:
        return not self.another_sweeps

    async def sweep_documents(self, unit: Unit, patience: Patience) -> list[Stuck]:
        found, self.stuck = self.stuck, []
        return found

    async def sweep_unreviewed(self, unit: Unit, patience: Patience) -> list[Stuck]:
        found, self.unreviewed = self.unreviewed, []
        return found

    async def measure_sweeps(self) -> Leftovers:
        return self.leftovers

    async def purge_keys(self) -> int:
        return 0
