"""The review queue under many hands: each item once, each reviewer even, and by index alone."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import AsyncIterator
from datetime import timedelta
from decimal import Decimal
from functools import partial
from uuid import UUID, uuid4

import pytest

from services.review.adapters import item_rows
from services.review.domain.claims import Claimant
from services.review.domain.listing import Wanted
from services.review.domain.ranking import Plan
from services.review.handlers.assigning import keep_presence
from services.review.handlers.claiming import claim_item, extend_claim
from services.review.handlers.minding import mind_queue
from services.review.handlers.opening import open_items
from shared.audit.log import verify
from shared.configuration.review import Assignment
from shared.configuration.review import Review as Configured
from tests.broker.claiming_process import Reviewing
from tests.broker.review_world import Review, review_service
from tests.eventually import eventually
from tests.house.repository import ROOT

REVIEWERS, ITEMS = 50, 200
GIVING = Plan(Configured(assignment=Assignment(automatic=True)))
SQL = ROOT / "services" / "review" / "sql"


@pytest.fixture
async def review(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url) as review:
        yield review


@pytest.fixture
async def giving(database_url: str) -> AsyncIterator[Review]:
    async with review_service(database_url, GIVING) as review:
        yield review


async def test_50_reviewers_in_two_processes_are_lent_200_items_once_each(
    review: Review, database_url: str
) -> None:
    for _ in range(4):
        await open_items([review.order() for _ in range(ITEMS // 4)], review.use)
    asked = [
        Reviewing(database_url, review.schema.name, f"{name}-", REVIEWERS // 2)
        for name in ("first", "second")
    ]
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.broker.claiming_process", one.as_argument()),
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
        )
        for one in asked
    ]

    told = [await process.communicate() for process in processes]

    claims = [(who, UUID(what)) for said, _ in told for who, what in json.loads(said)]
    assert len(claims) == ITEMS
    assert set(Counter(what for _, what in claims).values()) == {1}
    held = await review.schema.owner.fetch("SELECT document_id, claimed_by FROM review_items")
    assert {(one["claimed_by"], one["document_id"]) for one in held} == set(claims)
    assert {who.partition("-")[0] for who, _ in claims} == {"first", "second"}
    assert await verify(review.schema.pool) is None


async def test_50_openings_at_once_end_even_to_one(giving: Review) -> None:
    names = [f"reviewer-{one}" for one in range(7)]
    for name in names:
        await keep_presence(name, True, giving.use)

    await asyncio.gather(*(open_items([giving.order()], giving.use) for _ in range(50)))

    rows = await giving.schema.owner.fetch("SELECT assigned_to FROM review_items")
    given = Counter(row["assigned_to"] for row in rows)
    assert set(given) == set(names)
    assert max(given.values()) - min(given.values()) == 1


async def test_of_many_who_claim_one_item_by_its_name_one_gets_it(review: Review) -> None:
    item = await review.opened()

    answers = await asyncio.gather(
        *(claim_item(item.document_id, f"reviewer-{one}", review.use) for one in range(50)),
        return_exceptions=True,
    )

    [holder] = [one for one in answers if not isinstance(one, BaseException)]
    assert holder.claimed_by
    assert (await extend_claim(item.document_id, holder.claimed_by, review.use)).claim_holds


async def test_two_who_look_for_what_is_overdue_tell_it_once(review: Review) -> None:
    await open_items([review.order() for _ in range(20)], review.use)
    await review.forget_outbox()

    await asyncio.gather(*(mind_queue(review.use) for _ in range(4)))
    await mind_queue(review.use)

    assert await review.schema.outbox() == [("review.overdue", "review.overdue")] * 20


@pytest.fixture
async def crowded(review: Review) -> Review:
    """Enough rows that the planner looks at its indexes in earnest."""
    await review.schema.owner.execute(
        "INSERT INTO review_items (document_id, owner_id, accepted_at, priority, confidence,"
        " engine, extraction_key, result_version, sha256, duplicate, filename, job_id, run,"
        " opened_at, due_at, base, vendor_name, breached_at, assigned_to)"
        " SELECT gen_random_uuid(), 'acme', now(), 3, 0.9, 'pdf_text', 'k', 1, 's', false,"
        " 'f' || n, gen_random_uuid(), 0, now() - make_interval(secs => n),"
        " now() + make_interval(secs => n - 5000), n % 97, 'Vendor ' || n,"
        " CASE WHEN n < 5000 THEN now() END, CASE WHEN n % 3 = 0 THEN 'boris' END"
        " FROM generate_series(1, 30000) AS n"
    )
    await review.schema.owner.execute("ANALYZE review_items")
    return review


@pytest.mark.parametrize(
    ("name", "arguments", "indexes"),
    [
        pytest.param(
            "claim_next_item",
            ("anna", 2, 900, None),
            ("lane", "lane_late"),
            id="the next to be lent",
        ),
        pytest.param(
            "find_next_item",
            ("anna", 2, None, None),
            ("lane", "lane_late"),
            id="the next, only seen",
        ),
        pytest.param(
            "claim_next_item",
            ("anna", 2, 900, Decimal(100)),
            ("lane", "lane_late"),
            id="the next of two persons",
        ),
        pytest.param("wake_items", (50,), ("lease", "postponed"), id="those that wake up"),
        pytest.param("flag_overdue", (50,), ("due",), id="those that became overdue"),
    ],
)
async def test_a_statement_of_the_queue_goes_by_its_indexes(
    crowded: Review, name: str, arguments: tuple[object, ...], indexes: tuple[str, ...]
) -> None:
    plan = await _plan(crowded, name, *arguments)

    _require(plan, indexes)


@pytest.mark.parametrize(
    ("wanted", "indexes"),
    [
        pytest.param(Wanted(), ("rank", "rank_late"), id="all in their order"),
        pytest.param(Wanted(holder=""), ("rank", "rank_late"), id="those of nobody"),
        pytest.param(Wanted(level=1), ("rank", "rank_late"), id="those of a level"),
    ],
)
async def test_a_page_in_rank_order_goes_by_its_indexes(
    crowded: Review, wanted: Wanted, indexes: tuple[str, ...]
) -> None:
    now = crowded.use.clock.now()
    start = (float("inf"), now - timedelta(days=9999), UUID(int=0))

    plan = await _plan(
        crowded, "list_ranked", now, *start, *start, *item_rows.asked(wanted), 51
    )

    _require(plan, indexes)


async def test_a_reviewer_who_is_due_the_last_item_is_lent_it(crowded: Review) -> None:
    """However many items of others lie before it."""
    await crowded.schema.owner.execute("UPDATE review_items SET assigned_to = 'boris'")
    last = await crowded.opened()

    async with crowded.use.ledger.unit() as unit:
        item = await crowded.items.claim_next_item(unit, claimant=Claimant("anna"), lease_s=900)

    assert item is not None
    assert item.document_id == last.document_id


def _require(plan: str, indexes: tuple[str, ...]) -> None:
    for one in indexes:
        assert f'"ix_review_items_{one}"' in plan, plan
    assert "Seq Scan" not in plan, plan


async def _plan(review: Review, name: str, *arguments: object) -> str:
    statement = (SQL / f"{name}.sql").read_text()
    async with review.schema.pool.transaction() as connection:
        told = await connection.fetchval(f"EXPLAIN (FORMAT json) {statement}", *arguments)
    return json.dumps(told) if not isinstance(told, str) else told


async def test_whoever_waits_for_an_item_holds_no_reviewer(review: Review) -> None:
    item = await review.opened()

    async with review.use.ledger.unit() as unit:
        await review.use.items.lock_items(unit, [item.document_id])
        claiming = asyncio.ensure_future(claim_item(item.document_id, "anna", review.use))
        await eventually(partial(_waits, review))
        # As whoever opens items and gives them out: he has the items by then.
        await review.use.reviewers.touch_reviewer(unit, "anna")

    assert (await claiming).claimed_by == "anna"


@pytest.mark.parametrize("taken_by", ["withdrawing", "erasing", "returning"])
async def test_many_items_are_taken_in_one_order(review: Review, taken_by: str) -> None:
    low, high = sorted(uuid4() for _ in range(2))
    # In the table the other way round.
    for document_id in (high, low):
        await open_items([review.order(document_id)], review.use)
    await review.schema.owner.execute("UPDATE review_items SET assigned_to = 'anna'")

    async def take() -> list[UUID]:
        async with review.use.ledger.unit() as unit:
            if taken_by == "returning":
                return await review.use.reviewers.return_items(unit, "anna")
            if taken_by == "withdrawing":
                return await review.use.withdrawals.withdraw_items(unit, [high, low])
            return await review.use.withdrawals.erase_items(unit, [high, low])

    async with review.schema.pool.transaction() as connection:
        await connection.execute(
            "SELECT FROM review_items WHERE document_id = $1 FOR UPDATE", low
        )
        taking = asyncio.ensure_future(take())
        await eventually(partial(_waits, review))
        # Whoever waits for the first has not taken the second.
        await connection.execute(
            "SELECT FROM review_items WHERE document_id = $1 FOR UPDATE NOWAIT", high
        )

    assert sorted(await taking) == [low, high]


async def _waits(review: Review) -> bool:
    waiting = await review.schema.owner.fetchval(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    return bool(waiting)
