"""A handler on a bench that does its job, or fails as long as it is told to."""

from dataclasses import dataclass, field

from shared.bus.jobs import Job
from shared.contracts.orders import ExtractDocumentV1
from tests.broker.bus_bench import BusBench


@dataclass(slots=True)
class Hands:
    bench: BusBench
    error: Exception | None = None
    seen: list[Job[ExtractDocumentV1]] = field(default_factory=list)

    async def __call__(self, job: Job[ExtractDocumentV1]) -> None:
        self.seen.append(job)
        if self.error is not None:
            raise self.error
        async with self.bench.ledger.handling(job) as unit:
            await self.bench.effects_of(unit)
