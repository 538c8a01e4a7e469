"""Decisions over HTTP: what they need, what they answer, and how a refusal reads."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any
from uuid import uuid4

import httpx
import pytest

from services.review.api import build
from services.review.domain.items import ReviewItem
from services.review.ports.forms import ItemFindings
from shared.contracts.extraction import Finding
from tests import builders
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.world import World

ANNA = key_of("anna", "reviewer")
BORIS = key_of("boris", "reviewer")
LEAD = key_of("lena", "lead")


@pytest.fixture
async def client(world: World) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


def seen(headers: dict[str, str], version: int) -> dict[str, str]:
    return {**headers, "If-Match": f'"{version}"'}


def home(item: ReviewItem) -> str:
    return f"/v1/items/{item.document_id}"


async def blocked(world: World) -> ReviewItem:
    item = await world.opened()
    finding = Finding(
        code="unknown_account",
        severity="block",
        detail="The account is new.",
        touches=("payment.accounts.0.iban",),
    )
    told = builders.extraction(document_id=item.document_id).model_copy(
        update={"findings": (finding,)}
    )
    item = replace(item, extraction_key=world.store(told))
    world.items.items[item.document_id] = item
    world.forms.findings[item.document_id] = ItemFindings(item.document_id, (), [finding])
    return item


async def test_what_blocks_is_listed_and_an_override_needs_its_reason(
    world: World, client: httpx.AsyncClient
) -> None:
    path = f"{home(await blocked(world))}/approve"

    refused = await client.post(path, headers=seen(ANNA, 1))
    empty = await client.post(path, headers=seen(ANNA, 1), json={"override": " "})
    approved = await client.post(path, headers=seen(ANNA, 1), json={"override": "Asked."})

    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/blocked")
    assert refused.json()["errors"] == [
        {"pointer": "/fields/payment.accounts.0.iban", "detail": "The account is new."}
    ]
    assert (empty.status_code, approved.status_code) == (422, 200)
    assert approved.json()["reason"] == "Asked."


async def test_a_duplicate_names_its_original(world: World, client: httpx.AsyncClient) -> None:
    original, copy = await world.opened(), await world.opened()
    wanted = {"of": str(original.document_id), "reason": "Scanned twice."}
    path = f"{home(copy)}/duplicate"

    itself = await client.post(
        path, headers=seen(ANNA, 1), json={**wanted, "of": str(copy.document_id)}
    )
    marked = await client.post(path, headers=seen(ANNA, 1), json=wanted)

    assert (itself.status_code, itself.json()["type"]) == (422, "/problems/no-such-original")
    assert (marked.status_code, marked.json()["status"]) == (200, "rejected")
    assert marked.json()["duplicate_of"] == str(original.document_id)
    assert marked.json()["reason_code"] == "duplicate"


async def test_a_lead_reopens_with_a_reason_and_a_reviewer_only_undoes(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    path = f"{home(item)}/reopen"
    approved = await client.post(f"{home(item)}/approve", headers=seen(ANNA, 1))

    forbidden = await client.post(path, headers=seen(ANNA, 2), json={"reason": "Oh."})
    silent = await client.post(path, headers=seen(LEAD, 2), json={})
    undone = await client.post(path, headers=seen(ANNA, 2), json={"undo": True})
    await client.post(f"{home(item)}/approve", headers=seen(ANNA, 3))
    reopened = await client.post(path, headers=seen(LEAD, 4), json={"reason": "Oh."})

    assert approved.json()["actions"] == ["undo"]
    assert (forbidden.status_code, silent.status_code) == (403, 422)
    assert (undone.status_code, undone.json()["claimed_by"]) == (200, "anna")
    assert (reopened.status_code, reopened.json()["status"]) == (200, "pending")
    assert reopened.headers["ETag"] == '"5"'


async def test_an_engine_is_chosen_among_those_that_read_here(world: World) -> None:
    item = await world.opened()
    use = replace(world.ports, engines=("einvoice", "offline"))
    transport = httpx.ASGITransport(build(use, entrance()))
    path = f"{home(item)}/reextract"
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        shown = await client.get(home(item), headers=ANNA)
        asked = {"reason": "Half is missing.", "engine": "gemini"}
        absent = await client.post(path, headers=seen(ANNA, 1), json=asked)
        unknown = await client.post(path, headers=seen(ANNA, 1), json={**asked, "engine": "x"})
        chosen = await client.post(
            path, headers=seen(ANNA, 1), json={**asked, "engine": "offline"}
        )

    assert shown.json()["engines"] == ["einvoice", "offline"]
    assert (absent.status_code, unknown.status_code) == (422, 422)
    assert absent.json()["errors"] == [
        {"pointer": "/engine", "detail": "read here by einvoice, offline"}
    ]
    assert (chosen.status_code, chosen.json()["reextract_asked_by"]) == (200, "anna")


async def test_a_reopening_names_the_version_and_somebody_elses_is_not_undone(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    path = f"{home(item)}/reopen"
    open_still = await client.post(path, headers=seen(LEAD, 1), json={"reason": "Oh."})
    await client.post(f"{home(item)}/approve", headers=seen(ANNA, 1))

    unseen = await client.post(path, headers=LEAD, json={"reason": "Oh."})
    stale = await client.post(path, headers=seen(LEAD, 1), json={"reason": "Oh."})
    others = await client.post(path, headers=seen(BORIS, 2), json={"undo": True})

    assert (open_still.status_code, open_still.json()["type"]) == (
        409,
        "/problems/not-decided",
    )
    assert (unseen.status_code, stale.status_code) == (428, 412)
    assert (others.status_code, others.json()["type"]) == (409, "/problems/too-late-to-undo")


async def test_no_decision_without_the_version_it_rests_on(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    bodies = {
        "approve": None,
        "reject": {"reason": "No."},
        "duplicate": {"of": str(item.document_id), "reason": "No."},
        "reopen": {"reason": "No."},
        "reextract": {"reason": "No."},
        "split": {"parts": [{"pages": [1]}, {"pages": [2]}], "reason": "No."},
    }

    answers = [
        await client.post(f"{home(item)}/{name}", headers=LEAD, json=body)
        for name, body in bodies.items()
    ]

    assert {one.status_code for one in answers} == {428}
    assert world.ledger.sent == []


async def test_a_split_shows_its_children_and_says_where_pages_are_wrong(
    world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    told = builders.extraction(document_id=item.document_id).model_copy(
        update={"media_type": "application/pdf", "page_count": 3}
    )
    world.items.items[item.document_id] = replace(item, extraction_key=world.store(told))
    path, reason = f"{home(item)}/split", "Two in one."

    wrong = await client.post(
        path,
        headers=seen(ANNA, 1),
        json={"parts": [{"pages": [1]}, {"pages": [9]}], "reason": reason},
    )
    alone = await client.post(
        path, headers=seen(ANNA, 1), json={"parts": [{"pages": [1]}], "reason": reason}
    )
    done = await client.post(
        path,
        headers=seen(ANNA, 1),
        json={"parts": [{"pages": [1, 2]}, {"pages": [3]}], "reason": reason},
    )
    reopened = await client.post(
        f"{home(item)}/reopen", headers=seen(LEAD, 2), json={"reason": "Oh."}
    )

    assert (wrong.status_code, alone.status_code) == (422, 422)
    assert wrong.json()["errors"][0]["pointer"] == "/parts/1/pages"
    assert (done.status_code, done.json()["reason_code"]) == (200, "split")
    assert len(done.json()["children"]) == 2
    assert done.json()["actions"] == []
    assert (reopened.status_code, reopened.json()["type"]) == (
        409,
        "/problems/already-split",
    )


@pytest.mark.parametrize("for_others", [{"level": 2}, {"assigned_to": "boris"}])
@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("approve", {}),
        ("reject", {"reason": "No."}),
        ("duplicate", {"of": str(uuid4()), "reason": "Scanned twice."}),
        ("split", {"parts": [{"pages": [1]}, {"pages": [2]}], "reason": "Two."}),
        ("reextract", {"reason": "Half of it is missing."}),
        ("escalate", {"level": 1, "reason": "I can do that."}),
        ("postpone", {"until": "2999-01-01T00:00:00Z", "reason": "Later."}),
    ],
)
async def test_what_is_for_others_is_nobody_elses_to_decide(
    action: str,
    body: dict[str, object],
    for_others: dict[str, Any],
    world: World,
    client: httpx.AsyncClient,
) -> None:
    item = replace(await world.opened(), **for_others)
    world.items.items[item.document_id] = item

    refused = await client.post(f"{home(item)}/{action}", headers=seen(ANNA, 1), json=body)

    why = "above-level" if "level" in for_others else "assigned-to-another"
    assert (refused.status_code, refused.json()["type"]) == (409, f"/problems/{why}")
    assert (await world.item(item.document_id)).status == "pending"


@pytest.mark.parametrize("holds", [False, True])
async def test_a_lead_decides_what_is_for_others_and_so_does_whoever_holds_it(
    holds: bool, world: World, client: httpx.AsyncClient
) -> None:
    item = await world.opened()
    if holds:
        await client.post(f"{home(item)}/claim", headers=ANNA)
    given = replace(await world.item(item.document_id), level=3)
    world.items.items[item.document_id] = given

    approved = await client.post(
        f"{home(item)}/approve", headers=seen(ANNA if holds else LEAD, 1)
    )

    assert (approved.status_code, approved.json()["status"]) == (200, "approved")
