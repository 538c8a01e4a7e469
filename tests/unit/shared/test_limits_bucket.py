"""How few questions a bucket asks, with a database that only counts them."""

import itertools
from collections.abc import Iterator

import pytest

from shared.limits.bucket import Budget, TokenBucket


class FakePool:
    """Grants what it is told to, and remembers what it was asked."""

    def __init__(self) -> None:
        self.leases: list[tuple[object, ...]] = []
        self.stock, self.wait_s = 1_000, 0.0
        self.error: Exception | None = None

    async def execute(self, _sql: str, *_arguments: object) -> str:
        return ""

    async def fetchrow(
        self, _sql: str, name: str, needed: int, wanted: int, returned: int
    ) -> dict[str, float]:
        if self.error:
            raise self.error
        self.leases.append((needed, wanted, returned))
        self.stock += returned
        granted = min(wanted, self.stock) if self.stock >= needed else 0
        self.stock -= granted
        wait_s = 0.0 if granted else self.wait_s
        return {"granted": granted, "wait_s": wait_s, "remaining": self.stock}


class World:
    def __init__(self) -> None:
        self.now_s = 100.0
        self.pool = FakePool()
        budget = Budget("model", rate_per_s=10, capacity=20, chunk_max=8, lease_s=1)
        self.bucket = TokenBucket(self.pool, budget, monotonic=lambda: self.now_s)  # type: ignore[arg-type]  # the two methods it uses


@pytest.fixture
def world() -> Iterator[World]:
    yield World()


async def test_a_busy_bucket_asks_once_per_chunk(world: World) -> None:
    waits = [await world.bucket.take() for _ in range(100)]

    assert set(waits) == {0.0}
    assert [wanted for _, wanted, _ in world.pool.leases][:5] == [1, 2, 4, 8, 8]
    assert len(world.pool.leases) <= 3 + 100 // 8 + 1


async def test_a_lease_that_ends_while_it_is_looked_at_refuses_nobody() -> None:
    readings = itertools.count(100.0, 0.15)
    budget = Budget("model", rate_per_s=10, capacity=20, chunk_max=8, lease_s=1)
    bucket = TokenBucket(FakePool(), budget, monotonic=lambda: next(readings))  # type: ignore[arg-type]  # the two methods it uses

    assert {await bucket.take() for _ in range(100)} == {0.0}


async def test_what_was_not_used_in_time_goes_back(world: World) -> None:
    for _ in range(4):
        await world.bucket.take()
    world.now_s += 5

    await world.bucket.take()

    # 1 + 2 + 4 were leased and 4 used; the 3 left over go back with the next question.
    assert world.pool.leases[-1] == (1, 1, 3)
    assert world.pool.stock == 1_000 - 5


async def test_an_empty_bucket_is_not_asked_again_before_it_can_hold_a_token(
    world: World,
) -> None:
    world.pool.stock, world.pool.wait_s = 0, 0.5

    first = await world.bucket.take()
    asked = len(world.pool.leases)
    later = [await world.bucket.take() for _ in range(3)]

    assert first == pytest.approx(0.5)
    assert len(world.pool.leases) == asked
    # Each is sent behind the one before, at ten a second.
    assert later == pytest.approx([0.6, 0.7, 0.8])
    world.now_s += 0.5
    world.pool.stock = 5
    assert await world.bucket.take() == 0.0


async def test_a_refusal_is_never_zero_seconds_long(world: World) -> None:
    world.pool.stock, world.pool.wait_s = 0, 0.0

    assert await world.bucket.take() > 0


async def test_a_hold_takes_back_what_was_leased(world: World) -> None:
    for _ in range(2):
        await world.bucket.take()

    await world.bucket.hold(38.0)

    assert await world.bucket.take() == pytest.approx(38.0)
    world.now_s += 38.0
    assert await world.bucket.take() == 0.0


async def test_a_lost_answer_gives_nothing_back_twice(world: World) -> None:
    for _ in range(2):
        await world.bucket.take()
    world.now_s += 5
    world.pool.error = ConnectionResetError()
    with pytest.raises(ConnectionResetError):
        await world.bucket.take()
    world.pool.error = None

    await world.bucket.take()

    assert world.pool.leases[-1] == (1, 1, 0)


async def test_more_than_a_bucket_can_ever_hold_is_a_bug(world: World) -> None:
    for tokens in (0, -1, 21):
        with pytest.raises(ValueError, match="never fit"):
            await world.bucket.take(tokens)


@pytest.mark.parametrize("rate_per_s", [0, -1, float("nan"), float("inf")])
def test_a_budget_without_a_rate_is_refused(rate_per_s: float) -> None:
    with pytest.raises(ValueError, match="not a budget"):
        Budget("model", rate_per_s=rate_per_s, capacity=1)
