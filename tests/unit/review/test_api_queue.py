"""The routes of the queue: whose turn it is, who may take what, and how a refusal reads."""

from collections.abc import AsyncIterator
from datetime import timedelta
from uuid import UUID, uuid4

import httpx
import pytest

from services.review.api import build
from services.review.handlers.assigning import keep_presence
from services.review.handlers.minding import mind_queue
from shared.contracts.body import Priority
from shared.contracts.facts import ReviewOverdueV1
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import LEASE_S, World

ANNA = key_of("anna", "reviewer")
BORIS = key_of("boris", "reviewer")
LEAD = key_of("lena", "lead")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


def _problem(answer: httpx.Response) -> str:
    return str(answer.json()["type"]).rpartition("/")[2]


async def _ids(client: httpx.AsyncClient, query: str) -> list[str]:
    answer = await client.get(f"/v1/items?{query}", headers=ANNA)
    assert answer.status_code == 200, answer.text
    return [item["document_id"] for item in answer.json()["items"]]


async def test_an_item_says_why_it_stands_where_it_stands(
    world: World, client: httpx.AsyncClient
) -> None:
    await world.opened(Priority.URGENT)

    answer = await client.get("/v1/items?status=open", headers=ANNA)

    [item] = answer.json()["items"]
    parts = {name: item["rank"][name] for name in ("doubt", "sla", "complexity", "value")}
    assert item["rank"]["score"] == pytest.approx(sum(parts.values()), abs=0.05)
    assert item["rank"]["why"][0] == "due in 2 h"
    assert (item["sla"], item["level"], item["assigned_to"]) == ("soon", 1, None)
    assert item["due_at"] == "2026-03-14T14:00:00Z"


async def test_open_items_come_in_rank_order_and_all_of_them_by_age(
    world: World, client: httpx.AsyncClient
) -> None:
    normal = str((await world.opened()).document_id)
    world.clock.advance(1)
    urgent = str((await world.opened(Priority.URGENT)).document_id)

    assert await _ids(client, "status=open") == [urgent, normal]
    assert await _ids(client, "status=pending") == [urgent, normal]
    assert await _ids(client, "status=open&sort=age") == [normal, urgent]
    assert await _ids(client, "") == [normal, urgent]
    assert await _ids(client, "sort=rank") == [urgent, normal]


async def test_pages_in_rank_order_follow_each_other_also_while_things_become_late(
    world: World, client: httpx.AsyncClient
) -> None:
    opened = {str((await world.opened()).document_id) for _ in range(5)}
    seen: list[str] = []
    query = "status=open&limit=2"

    while query:
        page = (await client.get(f"/v1/items?{query}", headers=ANNA)).json()
        seen += [item["document_id"] for item in page["items"]]
        query = f"status=open&limit=2&cursor={page['next']}" if page["next"] else ""

    assert len(seen) == 5
    assert set(seen) == opened


async def test_a_cursor_of_another_list_or_of_nobody_is_refused(
    world: World, client: httpx.AsyncClient
) -> None:
    for _ in range(3):
        await world.opened()
    page = (await client.get("/v1/items?status=open&limit=1", headers=ANNA)).json()
    cursor = page["next"]

    asked = [
        (ANNA, f"status=pending&cursor={cursor}"),
        (BORIS, f"status=open&cursor={cursor}"),
        (ANNA, "status=open&cursor=WzFd.xxxx"),
        (ANNA, f"status=open&cursor={cursor[:-2]}"),
    ]
    answers = [await client.get(f"/v1/items?{query}", headers=key) for key, query in asked]

    assert [one.status_code for one in answers] == [422] * 4


@pytest.mark.parametrize(
    "query",
    [
        "sort=rank&status=approved",
        "sla=none",
        "level=4",
        "q=",
        "unknown=1",
        "limit=0",
        "q=a%00",
        "assignee=%00",
    ],
)
async def test_a_question_that_makes_no_sense_is_refused(
    client: httpx.AsyncClient, query: str
) -> None:
    answer = await client.get(f"/v1/items?{query}", headers=ANNA)

    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"


async def test_the_list_is_narrowed_to_mine_to_nobodys_and_to_what_is_late(
    world: World, client: httpx.AsyncClient
) -> None:
    mine = str((await world.opened()).document_id)
    free = str((await world.opened(Priority.URGENT)).document_id)
    await client.post(f"/v1/items/{mine}/claim", headers=ANNA)
    world.clock.advance(3 * 3600)
    await mind_queue(world.ports)
    await client.post(f"/v1/items/{mine}/claim", headers=ANNA)

    assert await _ids(client, "status=open&assignee=me") == [mine]
    assert await _ids(client, "status=open&assignee=anna") == [mine]
    assert await _ids(client, "status=open&assignee=none") == [free]
    assert await _ids(client, "sla=late") == [free]
    assert await _ids(client, "sla=ok") == [mine]
    assert await _ids(client, "status=open&q=NORDL") != []
    assert await _ids(client, "status=open&q=nobody") == []


async def test_a_peek_shows_the_next_and_claims_nothing(
    world: World, client: httpx.AsyncClient
) -> None:
    first = await world.opened(Priority.URGENT)
    second = await world.opened()

    seen = await client.post("/v1/items/next?peek=true", headers=ANNA)
    after = await client.post(
        f"/v1/items/next?peek=true&after={first.document_id}", headers=ANNA
    )

    assert seen.json()["document_id"] == str(first.document_id)
    assert after.json()["document_id"] == str(second.document_id)
    assert seen.json()["claimed_by"] is None


