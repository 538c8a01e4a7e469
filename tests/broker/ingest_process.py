"""Ingest as the process it is in production, on a broker and a database of its own.

What a sender outside promises itself can only be tested from outside: through the exchange,
with the real handler, and with the process killed where it hurts.
"""

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

from aiormq.abc import DeliveredMessage

from services.ingest.wiring import SERVICE
from shared.blobs.open import open_blobs
from shared.blobs.pieces import in_one_piece
from shared.blobs.port import Blob, Blobs
from shared.bus.headers import ours
from shared.database.clock import DatabaseClock
from shared.database.pool import DatabaseSettings, Pool, open_pool
from shared.ledger.port import Resend
from shared.ledger.postgres import PostgresLedger
from shared.process.runtime import LEDGER_MIGRATIONS
from shared.topology.declare import apply
from shared.topology.plan import plan
from shared.topology.queues import SUBMIT, dead_queue
from tests.broker.database import own_database
from tests.broker.messages import raw_channel
from tests.broker.tables import make_tables_at
from tests.broker.vhosts import own_vhost
from tests.eventually import eventually
from tests.house.repository import ROOT

SECRETS = ("PAPERLINE_CURSOR_SECRET", "PAPERLINE_WEBHOOK_SECRET")

_SCHEMAS = {**SERVICE.extra_schemas, "ingest": (LEDGER_MIGRATIONS, *SERVICE.migrations)}


@dataclass(frozen=True, slots=True)
class Outside:
    """What a test sees of ingest: its broker, its store, its sources, and its tables."""

    amqp_url: str
    database_url: str
    pool: Pool
    blobs: Blobs
    folder: Path

    @property
    def scans(self) -> Path:
        """The folder that submissions may refer to as `scans`."""
        return self.folder / "scans"

    async def keep(self, data: bytes) -> Blob:
        return await self.blobs.write(in_one_piece(data))

    @asynccontextmanager
    async def ingest(
        self, *, failpoint: str = "", **settings: str
    ) -> AsyncIterator[asyncio.subprocess.Process]:
        with (self.folder / "ingest.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "services.ingest", "work"),
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

    async def listens(self) -> bool:
        async with raw_channel(self.amqp_url) as channel:
            declared = await channel.queue_declare(SUBMIT.name, passive=True)
        return bool(declared.consumer_count)

    async def depth(self, queue: str) -> int:
        async with raw_channel(self.amqp_url) as channel:
            return (await channel.queue_declare(queue, passive=True)).message_count or 0

    async def is_quiet(self) -> bool:
        """Nothing waits, and nothing is in hand or owed."""
        owed = await self.pool.fetchval("SELECT count(*) FROM outbox")
        return not owed and not await self.depth(SUBMIT.name)

    async def letter(self) -> DeliveredMessage:
        """The next dead letter of the door, taken."""
        await eventually(lambda: self.depth(dead_queue(SUBMIT.name)), within_s=20)
        async with raw_channel(self.amqp_url) as channel:
            message = await channel.basic_get(dead_queue(SUBMIT.name))
            await channel.basic_ack(message.delivery_tag or 0)
        return message

    async def replay(self, letter: DeliveredMessage) -> None:
        """As the monitor does: the same job in the next run, for its queue alone."""
        clock = DatabaseClock()
        await clock.refresh(self.pool)
        again = Resend(
            queue=SUBMIT.name,
            body=letter.body,
            headers=ours(letter.header.properties.headers),
            priority=3,
            run=1,
            replay_id=uuid4(),
        )
        async with PostgresLedger(self.pool, clock, wake=lambda: None).unit() as unit:
            unit.resend(again)

    async def documents(self) -> list[Mapping[str, Any]]:
        rows = await self.pool.fetch("SELECT * FROM documents ORDER BY created_at")
        return [dict(row) for row in rows]

    def _environment(self, failpoint: str, settings: Mapping[str, str]) -> dict[str, str]:
        return {
            "PYTHONPATH": str(ROOT),
            "PAPERLINE_DATABASE_URL": self.database_url,
            "PAPERLINE_AMQP_URL": self.amqp_url,
            "PAPERLINE_BLOBS_URL": f"file://{self.folder}/blobs",
            **dict.fromkeys(SECRETS, "of a test, and of nothing else at all"),
            "PAPERLINE_OPS_PORT": "0",
            "PAPERLINE_SOURCE_BUCKETS": f"scans=file://{self.scans}",
            **({"PAPERLINE_FAILPOINT": failpoint} if failpoint else {}),
            **settings,
        }


@asynccontextmanager
async def outside(folder: Path) -> AsyncIterator[Outside]:
    (folder / "scans").mkdir()
    async with own_vhost() as amqp_url, own_database() as database_url:
        await apply(amqp_url, plan())
        for schema, locations in _SCHEMAS.items():
            await make_tables_at(database_url, schema=schema, locations=locations)
        pool = await open_pool(
            DatabaseSettings(database_url), schema="ingest", application="outside"
        )
        try:
            blobs = open_blobs(f"file://{folder}/blobs")
            yield Outside(amqp_url, database_url, pool, blobs, folder)
        finally:
            await pool.close()
