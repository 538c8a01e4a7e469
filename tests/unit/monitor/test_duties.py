"""What is done every so often: levels of service, the proof, snapshots of each hour."""

import io
import json
from datetime import UTC, datetime, timedelta

import httpx
import pyarrow.parquet as pq
import pytest
from pydantic import ValidationError

from services.monitor.domain.conservation import Offender, Sums, Violation
from services.monitor.domain.levels import Measured, Terms, level_of
from services.monitor.domain.snapshots import HOUR, Number, hours_to_keep
from services.monitor.handlers.conserving import check_conservation
from services.monitor.handlers.promising import check_levels
from services.monitor.handlers.replaying import replay_letter
from services.monitor.handlers.settling import settle_replays
from services.monitor.handlers.snapshotting import keep_snapshots
from services.monitor.handlers.surveying import measure
from services.monitor.settings import Settings
from shared.observability.metrics import REGISTRY
from tests.fakes.clock import NOON
from tests.fakes.keys import key_of
from tests.unit.monitor.world import World, dead_letter

VERA = key_of("vera", "viewer")
ANNA = key_of("anna", "reviewer")


@pytest.mark.parametrize(
    ("due", "late", "excused", "is_breached"),
    [
        (100, 1, 0, False),
        (100, 2, 0, True),
        # Those that waited for a provider count for nobody.
        (100, 40, 40, False),
        (100, 42, 40, True),
        # Of a few, one that is late says nothing.
        (19, 19, 0, False),
        (0, 0, 0, False),
    ],
)
def test_a_level_is_breached_by_too_many_late(
    due: int, late: int, excused: int, is_breached: bool
) -> None:
    level = level_of(Measured(3, due, late, excused), Terms())

    assert level.is_breached is is_breached
    assert level.ratio_of_all == pytest.approx(1 - late / due if due else 1.0)


async def check(world: World, late: int) -> list[str]:
    world.numbers.measured = [Measured(3, 100, late, 0)]
    world.clock.advance(301)
    before = len(world.ledger.messages)
    assert await check_levels(world.ports)
    return [one.body.type for one in world.ledger.messages[before:]]


async def test_a_breach_is_told_once_and_so_is_its_end(world: World) -> None:
    told = [await check(world, late) for late in (0, 5, 7, 0, 0, 9)]

    breached, restored = ["service_level.breached"], ["service_level.restored"]
    assert told == [[], breached, [], restored, [], breached]
    actions = [entry.action for entry in world.trail.entries]
    assert actions == [
        "service_level_breached",
        "service_level_restored",
        "service_level_breached",
    ]


async def test_a_duty_that_is_not_due_is_not_done(world: World) -> None:
    assert await check_levels(world.ports)
    assert not await check_levels(world.ports)
    world.clock.advance(301)

    assert await check_levels(world.ports)


async def test_every_process_shows_what_came_of_a_duty(world: World) -> None:
    await check(world, 50)
    world.conserved.violations = [Violation("forgotten", 3, (Offender("a", "b"),))]
    await check_conservation(world.ports)

    await measure(world.ports)

    assert REGISTRY.get_sample_value("paperline_sla_breached", {"check": "normal"}) == 1
    sample = "paperline_invariant_violations"
    assert REGISTRY.get_sample_value(sample, {"invariant": "forgotten"}) == 3
    assert REGISTRY.get_sample_value(sample, {"invariant": "stored_twice"}) == 0


async def test_levels_are_shown_as_they_were_checked(
    world: World, client: httpx.AsyncClient
) -> None:
    nothing = (await client.get("/ops/v1/service-levels", headers=VERA)).json()
    await check(world, 5)

    shown = (await client.get("/ops/v1/service-levels", headers=VERA)).json()

    assert nothing == {"checked_at": None, "levels": []}
    [level] = shown["levels"]
    assert (level["name"], level["ratio"], level["is_breached"]) == ("normal", 0.95, True)


async def test_the_report_holds_when_everything_agrees(
    world: World, client: httpx.AsyncClient
) -> None:
    world.conserved.sums = Sums({"completed": 7, "failed": 1, "queued": 2}, 10)

    shown = (await client.get("/ops/v1/conservation", headers=VERA)).json()

    assert (shown["holds"], shown["accepted"], shown["ended"]) == (True, 10, 8)
    assert (shown["in_flight"], shown["difference"], shown["audit"]) == (2, 0, "intact")
    assert {one["total"] for one in shown["violations"]} == {0}


