"""Letters that are old, what goes in its time, and what is found among the rest."""

from collections.abc import AsyncIterator
from datetime import timedelta

import httpx
import pytest

from services.monitor.api import build
from services.monitor.domain.groups import Said
from services.monitor.domain.letters import DeadLetter
from services.monitor.domain.operations import Kind, Pace, Selection, Wish
from services.monitor.domain.replays import NotReplayable
from services.monitor.handlers.grouping import say_of_group
from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.requesting import request_operation
from services.monitor.handlers.settling import settle_replays
from services.monitor.handlers.surveying import measure
from shared.observability.metrics import REGISTRY
from tests.broker.monitor_world import Monitor, monitor_service
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, dead_letter

OLGA = key_of("olga", "operator")


@pytest.fixture
async def monitor(database_url: str) -> AsyncIterator[Monitor]:
    async with monitor_service(database_url) as monitor:
        yield monitor


def client_of(monitor: Monitor) -> httpx.AsyncClient:
    transport = httpx.ASGITransport(build(monitor.use, entrance()))
    return httpx.AsyncClient(transport=transport, base_url="http://monitor", headers=OLGA)


async def test_a_letter_that_lay_here_for_long_is_not_sent_back(monitor: Monitor) -> None:
    letter = await monitor.kept(dead_letter())
    await monitor.schema.owner.execute(
        "UPDATE dead_letters SET arrived_at = now() - interval '31 days'"
    )

    with pytest.raises(NotReplayable, match="older than 30 days"):
        await replay_letter(letter.letter_id, "olga", "Fixed.", monitor.use)


async def test_letters_that_were_settled_long_ago_go_and_it_is_known_that_there_were(
    monitor: Monitor,
) -> None:
    settled, young, open_ = [await monitor.kept(dead_letter()) for _ in range(3)]
    for one in (settled, young):
        replay = await replay_letter(one.letter_id, "olga", "Fixed.", monitor.use)
        async with monitor.use.ledger.unit() as unit:
            await settle_replays(unit, {replay.replay_id: "done"}, monitor.use)
    await monitor.schema.owner.execute(
        "UPDATE dead_letters SET settled_at = now() - interval '31 days' WHERE letter_id = $1",
        settled.letter_id,
    )

    assert await monitor.use.letters.forget_letters(30, 10) == 1
    assert await monitor.use.letters.forget_letters(30, 10) == 0

    left = await monitor.schema.owner.fetch("SELECT letter_id FROM dead_letters")
    assert {row["letter_id"] for row in left} == {young.letter_id, open_.letter_id}
    assert await monitor.count("replays") == 1
    assert await _remembered(monitor) == [_whose(settled)]
    assert await monitor.use.facts.forget_purged(45, 10) == 0
    await monitor.schema.owner.execute(
        "UPDATE letters_purged SET purged_at = now() - interval '46 days'"
    )
    assert await monitor.use.facts.forget_purged(45, 10) == 1


async def test_a_letter_that_is_purged_or_erased_leaves_whose_it_was(monitor: Monitor) -> None:
    purged, erased = [await monitor.kept(dead_letter()) for _ in range(2)]
    assert erased.document_id is not None
    async with monitor.use.ledger.unit() as unit:
        await monitor.use.letters.erase_letters(unit, [erased.document_id])

    await _purge_all(monitor)

    assert await _remembered(monitor) == sorted([_whose(purged), _whose(erased)], key=str)


async def _purge_all(monitor: Monitor) -> None:
    selection = Selection(arrived_before=monitor.use.clock.now(), queue=QUEUE)
    pace = Pace(rate_per_s=1_000_000, in_flight_max=1_000)
    wish = Wish(Kind.PURGE, selection, pace, "Seen.", "olga", 1_000, "k1", "d")
    await request_operation(wish, monitor.use)
    while await step_operation(monitor.use):
        continue


async def _remembered(monitor: Monitor) -> list[tuple[object, ...]]:
    rows = await monitor.schema.owner.fetch(
        "SELECT document_id, letter_id, origin_queue, job_id, run FROM letters_purged"
    )
    return sorted((tuple(row) for row in rows), key=str)


def _whose(letter: DeadLetter) -> tuple[object, ...]:
    return (
        *(letter.document_id, letter.letter_id),
        *(letter.origin_queue, letter.job_id, letter.run),
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [("page read", 1), ('"no page"', 1), ("page -read", 0), ("' & | ! :* \\", 0), ("%", 0)],
)
async def test_words_are_looked_for_in_what_went_wrong(
    monitor: Monitor, words: str, found: int
) -> None:
    await monitor.kept(dead_letter())

    async with client_of(monitor) as client:
        page = await client.get("/ops/v1/dead-letters", params={"q": words})

    assert len(page.json()["letters"]) == found


@pytest.mark.parametrize(("hours", "left"), [(1, 1), (-1, 3)])
async def test_what_is_muted_alerts_nobody_until_the_mute_is_over(
    monitor: Monitor, hours: int, left: int
) -> None:
    for mark in ("known", "known", "new"):
        await monitor.kept(dead_letter(dead_fingerprint=mark))
    until = monitor.use.clock.now() + timedelta(hours=hours)
    await say_of_group(Said("known", muted_until=until), "olga", monitor.use)

    await measure(monitor.use)

    sample = REGISTRY.get_sample_value("paperline_dead_letters_open", {"queue": QUEUE})
    [found] = await monitor.letters.count_open_letters()
    assert (sample, found.letters, found.muted) == (left, 3, 3 - left)
