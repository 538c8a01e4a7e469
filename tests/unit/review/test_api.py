"""The review API: who may what, what a decision must name, and how a refusal reads."""

from collections.abc import AsyncIterator
from uuid import uuid4

import httpx
import pytest

from services.review.api import build
from shared.contracts.orders import FinaliseDocumentV1
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")
BORIS = key_of("boris", "reviewer")
LEAD = key_of("lena", "lead")
OPERATOR = key_of("olga", "operator")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


async def test_a_person_sees_claims_and_approves_an_item(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"

    seen = await client.get(home, headers=ANNA)
    claimed = await client.post(f"{home}/claim", headers=ANNA)
    approved = await client.post(
        f"{home}/approve", headers={**ANNA, "If-Match": seen.headers["ETag"]}
    )

    assert seen.headers["ETag"] == '"1"'
    assert seen.json()["fields"][0]["path"] == "seller.name"
    assert claimed.json()["claimed_by"] == "anna"
    assert (approved.status_code, approved.json()["status"]) == (200, "approved")
    assert approved.headers["ETag"] == '"2"'
    assert any(isinstance(body, FinaliseDocumentV1) for body in world.ledger.sent)


async def test_a_decision_without_the_version_it_rests_on_is_refused(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()

    answer = await client.post(f"/v1/items/{item.document_id}/approve", headers=ANNA)

    assert answer.status_code == 428
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize("tag", ['"7"', "*", "nonsense", 'W/"1"'])
async def test_a_decision_about_another_version_is_refused(
    world: World, client: httpx.AsyncClient, tag: str
) -> None:
    item = await world.opened()

    answer = await client.post(
        f"/v1/items/{item.document_id}/approve", headers={**ANNA, "If-Match": tag}
    )

    assert answer.status_code == 412
    assert world.ledger.sent == []


async def test_an_item_in_other_hands_is_a_conflict_that_names_them(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    await client.post(f"/v1/items/{item.document_id}/claim", headers=ANNA)

    answer = await client.post(f"/v1/items/{item.document_id}/claim", headers=BORIS)

    assert answer.status_code == 409
    assert "anna" in answer.json()["detail"]


async def test_a_rejection_needs_a_reason(world: World, client: httpx.AsyncClient) -> None:
    item = await world.opened()
    path = f"/v1/items/{item.document_id}/reject"
    headers = {**ANNA, "If-Match": '"1"'}

    without = await client.post(path, headers=headers, json={"reason": "  "})
    extra = await client.post(path, headers=headers, json={"reason": "x", "status": "approved"})
    answer = await client.post(
        path, headers=headers, json={"reason_code": "unreadable", "reason": "Black page."}
    )

    assert (without.status_code, extra.status_code, answer.status_code) == (422, 422, 200)
    assert answer.json()["reason"] == "Black page."


async def test_the_next_item_is_claimed_and_an_empty_queue_says_so(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()

    first = await client.post("/v1/items/next", headers=ANNA)
    second = await client.post("/v1/items/next", headers=BORIS)

    assert first.json()["document_id"] == str(item.document_id)
    assert (second.status_code, second.content) == (204, b"")


async def test_a_released_item_is_free_for_the_next(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"
    await client.post(f"{home}/claim", headers=ANNA)

    released = await client.post(f"{home}/release", headers=ANNA)

    assert released.json()["claimed_by"] is None
    assert (await client.post(f"{home}/claim", headers=BORIS)).status_code == 200


async def test_pages_follow_each_other_without_gap_or_repeat(
    world: World, client: httpx.AsyncClient
) -> None:
    opened = []
    for _ in range(5):
        opened.append(str((await world.opened()).document_id))
        world.clock.advance(1)

    seen: list[str] = []
    query = "?status=pending&limit=2"
    while query:
        page = (await client.get(f"/v1/items{query}", headers=ANNA)).json()
        seen += [item["document_id"] for item in page["items"]]
        query = f"?status=pending&limit=2&cursor={page['next']}" if page["next"] else ""

    assert seen == opened


async def test_the_record_shows_a_lead_everything_and_a_reviewer_the_own_deeds(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    home = f"/v1/items/{item.document_id}"
    for headers in (ANNA, BORIS):
        await client.post(f"{home}/claim", headers=headers)
        await client.post(f"{home}/release", headers=headers)

    by_lead = (await client.get(f"{home}/audit", headers=LEAD)).json()["entries"]
    by_anna = (await client.get(f"{home}/audit", headers=ANNA)).json()["entries"]

    assert [entry["actor"] for entry in by_lead] == ["boris", "boris", "anna", "anna"]
    assert [entry["action"] for entry in by_anna] == ["item_released", "item_claimed"]


async def test_an_unknown_item_is_not_found(client: httpx.AsyncClient) -> None:
    answer = await client.get(f"/v1/items/{uuid4()}", headers=ANNA)

    assert answer.status_code == 404
    assert answer.json()["status"] == 404


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/items"),
        ("POST", "/v1/items/next"),
        ("GET", "/v1/items/{id}"),
        ("POST", "/v1/items/{id}/claim"),
        ("POST", "/v1/items/{id}/release"),
        ("POST", "/v1/items/{id}/approve"),
        ("POST", "/v1/items/{id}/reject"),
        ("POST", "/v1/items/{id}/duplicate"),
        ("POST", "/v1/items/{id}/reopen"),
        ("POST", "/v1/items/{id}/split"),
        ("POST", "/v1/items/{id}/reextract"),
    ],
)
async def test_a_stranger_and_an_operator_are_kept_out(
    client: httpx.AsyncClient, method: str, path: str
) -> None:
    path = path.format(id=uuid4())

    stranger = await client.request(method, path)
    operator = await client.request(method, path, headers=OPERATOR)

    assert (stranger.status_code, operator.status_code) == (401, 403)
