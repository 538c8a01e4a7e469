"""The hand-over over HTTP: consumers, batches, receipts; and nobody takes those of another."""

import hashlib
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest

from services.storage.handlers import handing_over
from services.storage.handlers.withdrawing import withdraw_documents
from tests import builders
from tests.unit.storage.office import (
    ADMIN,
    LESSER,
    OWNER,
    REVIEWER,
    STRANGER,
    Office,
    open_office,
)

HOME = "/v1/consumers/erp"


@pytest.fixture
async def office() -> AsyncIterator[Office]:
    async with open_office() as one:
        await one.client.put(HOME, headers=OWNER)
        one.trail.entries.clear()
        yield one


async def test_a_consumer_is_new_once(office: Office) -> None:
    first = await office.client.put("/v1/consumers/bi", headers=OWNER)
    again = await office.client.put("/v1/consumers/bi", headers=OWNER)
    theirs = await office.client.put("/v1/consumers/bi", headers=STRANGER)

    assert [one.status_code for one in (first, again, theirs)] == [201, 200, 201]
    listed = (await office.get("/v1/consumers")).json()["items"]
    assert [(one["name"], one["scope"]) for one in listed] == [("bi", "own"), ("erp", "own")]
    assert [one.action for one in office.trail.entries] == ["consumer_opened"] * 2


@pytest.mark.parametrize("name", ["ERP", "a b", "..", "x" * 65, "-a", "%00"])
async def test_a_name_is_made_of_few_letters(office: Office, name: str) -> None:
    answer = await office.client.put(f"/v1/consumers/{name}", headers=OWNER)

    assert answer.status_code in (404, 405, 422)
    assert len((await office.get("/v1/consumers")).json()["items"]) == 1


async def test_a_batch_is_given_until_it_is_acknowledged_and_then_the_next(
    office: Office,
) -> None:
    approved = [str(await office.approved()) for _ in range(3)]

    first = (await office.post(f"{HOME}/batches?limit=2")).json()
    again = (await office.post(f"{HOME}/batches?limit=100")).json()
    receipt = await office.post(first["links"]["ack"], sha256=first["sha256"])
    twice = await office.post(first["links"]["ack"])
    second = (await office.post(f"{HOME}/batches")).json()

    assert [one["document_id"] for one in first["items"]] == approved[:2]
    assert (again["batch_id"], again["items"]) == (first["batch_id"], first["items"])
    assert (again["times_given"], receipt.json()["times_given"]) == (2, 2)
    assert receipt.json()["acknowledged_by"] == builders.OWNER
    assert twice.json() == receipt.json()
    assert [one["document_id"] for one in second["items"]] == approved[2:]
    await office.post(second["links"]["ack"])
    assert (await office.post(f"{HOME}/batches")).status_code == 204
    assert [one.action for one in office.trail.entries] == [
        "batch_given",
        "batch_acknowledged",
    ] * 2


async def test_the_digest_is_that_of_the_ids(office: Office) -> None:
    one = await office.approved()

    batch = (await office.post(f"{HOME}/batches")).json()

    assert batch["sha256"] == hashlib.sha256(f"{one} 2\n".encode()).hexdigest()
    wrong = await office.post(batch["links"]["ack"], sha256="0" * 64)
    assert wrong.status_code == 409
    assert (await office.post(f"{HOME}/batches")).json()["batch_id"] == batch["batch_id"]


async def test_what_is_in_a_batch_can_be_fetched(office: Office) -> None:
    await office.approved()

    [item] = (await office.post(f"{HOME}/batches")).json()["items"]

    result = (await office.get(item["links"]["result"])).json()
    assert (result["version"], item["version"], item["verdict"]) == (2, 2, "approved")


async def test_what_was_deleted_meanwhile_says_so_and_the_receipt_adds_up(
    office: Office,
) -> None:
    one = await office.approved()
    batch = (await office.post(f"{HOME}/batches")).json()

    await withdraw_documents([builders.job(builders.deleted(document_id=one))], office.use)
    again = (await office.post(f"{HOME}/batches")).json()

    assert again["items"] == [{**batch["items"][0], "erased": True, "links": {}}]
    assert (again["count"], again["sha256"]) == (1, batch["sha256"])


