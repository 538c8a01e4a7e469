"""The form over HTTP: what is shown, what is taken, and how a refusal reads."""

from collections.abc import AsyncIterator

import httpx
import pytest

from services.review.api import build
from services.review.domain.items import ReviewItem
from tests.fakes.entrance import entrance
from tests.fakes.keys import key_of
from tests.unit.review.form_world import BOX, FormWorld, extraction, invoice

ANNA = key_of("anna", "reviewer")
BORIS = key_of("boris", "reviewer")
OPERATOR = key_of("olga", "operator")


@pytest.fixture
def world() -> FormWorld:
    return FormWorld()


@pytest.fixture
async def client(world: FormWorld) -> AsyncIterator[httpx.AsyncClient]:
    transport = httpx.ASGITransport(build(world.ports, entrance()))
    async with httpx.AsyncClient(transport=transport, base_url="http://review") as client:
        yield client


def home(item: ReviewItem) -> str:
    return f"/v1/items/{item.document_id}"


def seen(item: ReviewItem) -> dict[str, str]:
    return {**ANNA, "If-Match": f'"{item.version}"'}


def changes(*each: dict[str, object]) -> dict[str, object]:
    return {"changes": list(each)}


async def test_the_form_shows_each_value_with_its_state_and_why(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held(total="119.50", seller__name=None)

    shown = (await client.get(home(item), headers=ANNA)).json()

    fields = {one["path"]: one for one in shown["fields"]}
    assert (fields["total"]["state"], fields["total"]["doubtful"]) == ("rule_failed", True)
    assert "off by 0.50" in fields["total"]["reasons"][0]
    assert fields["total"]["evidence"][0]["bbox"] == BOX["bbox"]
    assert (fields["seller.name"]["state"], fields["seller.name"]["required"]) == (
        "missing",
        True,
    )
    assert (fields["currency"]["state"], fields["currency"]["kind"]) == (
        "auto_confirmed",
        "currency",
    )
    assert fields["lines.1.net_amount"]["label"] == "Line 2: net"
    assert [one["code"] for one in shown["blockers"]] == ["field_required", "E4"]
    assert shown["totals"]["total_difference"] == "0.50"
    assert shown["totals"]["lines_net"] == "100.00"


async def test_a_change_answers_the_whole_item_under_its_new_tag(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held(total="119.50")

    answer = await client.patch(
        f"{home(item)}/fields",
        json=changes({"op": "set", "path": "total", "value": "119,00 €", "evidence": [BOX]}),
        headers=seen(item),
    )

    assert answer.status_code == 200
    assert answer.headers["ETag"] == f'"{item.version + 1}"'
    [total] = [one for one in answer.json()["fields"] if one["path"] == "total"]
    assert (total["value"], total["state"], total["doubtful"]) == (
        "119.00",
        "human_confirmed",
        False,
    )
    assert (total["locked"], total["corrected_by"], total["machine_value"]) == (
        True,
        "anna",
        "119.50",
    )
    assert total["candidates"][0]["value"] == "119.50"
    assert answer.json()["blockers"] == []


async def test_a_confirmed_value_is_doubtful_no_more_whatever_a_rule_says(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held(total="119.50")

    answer = await client.patch(
        f"{home(item)}/fields",
        json=changes({"op": "confirm", "path": "total"}),
        headers=seen(item),
    )

    [total] = [one for one in answer.json()["fields"] if one["path"] == "total"]
    assert (total["state"], total["doubtful"]) == ("human_confirmed", False)
    assert total["reasons"]
    assert [one["code"] for one in answer.json()["blockers"]] == ["E4"]


async def test_a_change_without_what_was_seen_is_refused(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held()

    answer = await client.patch(
        f"{home(item)}/fields",
        json=changes({"op": "confirm", "path": "total"}),
        headers=ANNA,
    )

    assert answer.status_code == 428


async def test_who_is_late_gets_the_difference_field_by_field(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held()
    first = changes({"op": "set", "path": "total", "value": "120.00"})
    await client.patch(f"{home(item)}/fields", json=first, headers=seen(item))

    late = changes({"op": "set", "path": "total", "value": "121.00"})
    answer = await client.patch(f"{home(item)}/fields", json=late, headers=seen(item))

    assert answer.status_code == 412
    assert answer.headers["ETag"] == f'"{item.version + 1}"'
    [told] = answer.json()["changes"]
    assert (told["path"], told["yours"], told["theirs"], told["by"]) == (
        "total",
        "121.00",
        "120.00",
        "anna",
    )


async def test_what_cannot_be_read_is_told_with_its_place(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held()

    answer = await client.patch(
        f"{home(item)}/fields",
        json=changes(
            {"op": "confirm", "path": "total"},
            {"op": "set", "path": "issue_date", "value": "soon"},
        ),
        headers=seen(item),
    )

    assert answer.status_code == 422
    [error] = answer.json()["errors"]
    assert error["pointer"] == "/changes/1/value"
    assert "2026-03-31" in error["detail"]


@pytest.mark.parametrize(
    "change",
    [
        {"op": "set"},
        {"op": "insert_line"},
        {"op": "drop", "path": "total"},
        {"op": "confirm", "path": "total", "by": "boris"},
        {"op": "set", "path": "../total", "value": "1"},
        {"op": "set", "path": "lines.9.net_amount", "value": "1"},
        {"op": "set", "path": "lines.999999999999.net_amount", "value": "1"},
        {
            "op": "set",
            "path": "total",
            "value": "1",
            "evidence": [{**BOX, "bbox": [2, 0, 1, 1]}],
        },
    ],
)
async def test_what_is_no_change_is_refused(
    world: FormWorld, client: httpx.AsyncClient, change: dict[str, object]
) -> None:
    item = await world.held()

    answer = await client.patch(
        f"{home(item)}/fields", json=changes(change), headers=seen(item)
    )

    assert answer.status_code == 422
    assert (await world.item(item.document_id)).version == item.version


async def test_a_change_needs_the_right_and_the_item_in_hand(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held()
    body = changes({"op": "confirm", "path": "total"})

    others = {
        who: await client.patch(
            f"{home(item)}/fields", json=body, headers={**key, "If-Match": '"1"'}
        )
        for who, key in {"boris": BORIS, "olga": OPERATOR}.items()
    }

    assert (others["boris"].status_code, others["olga"].status_code) == (409, 403)
    assert others["boris"].json()["type"] == "/problems/claimed-by-another"


async def test_a_preview_answers_what_the_rules_would_say(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.shown(extraction(invoice()))

    answer = await client.post(
        f"{home(item)}/fields/preview",
        json=changes({"op": "set", "path": "total", "value": "1.119,00"}),
        headers=ANNA,
    )

    assert answer.status_code == 200
    assert [one["code"] for one in answer.json()["blockers"]] == ["E4"]
    [total] = [one for one in answer.json()["fields"] if one["path"] == "total"]
    assert (total["value"], total["state"]) == ("1119.00", "rule_failed")
    assert (await world.field(item, "total")).value == "119.00"


async def test_what_was_approved_is_what_the_person_left(
    world: FormWorld, client: httpx.AsyncClient
) -> None:
    item = await world.held(total="119.50")
    body = changes({"op": "set", "path": "total", "value": "119.00"})
    changed = await client.patch(f"{home(item)}/fields", json=body, headers=seen(item))

    approved = await client.post(
        f"{home(item)}/approve",
        headers={**ANNA, "If-Match": changed.headers["ETag"]},
    )

    assert approved.json()["status"] == "corrected"
    reviewed = world.reviewed(approved.json()["document_id"])
    assert (reviewed.fields["total"].value, reviewed.fields["total"].source) == (
        "119.00",
        "human",
    )
    assert reviewed.fields["total"].alternatives[0].value == "119.50"
    assert reviewed.findings == ()
