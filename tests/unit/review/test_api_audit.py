"""The record over HTTP: whose deeds one sees, that the chain holds, and a copy to take away."""

import json
from collections.abc import AsyncIterator
from dataclasses import replace

import httpx
import pytest

from services.review.api import build
from services.review.domain.items import resource_of
from shared.audit.chain import Link
from shared.audit.reader import check_export
from tests.fakes.audit import InMemoryAuditLog
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")
BORIS = key_of("boris", "reviewer")
LEAD = key_of("lena", "lead")
OPERATOR = key_of("olga", "operator")
SUBMITTER = key_of("acme", "submitter")
PATHS = ("/v1/audit", "/v1/audit/verify", "/v1/audit/export")


@pytest.fixture
def log(world: World) -> InMemoryAuditLog:
    return InMemoryAuditLog(world.trail.entries)


@pytest.fixture
async def client(world: World, log: InMemoryAuditLog) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance(audit=log)))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


async def busy(world: World, client: httpx.AsyncClient) -> list[str]:
    """Two people who claim and give back; the resources they did it to."""
    resources = []
    for headers in (ANNA, BORIS, ANNA):
        item = await world.opened()
        resources.append(resource_of(item.document_id))
        for verb in ("claim", "release"):
            await client.post(f"/v1/items/{item.document_id}/{verb}", headers=headers)
    return resources


async def actors(
    client: httpx.AsyncClient, headers: dict[str, str], query: str = ""
) -> list[str]:
    answer = await client.get(f"/v1/audit{query}", headers=headers)
    return [one["actor"] for one in answer.json()["items"]]


async def test_a_reviewer_sees_the_own_deeds_and_a_lead_all(
    world: World, client: httpx.AsyncClient
) -> None:
    await busy(world, client)

    assert await actors(client, LEAD) == ["anna"] * 2 + ["boris"] * 2 + ["anna"] * 2
    assert await actors(client, OPERATOR, "?actor=boris") == ["boris"] * 2
    assert await actors(client, ANNA) == ["anna"] * 4
    assert await actors(client, ANNA, "?actor=boris") == []


async def test_the_record_is_filtered_and_paged(
    world: World, client: httpx.AsyncClient
) -> None:
    resources = await busy(world, client)

    by_resource = await client.get(f"/v1/audit?resource={resources[1]}", headers=LEAD)
    seen: list[int] = []
    query = "?action=item_claimed&limit=2"
    while query:
        page = (await client.get(f"/v1/audit{query}", headers=LEAD)).json()
        seen += [one["seq"] for one in page["items"]]
        query = page["next"] and f"?action=item_claimed&limit=2&cursor={page['next']}"

    assert [one["seq"] for one in by_resource.json()["items"]] == [4, 3]
    assert seen == [5, 3, 1]


async def test_a_cursor_of_one_list_is_not_one_of_another(
    world: World, client: httpx.AsyncClient
) -> None:
    await busy(world, client)
    page = (await client.get("/v1/audit?limit=1", headers=LEAD)).json()

    answer = await client.get(f"/v1/audit?limit=1&cursor={page['next']}", headers=ANNA)

    assert answer.status_code == 422


async def test_the_chain_is_proven_and_an_altered_line_named(
    world: World, client: httpx.AsyncClient, log: InMemoryAuditLog
) -> None:
    await busy(world, client)

    whole = (await client.get("/v1/audit/verify", headers=LEAD)).json()
    log.altered[4] = replace(world.trail.entries[3], actor="eve")
    broken = (await client.get("/v1/audit/verify", headers=LEAD)).json()

    assert (whole["intact"], whole["broken"], whole["head"]["seq"]) == (True, None, 6)
    assert (broken["intact"], broken["broken"]) == (False, {"seq": 4, "why": "altered"})


async def test_a_link_that_was_kept_must_still_stand(
    world: World, client: httpx.AsyncClient
) -> None:
    await busy(world, client)
    head = (await client.get("/v1/audit/verify", headers=LEAD)).json()["head"]

    same = await client.get(f"/v1/audit/verify?seq=6&hash={head['hash']}", headers=LEAD)
    other = await client.get(f"/v1/audit/verify?seq=6&hash={'0' * 64}", headers=LEAD)

    assert same.json()["intact"]
    assert other.json()["broken"] == {"seq": 6, "why": "not the line that was exported"}


async def test_the_export_is_a_copy_that_proves_itself(
    world: World, client: httpx.AsyncClient
) -> None:
    await busy(world, client)

    answer = await client.get("/v1/audit/export", headers=LEAD)

    lines = answer.text.splitlines()
    assert answer.headers["content-type"].startswith("application/jsonl")
    assert "attachment" in answer.headers["content-disposition"]
    assert [json.loads(one)["seq"] for one in lines[:-1]] == [1, 2, 3, 4, 5, 6]
    assert isinstance(check_export(lines), Link)


async def test_a_proof_and_a_copy_need_the_right_to_all_of_it(
    client: httpx.AsyncClient,
) -> None:
    by_reviewer = [(await client.get(path, headers=ANNA)).status_code for path in PATHS]
    by_submitter = [(await client.get(path, headers=SUBMITTER)).status_code for path in PATHS]
    by_stranger = [(await client.get(path)).status_code for path in PATHS]

    assert by_reviewer == [200, 403, 403]
    assert by_submitter == [403, 403, 403]
    assert by_stranger == [401, 401, 401]
