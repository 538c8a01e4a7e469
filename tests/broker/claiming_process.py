"""Reviewers in a process of their own, who claim what comes next until nothing does.

`python -m tests.broker.claiming_process '{…}'` prints who was lent what, as JSON.
"""

import asyncio
import json
import sys
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Self

from services.review.handlers.claiming import claim_next_item
from services.review.ports import Ports
from shared.clock import WallClock
from shared.database.pool import DatabaseSettings, open_pool
from shared.ledger.postgres import PostgresLedger
from shared.process.doors import new_loop
from tests.broker.review_world import ports_over
from tests.fakes.blobs import InMemoryBlobs

PATIENCE = timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Reviewing:
    database_url: str
    schema: str
    names: str
    reviewers: int

    def as_argument(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def of(cls, argument: str) -> Self:
        return cls(**json.loads(argument))


async def review(told: Reviewing) -> list[tuple[str, str]]:
    settings = DatabaseSettings(f"{told.database_url}?role=paperline_{told.schema}")
    pool = await open_pool(settings, schema=told.schema, application="reviewers")
    ledger = PostgresLedger(pool, WallClock(), wake=lambda: None)
    use = ports_over(pool, ledger, InMemoryBlobs())
    try:
        async with asyncio.timeout(PATIENCE.total_seconds()):
            lent = await asyncio.gather(
                *(_all_of(f"{told.names}{one}", use) for one in range(told.reviewers))
            )
    finally:
        await pool.close()
    return [one for claims in lent for one in claims]


async def _all_of(name: str, use: Ports) -> list[tuple[str, str]]:
    lent = []
    while item := await claim_next_item(name, use):
        lent.append((name, str(item.document_id)))
    return lent


def main() -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        lent = runner.run(review(Reviewing.of(sys.argv[1])))
    sys.stdout.write(json.dumps(lent))


if __name__ == "__main__":
    main()
