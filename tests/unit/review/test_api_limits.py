"""What the review API takes from nobody: words the database cannot keep, times years away."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.review.api import build
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")
LEAD = key_of("lena", "lead")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


@pytest.mark.parametrize("until", ["9999-12-31T23:59:59-12:00", "2999-01-01T00:00:00Z"])
async def test_nothing_is_put_off_for_years(
    until: str, world: World, client: httpx.AsyncClient
) -> None:
    path = f"/v1/items/{(await world.opened()).document_id}/postpone"

    refused = await client.post(path, headers=ANNA, json={"until": until, "reason": "x"})

    assert refused.status_code == 422
    assert refused.json()["errors"][0]["pointer"] == "/until"


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("reject", {"reason": "a\0b"}),
        ("approve", {"override": "a\0b"}),
        ("assign", {"reviewer": "a\0b"}),
        ("escalate", {"level": 2, "reason": "a\0b"}),
    ],
)
async def test_words_that_the_database_cannot_keep_are_refused(
    action: str, body: dict[str, object], world: World, client: httpx.AsyncClient
) -> None:
    path = f"/v1/items/{(await world.opened()).document_id}/{action}"

    refused = await client.post(path, headers={**LEAD, "If-Match": '"1"'}, json=body)

    assert refused.status_code == 422


@pytest.mark.parametrize("query", ["q=a%00", "assignee=a%00"])
async def test_a_list_is_not_asked_for_with_them_either(
    query: str, client: httpx.AsyncClient
) -> None:
    assert (await client.get(f"/v1/items?{query}", headers=ANNA)).status_code == 422
