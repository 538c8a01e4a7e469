"""Documents that come to the same point at once are one commit, and each has its own end."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from hashlib import sha256

import pytest

from services.extractor.handlers import extract_document, withdraw_documents
from services.extractor.handlers.beginning import find_or_take
from services.extractor.ports import Ports
from shared.bus.jobs import AlreadyHandled, Job
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import Rejected, Withdrawn
from shared.failpoints import arm, disarm
from shared.observability.tracing import span
from tests import builders
from tests.broker.service_schema import service_schema
from tests.broker.test_extractor_sql import WAITING, Extractor
from tests.eventually import eventually

Order = Job[ExtractDocumentV1]
ORDERED = (
    "SELECT convert_from(body, 'UTF8')::jsonb #>> '{body,document_id}' AS document_id"
    " FROM outbox WHERE type = 'document.store'"
)
TAKE = (
    "INSERT INTO leases (owner_id, sha256, config, token, document_id, job_id, run, held_until)"
    " SELECT $1, $2, 'fake/1', id, id, id, 0, now() FROM gen_random_uuid() AS id"
)
SENT = (
    "SELECT headers, convert_from(body, 'UTF8')::jsonb #>> '{body,document_id}' AS document_id"
    " FROM outbox"
)
MARKED = "SELECT job_id FROM inbox WHERE outcome = 'done'"


class _Undone(Exception):
    """Somebody rolls back."""


@pytest.fixture
async def extractor(database_url: str) -> AsyncIterator[Extractor]:
    async with service_schema(database_url, "extractor", []) as schema:
        yield Extractor(schema)


def jobs(count: int) -> list[Order]:
    digests = (sha256(str(at).encode()).hexdigest() for at in range(count))
    return [builders.job(builders.extract_document(sha256=one)) for one in digests]


@asynccontextmanager
async def being_read(
    orders: Sequence[Order], extractor: Extractor, use: Ports
) -> AsyncIterator[list["asyncio.Task[None]"]]:
    """While the engine is at all of them; afterwards they end together."""
    extractor.engine.may_answer.clear()
    loop = asyncio.get_running_loop()
    before = extractor.engine.calls
    reading = [loop.create_task(extract_document(one, use)) for one in orders]
    await eventually(lambda: extractor.engine.calls == before + len(orders))
    yield reading
    extractor.engine.may_answer.set()
    await asyncio.wait(reading)


async def _ordered(extractor: Extractor) -> list[str]:
    """The documents that are to be stored."""
    rows = await extractor.schema.owner.fetch(ORDERED)
    return sorted(row["document_id"] for row in rows)


def _ids(orders: Sequence[Order]) -> list[str]:
    return sorted(str(one.body.document_id) for one in orders)


async def test_one_that_is_withdrawn_meanwhile_ends_so_and_the_others_are_stored(
    extractor: Extractor,
) -> None:
    use, orders = extractor.use, jobs(4)
    gone = orders[1]

    async with being_read(orders, extractor, use) as ends:
        cancelled = builders.cancelled(document_id=gone.body.document_id)
        await withdraw_documents([builders.job(cancelled)], use)

    assert isinstance(ends[1].exception(), Withdrawn)
    assert not any(one.exception() for one in ends if one is not ends[1])
    kept = [one for one in orders if one is not gone]
    assert await _ordered(extractor) == _ids(kept)
    marked = await extractor.schema.owner.fetch(MARKED)
    assert {row["job_id"] for row in marked} == {one.job_id for one in kept}


async def test_nobody_waits_for_the_withdrawal_of_another(extractor: Extractor) -> None:
    use, orders = extractor.use, jobs(3)
    gone = orders[1].body.document_id

    async with being_read(orders, extractor, use) as ends, use.ledger.unit() as unit:
        await use.withdrawals.lock_documents(unit, [gone])
        extractor.engine.may_answer.set()
        await asyncio.wait({ends[0], ends[2]})
        assert not ends[1].done()
        await eventually(lambda: unit.connection.fetch(WAITING))
        await use.withdrawals.note_withdrawn(unit, [gone], "deleted")

    assert isinstance(ends[1].exception(), Withdrawn)
    assert await _ordered(extractor) == _ids([orders[0], orders[2]])


async def test_one_job_that_is_at_work_twice_is_done_once(extractor: Extractor) -> None:
    use, [first, other] = extractor.use, jobs(2)
    # Its answer is known, so both deliveries of the copy come to their end at once.
    await extract_document(first, use)
    copy = builders.job(builders.extract_document(sha256=first.body.sha256))

    ends = await asyncio.gather(
        *(extract_document(one, use) for one in (copy, copy, other)), return_exceptions=True
    )

    assert sorted(type(one).__name__ for one in ends[:2]) == ["AlreadyHandled", "NoneType"]
    assert ends[2] is None
    assert await _ordered(extractor) == _ids([first, copy, other])


async def test_one_that_was_done_before_is_told_so_and_the_others_are_done(
    extractor: Extractor,
) -> None:
    use, orders = extractor.use, jobs(3)
    await extract_document(orders[0], use)

    ends = await asyncio.gather(
        *(extract_document(one, use) for one in orders), return_exceptions=True
    )

    assert [type(one) for one in ends] == [AlreadyHandled, type(None), type(None)]
    assert await _ordered(extractor) == _ids(orders)


async def test_one_whose_rows_are_refused_fails_alone(extractor: Extractor) -> None:
    use, orders = extractor.use, jobs(3)
    bad = replace(orders[1], body=orders[1].body.model_copy(update={"owner_id": "a\x00b"}))
    orders[1] = bad

    ends = await asyncio.gather(
        *(extract_document(one, use) for one in orders), return_exceptions=True
    )

    assert [type(one) for one in ends].count(type(None)) == 2
    assert isinstance(ends[1], Exception)
    assert not isinstance(ends[1], Rejected)
    assert await _ordered(extractor) == _ids([orders[0], orders[2]])


@pytest.mark.parametrize("instant", ["unit.before_commit", "unit.after_commit"])
@pytest.mark.parametrize("nth", [1, 2], ids=["when they begin", "when they end"])
async def test_a_commit_that_fails_for_all_is_done_again_by_each(
    extractor: Extractor, instant: str, nth: int
) -> None:
    use, orders = extractor.use, jobs(4)
    arm(f"{instant}:raise:{nth}")
    try:
        ends = await asyncio.gather(
            *(extract_document(one, use) for one in orders), return_exceptions=True
        )
    finally:
        disarm()

    # What had been committed is not done twice.
    allowed = {type(None), AlreadyHandled} if instant.endswith("after_commit") else {type(None)}
    if nth == 1 and instant.endswith("after_commit"):
        # Each finds his own lease standing, as after a lost connection, and outwaits it.
        allowed = {type(None)}
    assert {type(one) for one in ends} <= allowed
    assert await _ordered(extractor) == _ids(orders)


async def test_whoever_is_cancelled_while_he_is_taken_along_holds_no_content(
    extractor: Extractor,
) -> None:
    use, orders = extractor.use, jobs(3)
    orders.sort(key=lambda one: one.body.sha256)
    loop = asyncio.get_running_loop()

    with suppress(_Undone):
        async with extractor.schema.owner.transaction() as other:
            # Somebody else is about to take the last one's content: they wait in their commit.
            await other.execute(TAKE, builders.OWNER, orders[2].body.sha256)
            taking = [loop.create_task(find_or_take(one, use)) for one in orders]
            await eventually(lambda: other.fetch(WAITING))
            taking[1].cancel()
            await asyncio.wait(taking, timeout=0.1)
            raise _Undone
    await asyncio.wait(taking)

    assert taking[1].cancelled()
    held = await extractor.schema.owner.fetch("SELECT job_id FROM leases")
    assert {row["job_id"] for row in held} == {orders[0].job_id, orders[2].job_id}


async def test_each_sends_in_its_own_trace(extractor: Extractor) -> None:
    use, orders = extractor.use, jobs(3)
    traces = {
        str(one.body.document_id): (f"{at:032x}", f"of={at}")
        for at, one in enumerate(orders, 1)
    }

    async def delivered(job: Order) -> None:
        trace_id, state = traces[str(job.body.document_id)]
        parent = f"00-{trace_id}-{'b' * 16}-01"
        with span("process", parent=parent, tracestate=state) as current:
            await extract_document(replace(job, traceparent=current.traceparent), use)

    await asyncio.gather(*map(delivered, orders))

    rows = await extractor.schema.owner.fetch(SENT)
    assert len(rows) == 9
    for row in rows:
        sent = json.loads(row["headers"])
        told = (sent["traceparent"].split("-")[1], sent["tracestate"])
        assert told == traces[row["document_id"]]