async def test_receipts_are_listed_and_batches_shown(office: Office) -> None:
    for _ in range(3):
        await office.approved()
        batch = (await office.post(f"{HOME}/batches")).json()
        await office.post(batch["links"]["ack"])

    first = (await office.get(f"{HOME}/receipts?limit=2")).json()
    second = (await office.get(f"{HOME}/receipts?limit=2&cursor={first['next']}")).json()
    shown = (await office.get(batch["links"]["self"])).json()

    assert len({one["batch_id"] for one in first["items"] + second["items"]}) == 3
    assert second["next"] is None
    assert (shown["count"], len(shown["items"])) == (1, 1)


async def test_a_consumer_says_how_much_waits(office: Office) -> None:
    await office.approved()
    await office.stored()

    assert (await office.get(HOME)).json()["waiting"] == 1


async def test_documents_of_all_are_for_those_who_may(office: Office) -> None:
    everything = {"scope": "all"}
    refused = await office.client.put("/v1/consumers/x", headers=OWNER, json=everything)
    reviewer = await office.client.put("/v1/consumers/x", headers=REVIEWER, json=everything)
    opened = await office.client.put("/v1/consumers/x", headers=ADMIN, json=everything)
    differs = await office.client.put("/v1/consumers/x", headers=ADMIN, json={"scope": "own"})
    one = await office.approved()

    batch = await office.post("/v1/consumers/x/batches", ADMIN)

    assert [one.status_code for one in (refused, reviewer, opened, differs)] == [
        403,
        403,
        201,
        409,
    ]
    assert [item["document_id"] for item in batch.json()["items"]] == [str(one)]


async def test_a_consumer_from_now_on_gets_nothing_of_before_however_much_it_was(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(handing_over, "NUMBERED_AT_ONCE", 2)
    for _ in range(5):
        await office.approved()
    await office.client.put("/v1/consumers/bi", headers=OWNER, json={"start": "now"})
    later = await office.approved()

    batch = (await office.post("/v1/consumers/bi/batches")).json()

    assert [one["document_id"] for one in batch["items"]] == [str(later)]


async def test_a_key_for_its_own_documents_takes_nothing_of_all(office: Office) -> None:
    """Of one owner: a key with fewer rights, or a role that was taken away since."""
    await office.client.put("/v1/consumers/x", headers=ADMIN, json={"scope": "all"})
    await office.approved()
    batch = (await office.post("/v1/consumers/x/batches", ADMIN)).json()
    links = batch["links"]

    absent = [
        await office.get("/v1/consumers/x", LESSER),
        await office.post("/v1/consumers/x/batches", LESSER),
        await office.get("/v1/consumers/x/receipts", LESSER),
        await office.get(links["self"], LESSER),
        await office.post(links["ack"], LESSER),
    ]

    assert [one.status_code for one in absent] == [404] * len(absent)
    assert (await office.get("/v1/consumers", LESSER)).json()["items"] == []
    again = await office.post("/v1/consumers/x/batches", ADMIN)
    assert again.json()["batch_id"] == batch["batch_id"]


async def test_a_stranger_gets_neither_batch_nor_receipt_of_another(office: Office) -> None:
    await office.approved()
    batch = (await office.post(f"{HOME}/batches")).json()
    links = batch["links"]
    await office.client.put("/v1/consumers/theirs", headers=STRANGER)
    foreign = f"/v1/consumers/theirs/batches/{batch['batch_id']}"

    absent = [
        await office.get(HOME, STRANGER),
        await office.post(f"{HOME}/batches", STRANGER),
        await office.get(f"{HOME}/receipts", STRANGER),
        await office.get(links["self"], STRANGER),
        await office.post(links["ack"], STRANGER),
        # Under a name of the stranger's own.
        await office.get(foreign, STRANGER),
        await office.post(f"{foreign}/ack", STRANGER),
        await office.post(f"{HOME}/batches/{uuid4()}/ack", OWNER),
    ]

    assert [one.status_code for one in absent] == [404] * len(absent)
    nothing = await office.post("/v1/consumers/theirs/batches", STRANGER)
    assert nothing.status_code == 204


async def test_an_owner_takes_so_many_names_and_no_more(office: Office) -> None:
    for nth in range(office.outlets.limits.consumers_max - 1):
        await office.client.put(f"/v1/consumers/c{nth}", headers=OWNER)

    refused = await office.client.put("/v1/consumers/one-more", headers=OWNER)
    known = await office.client.put("/v1/consumers/c0", headers=OWNER)

    assert (refused.status_code, known.status_code) == (409, 200)
