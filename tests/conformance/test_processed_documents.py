"""The cache of answers and who is reading what: one suite for memory and for PostgreSQL."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from uuid import uuid4

import pytest

from services.extractor.ports import Processed
from tests.conformance.reading_in_turn import (
    CONTENT,
    ENCRYPTED,
    LEASE_S,
    OVER_S,
    TTL_S,
    Cache,
    cache_in,
    lease_for,
)


@pytest.fixture(params=["memory", "postgres"])
async def cache(request: pytest.FixtureRequest) -> AsyncIterator[Cache]:
    async with cache_in(request.param) as one:
        yield one


async def test_unknown_content_has_no_answer_and_nobody_reads_it(cache: Cache) -> None:
    assert (await cache.find(), await cache.standing()) == (None, None)


async def test_an_answer_is_kept_with_its_document_and_its_job(cache: Cache) -> None:
    lease = await cache.taken()

    assert await cache.keep(lease)
    assert await cache.find() == Processed(lease.document_id, "one", lease.job_id)


async def test_an_answer_says_that_it_is_degraded_until_a_full_one_replaces_it(
    cache: Cache,
) -> None:
    lease = await cache.taken()
    await cache.keep(lease, "less", degraded=True)

    assert await cache.find() == Processed(lease.document_id, "less", lease.job_id, True)

    lease = await cache.taken()
    await cache.keep(lease, "full")

    assert await cache.find() == Processed(lease.document_id, "full", lease.job_id, False)


async def test_an_answer_past_its_time_is_none(cache: Cache) -> None:
    await cache.keep(await cache.taken())

    assert await cache.find(ttl_s=OVER_S) is None
    assert await cache.find() is not None


@pytest.mark.parametrize("other", ["owner_id", "config"])
async def test_another_owner_or_configuration_is_another_content(
    cache: Cache, other: str
) -> None:
    await cache.keep(await cache.taken())
    await cache.taken()
    changed = replace(CONTENT, **{other: "other"})

    assert await cache.find(changed) is None
    assert await cache.take(lease_for(changed)) == "taken"


async def test_a_forgotten_answer_is_gone_and_forgetting_twice_is_once(cache: Cache) -> None:
    lease = await cache.taken()
    await cache.keep(lease)

    for _ in range(2):
        await cache.forget(lease.document_id, uuid4())

    assert await cache.find() is None


async def test_of_many_who_want_a_content_one_gets_it(cache: Cache) -> None:
    takings = await asyncio.gather(*(cache.take(lease_for()) for _ in range(8)))

    assert sorted(takings) == ["held"] * 7 + ["taken"]


async def test_who_comes_second_is_told_who_was_first_and_for_how_long(cache: Cache) -> None:
    first = await cache.taken()

    assert await cache.take(lease_for()) == "held"

    standing = await cache.standing()
    assert standing is not None
    assert (standing.document_id, standing.job_id) == (first.document_id, first.job_id)
    assert 0 < standing.left_s <= LEASE_S
    assert standing.refusal is None


async def test_a_lease_that_ran_out_is_taken_over(cache: Cache) -> None:
    await cache.taken(lease_s=OVER_S)

    assert await cache.take(lease_for()) == "taken_over"
    assert await cache.take(lease_for()) == "held"


async def test_who_was_taken_for_dead_keeps_nothing_and_disturbs_nobody(cache: Cache) -> None:
    late = await cache.taken(lease_s=OVER_S)
    heir = await cache.taken()

    assert not await cache.keep(late, "late")
    assert not await cache.renew(late)
    await cache.give_up(late)
    await cache.refuse(late)

    assert await cache.find() is None
    assert await cache.take(lease_for()) == "held"
    assert await cache.keep(heir, "in time")


async def test_who_was_taken_for_dead_is_fenced_off_also_when_the_heir_has_ended(
    cache: Cache,
) -> None:
    late = await cache.taken(lease_s=OVER_S)
    await cache.give_up(await cache.taken())
    third = await cache.taken()

    assert not await cache.keep(late, "late")
    assert await cache.keep(third, "third")


async def test_leases_are_renewed_together_but_for_those_of_others(cache: Cache) -> None:
    lost, heir = await cache.taken(lease_s=OVER_S), await cache.taken()
    mine = await cache.taken(lease_for(replace(CONTENT, sha256="cd" * 32)))
    assert await cache.renew(lost, mine, heir) == {mine, heir}


async def test_a_renewed_lease_does_not_run_out(cache: Cache) -> None:
    lease = await cache.taken(lease_s=OVER_S)

    assert await cache.renew(lease) == {lease}
    assert await cache.take(lease_for()) == "held"


async def test_an_answer_is_kept_after_the_time_when_nobody_took_over(cache: Cache) -> None:
    lease = await cache.taken(lease_s=OVER_S)

    assert await cache.keep(lease)
    assert not await cache.keep(lease)


@pytest.mark.parametrize("ending", ["kept", "given up"])
async def test_after_its_end_a_lease_is_free_at_once(cache: Cache, ending: str) -> None:
    lease = await cache.taken()

    await (cache.keep(lease) if ending == "kept" else cache.give_up(lease))

    assert await cache.take(lease_for()) == "taken"


async def test_a_later_answer_replaces_the_one_before(cache: Cache) -> None:
    await cache.keep(await cache.taken(), "before")
    lease = await cache.taken()

    await cache.keep(lease, "after")

    assert await cache.find() == Processed(lease.document_id, "after", lease.job_id)


async def test_a_refusal_is_told_to_copies_and_given_up_by_nobody(cache: Cache) -> None:
    lease = await cache.taken()

    await cache.refuse(lease)
    await cache.give_up(lease)

    assert not await cache.renew(lease)
    assert not await cache.keep(lease)
    assert await cache.take(lease_for()) == "held"
    standing = await cache.standing()
    assert standing is not None
    assert standing.refusal == ENCRYPTED


async def test_a_refusal_past_its_time_is_none_and_nobody_had_died(cache: Cache) -> None:
    await cache.refuse(await cache.taken(), refusal_s=OVER_S)

    assert await cache.take(lease_for()) == "taken"
    standing = await cache.standing()
    assert standing is not None
    assert standing.refusal is None


async def test_a_later_run_may_ask_again_and_is_refused_for_its_own(cache: Cache) -> None:
    await cache.refuse(await cache.taken())

    assert await cache.take(lease_for(run=0)) == "held"
    again = await cache.taken(lease_for(run=1))
    await cache.refuse(again)

    assert await cache.take(lease_for(run=1)) == "held"


async def test_a_later_run_takes_no_lease_from_one_who_reads(cache: Cache) -> None:
    await cache.taken()

    assert await cache.take(lease_for(run=9)) == "held"


async def test_answers_past_their_time_are_purged_in_portions(cache: Cache) -> None:
    for digit in "abc":
        await cache.keep(await cache.taken(lease_for(replace(CONTENT, sha256=digit * 64))))

    portions = []
    for ttl_s in (TTL_S, OVER_S, OVER_S):
        async with cache.ledger.unit() as unit:
            portions.append(await cache.documents.purge_processed(unit, ttl_s, 2))

    assert portions == [0, 2, 1]


async def test_a_lease_that_ran_out_just_now_is_not_purged(cache: Cache) -> None:
    # Its holder may be late and alive.
    lease = await cache.taken(lease_s=OVER_S)

    async with cache.ledger.unit() as unit:
        assert await cache.leases.purge_leases(unit, 10) == 0

    assert await cache.keep(lease)


async def test_who_wants_it_read_anew_gets_only_the_answer_of_his_own_try(cache: Cache) -> None:
    lease = await cache.taken()
    await cache.keep(lease)

    again = replace(lease, token=uuid4())
    assert (await cache.begin(again, forced=True)).answer is not None
    assert (await cache.begin(lease_for(), forced=True)).taking == "taken"


async def test_a_poor_answer_serves_its_own_job_alone(cache: Cache) -> None:
    lease = await cache.taken()
    await cache.keep(lease, "poor", degraded=True)

    assert (await cache.begin(replace(lease, token=uuid4()))).answer is not None
    assert (await cache.begin(lease_for())).taking == "taken"


async def test_an_answer_leaves_no_lease_behind(cache: Cache) -> None:
    await cache.keep(await cache.taken())

    assert (await cache.begin(lease_for())).answer is not None

    assert await cache.take(lease_for()) == "taken"
