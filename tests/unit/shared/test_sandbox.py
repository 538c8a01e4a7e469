"""Pooled children: whatever a document does to one, it ends with an outcome, and alone."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from shared.errors import Deferred, Rejected, Retryable
from shared.sandbox.frames import Frame
from tests.eventually import eventually
from tests.unit.shared.children import (
    KIND,
    MEBIBYTE,
    Lend,
    do,
    ended,
    is_gone,
    lending,
    pid_of,
)


@pytest.fixture
async def lend(tmp_path: Path) -> AsyncIterator[Lend]:
    async with lending(tmp_path) as lend:
        yield lend


async def test_what_is_given_comes_back_and_the_child_lives_on(lend: Lend) -> None:
    pool = lend()
    large = b"'" + b"x" * MEBIBYTE + b"'"

    answer = await pool.ask(Frame({}, (large, b"second")))

    assert answer.parts == (large, b"second")
    assert await pid_of(pool) == answer.said["pid"]


async def test_a_document_may_have_another_time_than_the_others(lend: Lend) -> None:
    pool = lend(wall_s=30)

    with pytest.raises(Rejected, match=r"over 0\.2 s") as told:
        await pool.ask(Frame({}, (b"hang()",)), wall_s=0.2)

    assert told.value.reason == "parser_timeout"


ENDINGS = [
    pytest.param("die()", {}, "parser_crashed", "crashed", id="a crash"),
    pytest.param("sys.exit(3)", {}, "parser_crashed", "crashed", id="an exit code"),
    pytest.param("os._exit(0)", {}, "parser_crashed", "crashed", id="an end without a word"),
    pytest.param("1 / 0", {}, "parser_crashed", "crashed", id="an error of ours"),
    pytest.param("'x' * 10**7", {}, "too_large", "answer", id="an answer without end"),
    pytest.param(
        "hang()", {"wall_s": 0.5}, "parser_timeout", "timeout", id="a child that hangs"
    ),
    pytest.param(
        "spin()", {"cpu_s": 1, "wall_s": 9}, "parser_timeout", "timeout", id="one that computes"
    ),
    pytest.param("bytes(2 * 1024**3)", {}, "too_large", "out_of_memory", id="too much memory"),
    pytest.param(
        "os.write(4, b'x' * 10), hang()",
        {"wall_s": 5},
        "too_large",
        "answer",
        id="a child that was taken over",
    ),
]


@pytest.mark.parametrize(("what", "bounds", "reason", "metric"), ENDINGS)
async def test_whatever_ends_the_child_is_an_outcome(
    what: str, bounds: dict[str, float], reason: str, metric: str, lend: Lend
) -> None:
    pool, before = lend(**bounds), ended(metric)

    with pytest.raises(Rejected) as refused:
        await do(pool, what)

    assert refused.value.reason == reason
    assert ended(metric) == before + 1
    assert await do(pool, "1 + 1") == "2"


async def test_a_crash_of_one_document_is_not_noticed_by_the_others(lend: Lend) -> None:
    pool = lend()

    outcomes = await asyncio.gather(
        *(do(pool, "die()" if n % 3 == 0 else f"{n}") for n in range(12)),
        return_exceptions=True,
    )

    for n, outcome in enumerate(outcomes):
        if n % 3:
            assert outcome == str(n)
        else:
            assert isinstance(outcome, Rejected)
            assert outcome.reason == "parser_crashed"


async def test_what_an_earlier_document_left_behind_is_not_the_next_ones_fault(
    lend: Lend,
) -> None:
    pool = lend(replace(KIND, at_once=1))
    await do(pool, "kept.append(1)")

    assert await do(pool, "die() if kept else 'alive'") == "'alive'"


async def test_a_child_that_dies_between_two_documents_is_replaced(lend: Lend) -> None:
    pool = lend()
    dying = await pid_of(pool)
    await do(pool, "stop_after_the_answer()")
    await eventually(lambda: is_gone(dying))

    assert await pid_of(pool) != dying


async def test_each_document_has_its_own_processor_time(lend: Lend) -> None:
    pool = lend(replace(KIND, at_once=1), cpu_s=1)
    burn = "[n for n in iter(lambda: time.process_time() < {}, False)][:0]"

    for until in (0.8, 1.6, 2.4):
        assert await do(pool, burn.format(until)) == "[]"


@pytest.mark.parametrize(
    ("limits", "reason"),
    [({"documents_max": 3}, "documents"), ({"pages_max": 6}, "pages")],
)
async def test_a_child_is_replaced_when_it_has_served_long_enough(
    limits: dict[str, float], reason: str, lend: Lend
) -> None:
    pool, before = lend(replace(KIND, at_once=1), **limits), ended(reason)

    pids = [await pid_of(pool) for _ in range(6)]

    assert [*dict.fromkeys(pids)] == [pids[0], pids[3]]
    assert ended(reason) == before + 2


async def test_a_child_that_holds_too_much_is_replaced(lend: Lend) -> None:
    pool = lend(replace(KIND, at_once=1, resident_bytes_max=100 * MEBIBYTE))
    first = await pid_of(pool)

    await do(pool, "kept.append(b'x' * 150 * 2**20)")

    assert is_gone(first)
    assert await pid_of(pool) != first


async def test_a_child_with_nothing_to_do_is_ended(lend: Lend) -> None:
    pool = lend(replace(KIND, idle_s=0.05))
    first = await pid_of(pool)

    async with asyncio.TaskGroup() as group:
        keeping = group.create_task(pool.keep())
        await eventually(lambda: is_gone(first))
        keeping.cancel()

    assert pool.size == 0


async def test_no_more_children_than_slots_are_at_work(lend: Lend) -> None:
    pool = lend()

    await asyncio.gather(*(pid_of(pool) for _ in range(10)))

    assert pool.size == 2


async def test_a_cancelled_call_leaves_no_child_behind(lend: Lend) -> None:
    pool = lend()
    pid = await pid_of(pool)

    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.2):
            await do(pool, "hang()")

    assert pool.size == 0
    assert is_gone(pid)


async def test_a_closed_pool_has_no_children_and_starts_none(lend: Lend) -> None:
    pool = lend()
    pid = await pid_of(pool)

    await pool.close()

    assert is_gone(pid)
    with pytest.raises(Retryable):
        await pid_of(pool)


async def test_a_child_that_cannot_start_is_not_the_documents_fault(lend: Lend) -> None:
    pool = lend(replace(KIND, module="no.such.module"))

    with pytest.raises(Retryable):
        await do(pool, "1")


async def test_whoever_gets_no_turn_in_time_comes_back_without_an_attempt(lend: Lend) -> None:
    pool = lend(replace(KIND, at_once=1, patience_s=0.05))
    busy = asyncio.create_task(do(pool, "hang()"))
    await eventually(lambda: pool.size == 1)

    with pytest.raises(Deferred):
        await do(pool, "1")

    busy.cancel()
    await asyncio.wait({busy})
    assert await do(pool, "2") == "2"
