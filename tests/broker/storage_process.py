"""Storage as the process it is in production, with a store of blobs that a test can trouble.

Orders go in through its own outbox, so its relay, its consumers and its handlers are the real
ones; what a test looks at lies in its tables, in the broker, and in the store itself.
"""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import datetime
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pyarrow.parquet as pq

from services.storage.wiring import SERVICE
from shared.blobs.pieces import in_one_piece
from shared.blobs.port import Blobs
from shared.clock import WallClock
from shared.contracts.body import DocumentBody
from shared.contracts.orders import StoreDocumentV1
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.postgres import PostgresLedger
from shared.process.runtime import LEDGER_MIGRATIONS
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import REVIEW, STATUS, STORE, dead_queue
from tests import builders
from tests.broker.database import own_database
from tests.broker.messages import raw_channel
from tests.broker.tables import make_tables_at
from tests.broker.vhosts import own_vhost
from tests.house.repository import ROOT

SUFFIXES = ("json", "parquet")


@dataclass(slots=True)
class Outside:
    """What a test sees of storage. `blobs` reaches the store without the trouble in between."""

    amqp_url: str
    database_url: str
    pool: Pool
    blobs: Blobs
    folder: Path
    environment: Mapping[str, str]
    ordered: list[UUID] = field(default_factory=list)

    @asynccontextmanager
    async def storage(
        self, *, door: str = "work", failpoint: str = "", **settings: str
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        with self._log.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "services.storage", door),
                cwd=ROOT,
                env=self._environment(failpoint, settings),
                stdout=log,
                stderr=log,
            )
        try:
            yield process
        finally:
            if process.returncode is None:
                process.terminate()
                await process.wait()

    async def extract(
        self, count: int, accepted_at: datetime = builders.ACCEPTED_AT
    ) -> list[StoreDocumentV1]:
        """Orders whose extractions lie in the store already, waiting to be sent."""
        orders = []
        for _ in range(count):
            document_id = uuid4()
            extraction = builders.extraction(document_id=document_id, accepted_at=accepted_at)
            kept = await self.blobs.write(in_one_piece(extraction.to_bytes()))
            orders.append(
                builders.store_document(
                    document_id=document_id,
                    extraction_key=kept.key,
                    accepted_at=accepted_at,
                )
            )
        return orders

    async def order(
        self, count: int, accepted_at: datetime = builders.ACCEPTED_AT
    ) -> list[UUID]:
        return await self.send(await self.extract(count, accepted_at))

    async def send(self, bodies: Sequence[DocumentBody]) -> list[UUID]:
        """Through its own outbox; whose documents they are."""
        ledger = PostgresLedger(self.pool, WallClock(), wake=lambda: None)
        async with ledger.unit() as unit:
            for body in bodies:
                unit.send(body)
        self.ordered += [
            body.document_id for body in bodies if isinstance(body, StoreDocumentV1)
        ]
        return [body.document_id for body in bodies]

    async def are_whole(self, document_ids: Sequence[UUID]) -> bool:
        """Row, version and dated path of each, and both files of a pair say the same."""
        rows = await self.pool.fetch(
            "SELECT document_id, accepted_at, published_at FROM outputs"
            " WHERE document_id = ANY ($1)",
            list(document_ids),
        )
        if {one["document_id"] for one in rows if one["published_at"]} != {*document_ids}:
            return False
        for row in rows:
            document_id = row["document_id"]
            dated = f"data/{{}}/{row['accepted_at']:%Y/%m/%d}/{document_id}.{{}}"
            for key in (f"data/versions/{document_id}/v1.{{}}", dated):
                await self._require_pair(document_id, key)
        return True

    async def require_nothing_torn(self) -> None:
        """Whatever lies in the store now can be read to its end, published or not."""
        async for key in self.blobs.list("data/"):
            data = await self.blobs.read(key)
            if key.endswith(".json"):
                json.loads(data)
            elif key.endswith(".parquet"):
                pq.read_table(BytesIO(data))

    async def traces_of(self, document_id: UUID) -> list[str]:
        """The keys under which something of a document still lies."""
        return [key async for key in self.blobs.list("data/") if str(document_id) in key]

    async def pauses(self) -> list[tuple[str, str, str]]:
        rows = await self.pool.fetch(
            "SELECT queue, reason, detail FROM pauses WHERE ends_at IS NULL OR ends_at > now()"
        )
        return [(row["queue"], row["reason"], row["detail"]) for row in rows]

    async def is_paused(self, queue: str = STORE.name) -> bool:
        return any(one == queue for one, _, _ in await self.pauses())

    async def depth(self, queue: str) -> int:
        async with raw_channel(self.amqp_url) as channel:
            return (await channel.queue_declare(queue, passive=True)).message_count or 0

    async def dead(self) -> int:
        return await self.depth(dead_queue(STORE.name))

    async def told(self, kind: str) -> list[dict[str, Any]]:
        """The facts of a type that nobody has taken yet; they are taken."""
        envelopes = await self._taken(STATUS.name)
        return [one["body"] for one in envelopes if one["header"]["type"] == kind]

    async def reviews(self) -> int:
        return await self.depth(REVIEW.name)

    async def orders_of_reviews(self) -> set[tuple[str, str]]:
        """Document and job; they are taken. A relay that died on the way says one twice."""
        envelopes = await self._taken(REVIEW.name)
        return {(one["body"]["document_id"], one["header"]["job_id"]) for one in envelopes}

    async def _taken(self, queue: str) -> list[dict[str, Any]]:
        found = []
        async with raw_channel(self.amqp_url) as channel:
            while (message := await channel.basic_get(queue)).delivery_tag is not None:
                found.append(json.loads(message.body))
                await channel.basic_ack(message.delivery_tag)
        return found

    def logged(self, message: str) -> list[dict[str, Any]]:
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        entries = [json.loads(line) for line in lines if line.startswith("{")]
        return [one for one in entries if message in one.values()]

    @property
    def _log(self) -> Path:
        return self.folder / "storage.log"

    async def _require_pair(self, document_id: UUID, key: str) -> None:
        said = json.loads(await self.blobs.read(key.replace("{}", "json")))
        table = pq.read_table(BytesIO(await self.blobs.read(key.replace("{}", "parquet"))))
        assert said["document_id"] == str(document_id)
        assert table.column("document_id").to_pylist() == [str(document_id)]

    def _environment(self, failpoint: str, settings: Mapping[str, str]) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            "PAPERLINE_DATABASE_URL": self.database_url,
            "PAPERLINE_AMQP_URL": self.amqp_url,
            "PAPERLINE_OPS_PORT": "0",
            "PAPERLINE_CURSOR_SECRET": "of a test, and of nothing else at all",
            # Nothing of these tests waits for the repair.
            "PAPERLINE_REPAIR_EVERY_S": "0.5",
            "PAPERLINE_REPAIR_OLDER_THAN_S": "1",
            **self.environment,
            **({"PAPERLINE_FAILPOINT": failpoint} if failpoint else {}),
            **settings,
        }


@asynccontextmanager
async def outside(
    folder: Path, blobs: Blobs, environment: Mapping[str, str]
) -> AsyncIterator[Outside]:
    schemas = {
        **SERVICE.extra_schemas,
        "storage": (LEDGER_MIGRATIONS, *SERVICE.migrations),
    }
    async with own_vhost() as amqp_url, own_database() as database_url:
        await apply(amqp_url, plan())
        for schema, locations in schemas.items():
            await make_tables_at(database_url, schema=schema, locations=locations)
        pool = await open_pool(
            DatabaseSettings(database_url), schema="storage", application="outside"
        )
        try:
            yield Outside(amqp_url, database_url, pool, blobs, folder, environment)
        finally:
            await pool.close()