async def test_a_lost_lease_is_a_conflict_of_its_own_name(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"
    await client.post(f"{home}/claim", headers=ANNA)
    kept = await client.post(f"{home}/heartbeat", headers=ANNA)
    world.clock.advance(LEASE_S + 1)

    lost = await client.post(f"{home}/heartbeat", headers=ANNA)
    await client.post(f"{home}/claim", headers=BORIS)
    given_back = await client.post(f"{home}/release", headers=ANNA)

    assert kept.status_code == 200
    assert (lost.status_code, _problem(lost)) == (409, "lease-lost")
    assert _problem(given_back) == "lease-lost"
    assert "boris" in given_back.json()["detail"]


async def test_a_takeover_needs_the_right_and_names_whom_it_was_taken_from(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"
    await client.post(f"{home}/claim", headers=ANNA)
    body = {"reason": "Anna has gone home."}

    refused = await client.post(f"{home}/takeover", headers=BORIS, json=body)
    unsaid = await client.post(f"{home}/takeover", headers=LEAD, json={"reason": " "})
    taken = await client.post(f"{home}/takeover", headers=LEAD, json=body)

    assert (refused.status_code, unsaid.status_code) == (403, 422)
    assert taken.json()["claimed_by"] == "lena"
    entry = world.trail.entries[-1]
    assert (entry.actor, entry.action, entry.reason) == (
        "lena",
        "item_taken_over",
        "Anna has gone home.",
    )
    assert isinstance(entry.before, dict)
    assert entry.before["claimed_by"] == "anna"


async def test_an_item_is_assigned_by_a_lead_and_is_then_for_one(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"

    refused = await client.post(f"{home}/assign", headers=ANNA, json={"reviewer": "anna"})
    unknown = await client.post(f"{home}/assign", headers=LEAD, json={"reviewer": "bors"})
    await keep_presence("boris", True, world.ports)
    given = await client.post(f"{home}/assign", headers=LEAD, json={"reviewer": "boris"})
    kept_out = await client.post(f"{home}/claim", headers=ANNA)
    free = await client.post(f"{home}/assign", headers=LEAD, json={})

    assert (refused.status_code, _problem(unknown)) == (403, "no-such-reviewer")
    assert given.json()["assigned_to"] == "boris"
    assert _problem(kept_out) == "assigned-to-another"
    assert free.json()["assigned_to"] is None


async def test_putting_off_and_passing_on_need_a_reason_and_a_time_to_come(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"
    soon = (world.clock.now() + timedelta(hours=1)).isoformat()
    past = (world.clock.now() - timedelta(hours=1)).isoformat()

    asked = [
        ("postpone", {"until": soon}),
        ("postpone", {"until": past, "reason": "x"}),
        ("postpone", {"until": soon, "reason": "x"}),
        ("escalate", {"level": 4, "reason": "x"}),
        ("escalate", {"level": 3, "reason": "x"}),
        ("claim", {}),
    ]
    answers = [
        await client.post(f"{home}/{action}", headers=ANNA, json=body) for action, body in asked
    ]

    assert [one.status_code for one in answers] == [422, 422, 200, 422, 200, 409]
    assert answers[1].json()["errors"][0]["pointer"] == "/until"
    assert _problem(answers[-1]) == "above-level"


async def test_reviewers_say_where_they_are_and_leads_which_level_they_have(
    world: World, client: httpx.AsyncClient
) -> None:
    away = await client.put("/v1/reviewers/me", headers=ANNA, json={"active": False})
    refused = await client.put("/v1/reviewers/anna", headers=ANNA, json={"level": 3})
    raised = await client.put("/v1/reviewers/anna", headers=LEAD, json={"level": 3})
    listed = await client.get("/v1/reviewers", headers=BORIS)

    assert away.json()["active"] is False
    assert (refused.status_code, raised.status_code) == (403, 200)
    [anna] = listed.json()["reviewers"]
    assert (anna["name"], anna["level"], anna["active"]) == ("anna", 3, False)


async def test_what_becomes_overdue_is_told_once_by_one_process(world: World) -> None:
    item = await world.opened(Priority.URGENT)
    world.clock.advance(2 * 3600 + 1)
    world.queue.taken.add("minding")
    elsewhere = await mind_queue(world.ports)
    world.queue.taken.clear()

    await mind_queue(world.ports)
    await mind_queue(world.ports)

    assert elsewhere == 0
    [fact] = world.ledger.sent
    assert isinstance(fact, ReviewOverdueV1)
    assert (fact.document_id, fact.due_at) == (item.document_id, item.due_at)


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/v1/items/{id}/heartbeat"),
        ("POST", "/v1/items/{id}/postpone"),
        ("POST", "/v1/items/{id}/escalate"),
        ("POST", "/v1/items/{id}/assign"),
        ("POST", "/v1/items/{id}/takeover"),
        ("GET", "/v1/reviewers"),
        ("PUT", "/v1/reviewers/me"),
        ("PUT", "/v1/reviewers/anna"),
    ],
)
async def test_a_stranger_and_an_operator_are_kept_out_of_the_queue(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    path = path.format(id=UUID(int=uuid4().int))

    stranger = await client.request(method, path)
    operator = await client.request(method, path, headers=key_of("olga", "operator"))

    assert (stranger.status_code, operator.status_code) == (401, 403)