@pytest.mark.parametrize("broken", ["sums", "promise", "audit"])
async def test_the_report_names_what_does_not_agree(
    world: World, client: httpx.AsyncClient, broken: str
) -> None:
    world.conserved.sums = Sums({"completed": 7}, 6 if broken == "sums" else 7)
    if broken == "promise":
        world.conserved.violations = [
            Violation("forgotten", 1, (Offender("=cmd|' /C calc'!A0", "queued"),))
        ]
    if broken == "audit":
        world.conserved.audit = "line 4: missing"

    shown = (await client.get("/ops/v1/conservation", headers=VERA)).json()
    table = await client.get("/ops/v1/conservation", params={"format": "csv"}, headers=VERA)

    assert shown["holds"] is False
    assert "attachment" in table.headers["content-disposition"]
    if broken == "promise":
        [found] = [one for one in shown["violations"] if one["total"]]
        assert found["offenders"][0]["subject"].startswith("=cmd")
        # No cell is a formula to whoever opens it.
        assert "offenders,forgotten,,'=cmd" in table.text


async def test_a_reviewer_is_shown_no_proof(client: httpx.AsyncClient) -> None:
    for path in ("conservation", "service-levels"):
        assert (await client.get(f"/ops/v1/{path}", headers=ANNA)).status_code == 403


def test_hours_that_were_missed_are_caught_up_on_within_reason() -> None:
    now = datetime(2026, 3, 14, 12, 30, tzinfo=UTC)
    last = datetime(2026, 3, 14, 8, tzinfo=UTC)

    assert [hour.hour for hour in hours_to_keep(last, now)] == [9, 10, 11]
    assert [hour.hour for hour in hours_to_keep(None, now)] == [11]
    assert not hours_to_keep(last + 3 * HOUR, now)
    assert len(hours_to_keep(last - timedelta(days=30), now)) == 48


async def test_each_hour_is_kept_once_as_json_and_as_parquet(world: World) -> None:
    world.numbers.counted = [Number("accepted", "all", 4)]
    for _ in range(3):
        await keep_snapshots(world.ports)
        world.clock.advance(61)

    kept = {key for key in world.blobs.objects if key.startswith("data/metrics/")}
    hour = NOON - HOUR
    key = f"data/metrics/{hour:%Y/%m/%d/%H}"
    assert kept == {f"{key}.json", f"{key}.parquet"}
    told = json.loads(world.blobs.objects[f"{key}.json"])
    assert {"name": "accepted", "label": "all", "value": 4} in told["numbers"]
    table = pq.read_table(io.BytesIO(world.blobs.objects[f"{key}.parquet"]))
    assert table.num_rows == len(told["numbers"])
    assert table.column("hour").to_pylist()[0] == hour


async def test_what_is_older_than_anybody_asks_for_goes_and_nothing_else(world: World) -> None:
    old, young = (f"{NOON - timedelta(days=n):%Y/%m/%d/%H}.json" for n in (91, 89))
    # Before they lay in a folder of their own, they lay in another.
    folders = ("data/metrics", "metrics")
    names = (old, young, "readme.txt")
    world.blobs.objects = {f"{one}/{name}": b"{}" for one in folders for name in names}
    # What others keep for each day is none of ours.
    world.blobs.objects[f"data/json/{old}"] = b"{}"

    await keep_snapshots(world.ports)

    hour = f"data/metrics/{NOON - HOUR:%Y/%m/%d/%H}"
    assert set(world.blobs.objects) == {
        *(f"{one}/{name}" for one in folders for name in (young, "readme.txt")),
        *(f"data/json/{old}", f"{hour}.json", f"{hour}.parquet"),
    }


@pytest.mark.slow
async def test_what_was_settled_long_ago_is_forgotten_and_what_is_open_never(
    world: World,
) -> None:
    settled, open_ = await world.kept(dead_letter()), await world.kept(dead_letter())
    replay = await replay_letter(settled.letter_id, "olga", "Fixed.", world.ports)
    async with world.ledger.unit() as unit:
        await settle_replays(unit, {replay.replay_id: "done"}, world.ports)

    kept = []
    for days in (30, 1):
        world.clock.advance(days * 86_400)
        await keep_snapshots(world.ports)
        kept.append({one.letter_id for one in world.letters.all})

    assert kept == [{settled.letter_id, open_.letter_id}, {open_.letter_id}]


@pytest.mark.parametrize("days", [0, 39])
def test_letters_are_no_longer_replayable_than_it_is_known_what_was_done(days: int) -> None:
    with pytest.raises(ValidationError, match="letters_kept_days"):
        Settings(letters_kept_days=days)


@pytest.mark.parametrize(
    "moment", ["0.5", "2026-11-01", "2026-11-01T00:00:00", "0001-01-01T00:00:00Z"]
)
async def test_a_report_is_asked_for_with_moments_that_are_some(
    client: httpx.AsyncClient, moment: str
) -> None:
    answer = await client.get("/ops/v1/conservation", params={"until": moment}, headers=VERA)

    assert answer.status_code == 422
