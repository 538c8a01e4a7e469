"""Who comes to a content together with others finds what he would find alone."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from tests.conformance.reading_in_turn import (
    CONTENT,
    OVER_S,
    Cache,
    beginner,
    cache_in,
    lease_for,
)


@pytest.fixture(params=["memory", "postgres"])
async def cache(request: pytest.FixtureRequest) -> AsyncIterator[Cache]:
    async with cache_in(request.param) as one:
        yield one


async def test_each_who_begins_finds_what_he_would_find_alone(cache: Cache) -> None:
    contents = [replace(CONTENT, sha256=digit * 64) for digit in "edcba"]
    answered, taken, refused, over = map(lease_for, contents[1:])
    for lease in (taken, refused, answered):
        await cache.take(lease)
    await cache.keep(answered, "one")
    await cache.refuse(refused)
    await cache.take(over, lease_s=OVER_S)

    newcomers = [lease_for(one) for one in contents]
    found = await cache.begin_all(
        *map(beginner, newcomers), beginner(lease_for(contents[1]), forced=True)
    )

    assert [one.taking for one in found] == [
        *("taken", "held", "held", "held", "taken_over"),
        "taken",
    ]
    assert found[1].answer is not None
    assert [one.standing is not None for one in found] == [
        False,
        False,
        True,
        True,
        False,
        False,
    ]
    assert found[3].standing is not None
    assert found[3].standing.refusal is not None


async def test_of_two_who_begin_with_one_content_one_has_to_wait(cache: Cache) -> None:
    first, second = lease_for(), lease_for()

    found = await cache.begin_all(beginner(first), beginner(second))

    assert [one.taking for one in found] == ["taken", "held"]
    assert found[1].standing is not None
    assert found[1].standing.document_id == first.document_id


async def test_of_several_answers_only_those_under_a_lease_are_kept(cache: Cache) -> None:
    contents = [replace(CONTENT, sha256=digit * 64) for digit in "cab"]
    leases = [await cache.taken(lease_for(one), lease_s=OVER_S) for one in contents]
    overtaker = await cache.taken(lease_for(contents[1]))

    kept = await cache.keep_all(leases[0], leases[1], overtaker, leases[2])

    assert kept == [True, False, True, True]
    for content, whose in zip(contents, (leases[0], overtaker, leases[2]), strict=True):
        answer = await cache.find(content)
        assert answer is not None
        assert answer.document_id == whose.document_id
