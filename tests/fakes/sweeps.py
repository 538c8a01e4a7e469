"""Sweeps that find what a test says; which documents are stuck is told by SQL alone."""

from services.ingest.domain.sweeping import Patience
from services.ingest.ports import Stuck
from shared.ledger.port import Unit


class FakeSweeps:
    def __init__(self) -> None:
        self.stuck: list[Stuck] = []
        self.another_sweeps = False

    async def try_sweep(self, unit: Unit) -> bool:
        return not self.another_sweeps

    async def sweep_documents(self, unit: Unit, patience: Patience) -> list[Stuck]:
        found, self.stuck = self.stuck, []
        return found

    async def purge_keys(self) -> int:
        return 0
