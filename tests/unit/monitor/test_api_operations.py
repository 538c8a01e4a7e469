"""Operations over HTTP: look first, ask once, steer by what was seen, follow to the end."""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.monitor.handlers.operating import step_operation
from services.monitor.handlers.settling import settle_replays
from tests.fakes.keys import key_of
from tests.unit.monitor.world import QUEUE, World, dead_letter, garbage

PATH = "/ops/v1/operations"
LETTERS = "/ops/v1/dead-letters"
OLGA = key_of("olga", "operator")
EDITH = key_of("edith", "editor")
ADMIN = key_of("ada", "admin")
ANNA = key_of("anna", "reviewer")
ONCE = {"Idempotency-Key": "k1"}


def wish(**given: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    return {"selector": {"queue": QUEUE}, "reason": "Fixed.", "rate_per_s": 1000, **given}


async def kept(world: World, count: int = 3) -> None:
    for _ in range(count):
        await world.kept(dead_letter())
    world.clock.advance(1)


async def asked(client: httpx.AsyncClient, **given: Any) -> dict[str, Any]:  # noqa: ANN401 -- JSON
    answer = await client.post(PATH, headers=OLGA | ONCE, json=wish(**given))
    assert answer.status_code == 202, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def test_a_dry_run_says_what_would_be_found_and_does_nothing(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.kept(garbage())
    await kept(world)

    answer = await client.post(PATH, headers=OLGA, json=wish(dry_run=True))

    assert answer.status_code == 200
    seen = answer.json()
    assert (seen["letters"], len(seen["sample"])) == (4, 4)
    assert seen["warnings"] == ["1 cannot be sent back and would be skipped."]
    assert (await client.get(PATH, headers=OLGA)).json()["operations"] == []


async def test_what_a_dry_run_saw_is_what_the_real_one_means(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world, 2)
    seen = (await client.post(PATH, headers=OLGA, json=wish(dry_run=True))).json()
    await kept(world, 5)

    operation = await asked(client, snapshot_before=seen["snapshot_before"])
    await step_operation(world.ports)

    shown = (await client.get(operation["links"]["self"], headers=OLGA)).json()
    assert shown["total"] == 2


async def test_an_operation_is_asked_for_steered_and_followed(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world)
    made = await client.post(PATH, headers=OLGA | ONCE, json=wish(canary=1))
    home = made.headers["Location"]
    for _ in range(2):
        await step_operation(world.ports)
    paused = await client.get(home, headers=OLGA)
    assert (paused.json()["state"], paused.json()["paused_because"]) == ("paused", "canary")

    resumed = await client.post(
        f"{home}/resume", headers=OLGA | {"If-Match": paused.headers["ETag"]}
    )
    await step_operation(world.ports)
    items = (await client.get(f"{home}/items", headers=OLGA)).json()["items"]
    async with world.ledger.unit() as unit:
        outcomes = {world.operations.replay_of(one["letter_id"]): "done" for one in items}
        await settle_replays(unit, outcomes, world.ports)
    await step_operation(world.ports)

    assert resumed.json()["state"] == "running"
    ended = (await client.get(home, headers=OLGA)).json()
    assert (ended["state"], ended["done"], ended["progress"]) == ("completed", 3, 100)
    actions = [entry.action for entry in world.trail.entries]
    assert actions == [
        "replay_requested",
        "operation_paused",
        "operation_resumed",
        "operation_completed",
    ]


@pytest.mark.parametrize("name", ["snapshot_before", "arrived_after"])
@pytest.mark.parametrize(
    "moment", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "0", "2026-11-01"]
)
async def test_a_moment_that_no_table_holds_is_the_clients_mistake(
    client: httpx.AsyncClient, name: str, moment: str
) -> None:
    selector = {"queue": QUEUE}
    given: dict[str, Any] = {"snapshot_before": moment}
    if name == "arrived_after":
        given = {"selector": selector | {name: moment}}

    answer = await client.post(PATH, headers=OLGA | ONCE, json=wish(**given))

    assert answer.status_code == 422


async def test_the_same_key_asks_once_and_for_one_thing(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world)
    first = await asked(client)

    again = await client.post(PATH, headers=OLGA | ONCE, json=wish())
    other = await client.post(PATH, headers=OLGA | ONCE, json=wish(reason="Another."))
    without = await client.post(PATH, headers=OLGA, json=wish())

    assert again.json()["operation_id"] == first["operation_id"]
    assert again.headers["Idempotency-Replayed"] == "true"
    assert (other.status_code, without.status_code) == (422, 400)


async def test_letters_that_another_operation_has_are_a_conflict_that_says_where(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world)
    first = await asked(client)

    second = await client.post(PATH, headers=OLGA | {"Idempotency-Key": "k2"}, json=wish())

    assert second.status_code == 409
    assert second.headers["Location"] == first["links"]["self"]


@pytest.mark.parametrize("selector", [{}, {"all": True, "queue": QUEUE}, {"queu": QUEUE}])
async def test_a_selection_says_what_it_means(
    client: httpx.AsyncClient, selector: dict[str, Any]
) -> None:
    answer = await client.post(PATH, headers=OLGA | ONCE, json=wish(selector=selector))

    assert answer.status_code == 422


@pytest.mark.parametrize(
    ("kind", "key", "status"),
    [
        ("replay", OLGA, 202),
        ("archive", OLGA, 202),
        ("purge", OLGA, 403),
        ("purge", EDITH, 403),
        ("purge", ADMIN, 202),
        ("replay", ANNA, 403),
    ],
)
async def test_each_kind_needs_a_right_of_its_own(
    client: httpx.AsyncClient, kind: str, key: dict[str, str], status: int
) -> None:
    answer = await client.post(PATH, headers=key | ONCE, json=wish(kind=kind))

    assert answer.status_code == status


async def test_whoever_tries_what_he_may_not_is_on_record(
    world: World, client: httpx.AsyncClient
) -> None:
    made = await client.post(PATH, headers=ADMIN | ONCE, json=wish(kind="purge"))
    seen = {"If-Match": made.headers["ETag"]}

    await client.post(PATH, headers=OLGA, json=wish(kind="purge", dry_run=True))
    await client.post(f"{made.headers['Location']}/cancel", headers=OLGA | seen)
    await client.post(PATH, headers=ANNA, json=wish())
    await client.get(PATH, headers=ANNA)

    told = [(entry.actor, entry.action, entry.resource) for entry in world.trail.entries[1:]]
    resource = f"operation/{made.json()['operation_id']}"
    assert told == [
        ("olga", "purge_refused", "operations"),
        ("olga", "purge_refused", resource),
        ("anna", "refused", f"POST {PATH}"),
    ]


async def test_who_may_not_purge_cannot_steer_a_purge(client: httpx.AsyncClient) -> None:
    made = await client.post(PATH, headers=ADMIN | ONCE, json=wish(kind="purge"))

    answer = await client.post(
        f"{made.headers['Location']}/pause",
        headers=OLGA | {"If-Match": made.headers["ETag"]},
    )

    assert answer.status_code == 403


async def test_steering_rests_on_what_was_seen(client: httpx.AsyncClient) -> None:
    home = (await asked(client))["links"]["self"]

    without = await client.post(f"{home}/pause", headers=OLGA)
    stale = await client.post(f"{home}/pause", headers=OLGA | {"If-Match": '"9"'})
    paced = await client.patch(home, headers=OLGA | {"If-Match": '"1"'}, json={"rate_per_s": 5})
    ended = await client.post(
        f"{home}/cancel", headers=OLGA | {"If-Match": paced.headers["ETag"]}
    )
    late = await client.post(
        f"{home}/resume", headers=OLGA | {"If-Match": ended.headers["ETag"]}
    )

    assert (without.status_code, stale.status_code) == (428, 412)
    assert stale.headers["ETag"] == '"1"'
    assert paced.json()["rate_per_s"] == 5
    assert (ended.json()["state"], late.status_code) == ("cancelled", 409)


@pytest.mark.parametrize("rate", [5e-324, 1e-9, 0, -1, 1e7])
async def test_a_rate_at_which_nothing_moves_is_refused(
    rate: float, client: httpx.AsyncClient
) -> None:
    home = (await asked(client))["links"]["self"]

    anew = await client.post(PATH, headers=OLGA | ONCE, json=wish(rate_per_s=rate))
    paced = await client.patch(
        home, headers=OLGA | {"If-Match": '"1"'}, json={"rate_per_s": rate}
    )

    assert [one.status_code for one in (anew, paced)] == [422, 422]


async def test_an_unknown_operation_is_not_found(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"{PATH}/{uuid4()}", headers=OLGA)

    assert answer.status_code == 404


async def test_a_letter_is_mended_by_those_who_may(
    world: World, client: httpx.AsyncClient
) -> None:
    letter = await world.kept(dead_letter())
    home = f"{LETTERS}/{letter.letter_id}"
    seen = {"If-Match": (await client.get(home, headers=EDITH)).headers["ETag"]}
    edit = {"patch": {"filename": "mended.pdf"}, "reason": "A bad name."}

    refused = await client.post(f"{home}/edit-and-replay", headers=OLGA | seen, json=edit)
    locked = await client.post(
        f"{home}/edit-and-replay",
        headers=EDITH | seen,
        json=edit | {"patch": {"owner_id": "x"}},
    )
    sent = await client.post(f"{home}/edit-and-replay", headers=EDITH | seen, json=edit)
    again = await client.post(f"{home}/edit-and-replay", headers=EDITH | seen, json=edit)

    statuses = [one.status_code for one in (refused, locked, sent, again)]
    assert statuses == [403, 422, 202, 412]
    shown = (await client.get(home, headers=EDITH)).json()
    assert (shown["state"], shown["superseded_by"]) == ("superseded", sent.json()["job_id"])


async def test_a_group_is_shown_with_what_people_say_of_it(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world)
    [group] = (await client.get("/ops/v1/failure-groups", headers=OLGA)).json()["groups"]
    home = f"/ops/v1/failure-groups/{group['fingerprint']}/comment"
    seen = {"If-Match": (await client.get(home, headers=OLGA)).headers["ETag"]}

    said = await client.put(home, headers=OLGA | seen, json={"comment": "A bad deploy."})
    stale = await client.put(home, headers=OLGA | seen, json={"comment": "No."})

    assert (said.status_code, stale.status_code) == (200, 412)
    [now] = (await client.get("/ops/v1/failure-groups", headers=OLGA)).json()["groups"]
    assert (now["letters"], now["said"]["comment"]) == (3, "A bad deploy.")


async def test_no_letter_lies_behind_what_its_column_can_hold(
    world: World, client: httpx.AsyncClient
) -> None:
    await kept(world)
    home = f"{PATH}/{(await asked(client))['operation_id']}"

    last = await client.get(f"{home}/items", params={"after": 2**31 - 1}, headers=OLGA)
    behind = await client.get(f"{home}/items", params={"after": 2**31}, headers=OLGA)

    assert (last.status_code, behind.status_code) == (200, 422)
