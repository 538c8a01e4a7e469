"""How long documents stay, on a real PostgreSQL: by class, by hold, and whoever is first."""

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from uuid import UUID

import pytest

from services.ingest.domain.retention import FOREVER_DAYS, RetentionRules
from services.ingest.handlers import cancel_document, delete_document
from services.ingest.handlers.retain import (
    Keeping,
    expire_documents,
    hold_document,
    lift_hold,
    report_expired,
)
from shared import failpoints
from shared.audit import log as audit
from tests import builders
from tests.broker.ingest_world import Told, World, ingest_world
from tests.eventually import eventually

RULES = RetentionRules(
    default_days=100,
    tags=("payroll", "contract"),
    days=(10, FOREVER_DAYS),
    classes=("payroll", "contract"),
)
KEEPING = Keeping(RULES)


@pytest.fixture
async def world(database_url: str) -> AsyncIterator[World]:
    async with ingest_world(database_url) as world:
        yield world


@pytest.fixture
def disarmed() -> Iterator[None]:
    yield
    failpoints.disarm()


async def _ended(world: World, days_ago: int, tags: Sequence[str] = ()) -> UUID:
    document_id = await world.accepted()
    await world.record(Told(builders.stored).about(document_id))
    await world.pool.execute(
        "UPDATE documents SET completed_at = now() - make_interval(days => $2), tags = $3"
        " WHERE document_id = $1",
        document_id,
        days_ago,
        list(tags),
    )
    return document_id


async def _left(world: World) -> set[UUID]:
    rows = await world.pool.fetch("SELECT document_id FROM documents WHERE status <> 'deleted'")
    return {row["document_id"] for row in rows}


async def _waits(world: World) -> bool:
    """Somebody waits for the commit of somebody else."""
    return bool(
        await world.pool.fetchval(
            "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
            "   AND datname = current_database()"
        )
    )


async def _hold(world: World, document_id: UUID) -> bool:
    hold = await hold_document(document_id, actor="otto", reason="lawsuit", use=world.use)
    return hold is not None


async def test_each_class_has_a_time_of_its_own_and_the_longest_counts(world: World) -> None:
    gone = [
        await _ended(world, 101),
        await _ended(world, 11, ["payroll"]),
        await _ended(world, 11, ["payroll", "of no class"]),
    ]
    stays = [
        await _ended(world, 99),
        await _ended(world, 9, ["payroll"]),
        await _ended(world, 9_999, ["payroll", "contract"]),
        # Under way: nothing has begun to age.
        await world.accepted(),
    ]

    assert await expire_documents(world.use, KEEPING) == len(gone)
    assert await _left(world) == {*stays}
    assert await expire_documents(world.use, KEEPING) == 0


async def test_what_a_person_has_in_hand_or_on_hold_stays(world: World) -> None:
    claimed, held = await _ended(world, 101), await _ended(world, 101)
    await world.pool.execute(
        "UPDATE documents SET review_status = 'in_review' WHERE document_id = $1", claimed
    )
    assert await _hold(world, held)
    due = await _ended(world, 101)

    async with world.use.ledger.unit() as unit:
        [report] = await world.use.retention.count_expired(unit, RULES)
    assert (report.due, report.on_hold, report.in_review) == (1, 1, 1)
    assert await expire_documents(world.use, KEEPING) == 1
    assert await _left(world) == {claimed, held}

    assert await lift_hold(held, actor="otto", reason="settled", use=world.use)
    assert await expire_documents(world.use, KEEPING) == 1
    assert due not in await _left(world)


async def test_a_report_names_each_class_once(world: World) -> None:
    await _ended(world, 101)
    await _ended(world, 11, ["payroll"])
    await _ended(world, 200, ["payroll"])

    report = await report_expired(world.use, RULES)

    assert {one.class_name: one.due for one in report} == {"default": 1, "payroll": 2}


async def test_a_hold_and_a_deletion_never_both_win(world: World) -> None:
    for _ in range(20):
        document_id = await _ended(world, 1)

        held, deleted = await asyncio.gather(
            _hold(world, document_id),
            delete_document(document_id, owner_id=None, actor="anna", use=world.use),
        )

        assert held != deleted


async def test_a_deletion_that_waited_for_the_row_sees_its_hold(world: World) -> None:
    document_id = await _ended(world, 1)

    async with world.use.ledger.unit() as unit:
        await world.use.retention.hold_document(unit, document_id, by="otto", reason="lawsuit")
        deleting = asyncio.gather(
            delete_document(document_id, owner_id=None, actor="anna", use=world.use)
        )
        await eventually(lambda: _waits(world))

    [deleted] = await deleting
    assert not deleted
    assert document_id in await _left(world)


async def test_what_is_on_hold_is_not_cancelled(world: World) -> None:
    document_id = await world.accepted()
    assert await _hold(world, document_id)

    assert not await cancel_document(document_id, actor="anna", owner_id=None, use=world.use)
    assert (await world.document(document_id)).status == "queued"


async def test_what_somebody_works_on_is_erased_at_a_later_look(
    world: World, disarmed: None
) -> None:
    document_id = await _ended(world, 101)
    failpoints.arm("ingest.expired:raise")

    async with world.pool.transaction() as connection:
        await connection.execute(
            "SELECT FROM documents WHERE document_id = $1 FOR UPDATE", document_id
        )
        assert await expire_documents(world.use, KEEPING) == 0
    assert await _left(world) == {document_id}

    with pytest.raises(failpoints.FailpointHit):
        await expire_documents(world.use, KEEPING)
    assert await _left(world) == set()


async def test_replicas_that_look_at_once_erase_each_document_once(world: World) -> None:
    ids = [await _ended(world, 101) for _ in range(12)]

    counts = await asyncio.gather(*(expire_documents(world.use, KEEPING) for _ in range(3)))

    assert sum(counts) <= len(ids)
    await expire_documents(world.use, KEEPING)
    assert not await _left(world)
    erasures = await world.pool.fetch("SELECT document_id FROM erasures")
    assert {row["document_id"] for row in erasures} == {*ids}
    assert len(erasures) == len(ids)


async def test_who_erased_and_who_held_stands_in_the_audit_log(world: World) -> None:
    document_id = await _ended(world, 101)
    await _hold(world, document_id)
    await lift_hold(document_id, actor="otto", reason="settled", use=world.use)
    await expire_documents(world.use, KEEPING)

    assert await audit.verify(world.pool) is None
    lines = await audit.page(world.pool, audit.Filter(resource=f"document/{document_id}"))
    entries = sorted(lines, key=lambda line: line.seq)
    assert [(one.entry().actor, one.entry().action) for one in entries] == [
        ("otto", "document_put_on_hold"),
        ("otto", "hold_lifted"),
        ("retention", "document_deleted"),
    ]
