"""Release in a real PostgreSQL: the window, fairness and ageing hold with several replicas."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from secrets import token_hex

import pytest

from services.ingest.domain.documents import Details, NewDocument
from services.ingest.handlers.accepting import accept
from services.ingest.handlers.release import release_documents
from services.ingest.handlers.withdraw import cancel_document
from shared.contracts.body import Priority
from shared.contracts.envelope import decode
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from tests import builders
from tests.broker.ingest_world import POOL_MAX, SCAN, Told, World, ingest_world
from tests.broker.test_round_trips import asked_of
from tests.eventually import eventually

EXTRACTED = Told(builders.extracted)


@asynccontextmanager
async def world_of(database_url: str, window: int) -> AsyncIterator["Door"]:
    async with ingest_world(database_url, window=window) as world:
        yield Door(world)


class Door:
    """What a test does to the world, and what left for the extractor."""

    def __init__(self, world: World) -> None:
        self.world = world

    async def accept(
        self, count: int, owner: str = "acme", priority: Priority = Priority.NORMAL
    ) -> None:
        use = self.world.use
        documents = [
            NewDocument(
                new_id(), new_id(), use.clock.now(), SCAN, Details(owner, "a.pdf", priority)
            )
            for _ in range(count)
        ]
        async with use.ledger.unit() as unit:
            await accept(unit, documents, use)

    async def release_all(self) -> None:
        while await release_documents(self.world.use):
            continue

    async def read_of_those_waiting(self) -> int:
        """Rows, so far. Each connection keeps its own count until it is asked for it."""
        pool, all_asked = self.world.pool, asyncio.Barrier(POOL_MAX)

        async def ask() -> None:
            async with pool.transaction() as connection:
                await connection.execute("SELECT pg_stat_force_next_flush()")
                await all_asked.wait()

        await asyncio.gather(*(ask() for _ in range(POOL_MAX)))
        return int(
            await pool.fetchval(
                "SELECT seq_tup_read + idx_tup_fetch FROM pg_stat_user_tables"
                " WHERE relname = 'waiting' AND schemaname = current_schema()"
            )
        )

    async def orders(self) -> list[tuple[ExtractDocumentV1, int]]:
        """Each with the priority of its message."""
        rows = await self.world.pool.fetch(
            "SELECT body, priority FROM outbox WHERE type = $1 ORDER BY id",
            ExtractDocumentV1.type,
        )
        return [
            (ExtractDocumentV1.model_validate(decode(row["body"]).body), row["priority"])
            for row in rows
        ]

    async def owners(self) -> list[str]:
        return [order.owner_id for order, _ in await self.orders()]

    async def extract(self, *orders: ExtractDocumentV1) -> None:
        await self.world.record(*(EXTRACTED.about(one.document_id) for one in orders))

    async def count(self, table: str) -> int:
        return int(await self.world.pool.fetchval(f"SELECT count(*) FROM {table}"))


async def test_what_has_no_room_waits_and_is_shown_as_held(database_url: str) -> None:
    async with world_of(database_url, 3) as door:
        await door.accept(5)

        stages = await door.world.pool.fetch("SELECT stage, released_at FROM documents")
        assert Counter(row["stage"] for row in stages) == {"queued": 3, "held": 2}
        assert all((row["stage"] == "held") == (row["released_at"] is None) for row in stages)
        assert len(await door.orders()) == 3


async def test_the_client_with_three_is_served_beside_the_one_with_a_thousand(
    database_url: str,
) -> None:
    async with world_of(database_url, 4) as door:
        await door.accept(1000, owner="big")
        await door.accept(3, owner="small")
        for _ in range(2):
            await door.extract(*(order for order, _ in (await door.orders())[-4:]))
            await door.release_all()

        owners = await door.owners()
        assert len(owners) == 12
        assert owners[4:].count("small") == 3


async def test_all_clients_of_a_priority_take_turns(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(1, owner="first")
        for owner in ("a", "b", "c"):
            await door.accept(4, owner=owner)
        for nth in range(6):
            await door.extract((await door.orders())[nth][0])
            await door.release_all()

        assert (await door.owners())[1:] == ["a", "b", "c", "a", "b", "c"]


async def test_urgent_goes_at_once_and_normal_before_bulk(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(1, owner="bulk", priority=Priority.BULK)
        await door.accept(2, owner="bulk", priority=Priority.BULK)
        await door.accept(1, owner="normal")
        await door.accept(2, owner="urgent", priority=Priority.URGENT)
        assert await door.owners() == ["bulk", "urgent", "urgent"]

        await door.extract(*(order for order, _ in await door.orders()))
        await door.release_all()

        assert (await door.owners())[3:] == ["normal"]


async def test_the_oldest_moves_under_endless_urgent_load(database_url: str) -> None:
    async with world_of(database_url, 2) as door:
        await door.accept(2, priority=Priority.URGENT)
        await door.accept(5, owner="patient", priority=Priority.BULK)
        for _ in range(28):
            await door.accept(1, priority=Priority.URGENT)
            await door.release_all()

        orders = await door.orders()
        patient = [(order.priority, sent) for order, sent in orders if order.owner_id != "acme"]
        assert patient == [(Priority.URGENT, 5)] * 4
        # Shown under its own priority all the same.
        assert await door.world.pool.fetchval(
            "SELECT count(*) FROM documents WHERE priority = 1 AND stage = 'queued'"
        ) == len(patient)


async def test_every_eighth_of_a_backlog_is_the_oldest(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(1, owner="first")
        await door.accept(3, owner="patient", priority=Priority.BULK)
        await door.accept(40, owner="many", priority=Priority.HIGH)
        for nth in range(24):
            await door.extract((await door.orders())[nth][0])
            await door.release_all()

        owners = (await door.owners())[1:]
        assert [nth for nth, owner in enumerate(owners, 1) if owner == "patient"] == [8, 16, 24]


async def test_the_window_holds_with_many_releasers_and_uploads_at_once(
    database_url: str,
) -> None:
    async with world_of(database_url, 5) as door:
        for _ in range(4):
            await asyncio.gather(
                *(door.accept(1, owner=f"client-{n}") for n in range(15)),
                *(release_documents(door.world.use) for _ in range(10)),
            )
            assert await door.count("places") <= 5
        await door.release_all()

        orders = await door.orders()
        assert len(orders) == await door.count("places") == 5
        assert await door.count("waiting") == 55
        await asyncio.gather(*(door.extract(order) for order, _ in orders))
        await asyncio.gather(*(release_documents(door.world.use) for _ in range(10)))
        await door.release_all()
        after = await door.orders()
        assert len({order.document_id for order, _ in after}) == len(after) == 10


async def test_a_cancelled_document_frees_its_place_and_is_never_released(
    database_url: str,
) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(1, owner="a")
        await door.accept(1, owner="b")
        await door.accept(1, owner="c")
        rows = await door.world.pool.fetch("SELECT document_id, owner_id FROM documents")
        by_owner = {row["owner_id"]: row["document_id"] for row in rows}

        for owner in ("b", "a"):
            assert await cancel_document(
                by_owner[owner], actor="anna", owner_id=None, use=door.world.use
            )
        await door.release_all()

        assert await door.owners() == ["a", "c"]
        assert await door.count("waiting") == 0


async def test_a_place_taken_long_ago_stops_nobody(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(2)
        await door.world.pool.execute("UPDATE places SET taken_at = now() - interval '2 h'")

        await door.release_all()

        assert len(await door.orders()) == 2


async def test_an_order_continues_the_trace_of_its_request(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(2)
        trace = f"00-{token_hex(16)}-{token_hex(8)}-01"
        await door.world.pool.execute("UPDATE waiting SET traceparent = $1", trace)
        await door.extract((await door.orders())[0][0])

        await door.release_all()

        headers = await door.world.pool.fetchval(
            "SELECT headers FROM outbox WHERE type = $1 ORDER BY id DESC LIMIT 1",
            ExtractDocumentV1.type,
        )
        assert trace in headers


async def test_a_round_over_a_hundred_thousand_reads_a_few(database_url: str) -> None:
    async with world_of(database_url, 1) as door:
        await door.accept(1)
        await door.world.pool.execute(
            "INSERT INTO waiting"
            " SELECT gen_random_uuid(), 'owner-' || n % 500, 3, now(), 0"
            "   FROM generate_series(1, 100000) AS n"
        )
        await door.world.pool.execute("ANALYZE waiting")
        await door.world.pool.execute("UPDATE places SET taken_at = now() - interval '2 h'")
        before = await door.read_of_those_waiting()
        for _ in range(20):
            await release_documents(door.world.use)

        read = await door.read_of_those_waiting() - before
        assert 0 < read < 20 * 100


@pytest.mark.parametrize("window", [1, 32])
async def test_acceptance_by_the_thousand_is_as_few_statements_as_one(
    database_url: str, window: int
) -> None:
    async with world_of(database_url, window) as door:
        async with asked_of(door.world.pool) as asked:
            await door.accept(1000)
            await eventually(lambda: "COMMIT;" in asked)

        # Beginning, taking all of them in, sending, and the commit.
        assert len(asked) == 4, asked
        assert await door.count("waiting") == 1000 - window


async def test_a_round_is_few_round_trips_and_the_last_that_lets_go_knows_it(
    database_url: str,
) -> None:
    async with world_of(database_url, 4) as door:
        await door.accept(6)
        await door.extract(*[order for order, _ in await door.orders()][:1])

        async with asked_of(door.world.pool) as asked:
            more = await release_documents(door.world.use)
            await eventually(lambda: "COMMIT;" in asked)

    assert not more
    # Beginning, looking, choosing, letting go, sending, and the commit.
    assert len(asked) == 6, asked


async def test_rounds_go_on_while_there_is_room_and_somebody_waits(database_url: str) -> None:
    async with world_of(database_url, 20) as door:
        await door.accept(45)
        await door.extract(*[order for order, _ in await door.orders()])

        rounds = [await release_documents(door.world.use) for _ in range(4)]

        assert rounds == [True, True, False, False]
        assert await door.count("waiting") == 45 - 20 - 20
