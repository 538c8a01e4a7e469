"""What is on hold stays, whoever wants it gone; what has had its time goes, and no more."""

from collections.abc import AsyncIterator
from uuid import UUID, uuid4

import pytest

from services.ingest.domain.retention import FOREVER_DAYS, RetentionRules, rules_of
from services.ingest.handlers.retain import Keeping, expire_documents
from shared.configuration.retention import Retention
from shared.contracts.facts import DocumentDeletedV1
from tests import builders
from tests.fakes.keys import key_of
from tests.unit.ingest.desk import OPERATOR, SUBMITTER, Desk, is_problem

ADMIN = key_of("root", "admin")
LAWSUIT = {"reason": "lawsuit 7 O 12/26"}
KEEPING = Keeping(RetentionRules(default_days=3650))


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    desk = Desk()
    async with desk.client:
        yield desk


async def _completed(desk: Desk) -> str:
    document_id = await desk.accepted()
    await desk.told(builders.stored(document_id=document_id))
    return document_id


def _hold(document_id: str) -> str:
    return f"/v1/documents/{document_id}/hold"


async def test_what_is_on_hold_cannot_be_deleted_until_the_hold_is_lifted(desk: Desk) -> None:
    document_id = await _completed(desk)
    put = await desk.client.put(_hold(document_id), json=LAWSUIT, headers=OPERATOR)
    assert (put.status_code, put.json()["by"], put.json()["reason"]) == (
        200, "otto", LAWSUIT["reason"],
    )  # fmt: skip

    for headers in (SUBMITTER, ADMIN):
        refused = await desk.client.delete(f"/v1/documents/{document_id}", headers=headers)
        is_problem(refused, 409, "on-hold")
        # Why is not for everybody.
        assert "lawsuit" not in refused.text
    assert desk.documents.rows[UUID(document_id)].status == "completed"

    lifted = await desk.client.delete(
        _hold(document_id), params={"reason": "settled"}, headers=OPERATOR
    )
    gone = await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)

    assert (lifted.status_code, gone.status_code) == (204, 204)
    assert [(one.actor, one.action, one.reason) for one in desk.trail.entries] == [
        ("otto", "document_put_on_hold", LAWSUIT["reason"]),
        ("otto", "hold_lifted", "settled"),
        (builders.OWNER, "document_deleted", ""),
    ]


async def test_what_is_on_hold_cannot_be_cancelled_either(desk: Desk) -> None:
    document_id = await desk.accepted()
    await desk.client.put(_hold(document_id), json=LAWSUIT, headers=OPERATOR)

    answer = await desk.client.post(f"/v1/documents/{document_id}/cancel", headers=SUBMITTER)

    is_problem(answer, 409, "on-hold")
    assert desk.documents.rows[UUID(document_id)].status == "queued"


async def test_a_hold_has_a_reason_and_somebody_who_may(desk: Desk) -> None:
    document_id = await _completed(desk)

    silent = await desk.client.put(_hold(document_id), json={"reason": " "}, headers=OPERATOR)
    client = await desk.client.put(_hold(document_id), json=LAWSUIT, headers=SUBMITTER)
    unsaid = await desk.client.delete(_hold(document_id), headers=OPERATOR)

    assert (silent.status_code, client.status_code, unsaid.status_code) == (422, 403, 422)
    assert not desk.documents.holds


async def test_a_hold_can_be_seen_changed_and_lifted_twice(desk: Desk) -> None:
    document_id = await _completed(desk)
    is_problem(await desk.get(_hold(document_id), OPERATOR), 404, "not-on-hold")
    is_problem(await desk.get(_hold(str(uuid4())), OPERATOR), 404, "no-such-document")

    await desk.client.put(_hold(document_id), json=LAWSUIT, headers=OPERATOR)
    await desk.client.put(_hold(document_id), json={"reason": "an appeal"}, headers=ADMIN)

    seen = (await desk.get(_hold(document_id), OPERATOR)).json()
    assert (seen["by"], seen["reason"]) == ("root", "an appeal")
    assert desk.trail.entries[-1].before == LAWSUIT
    for _ in range(2):
        lifted = await desk.client.delete(
            _hold(document_id), params={"reason": "settled"}, headers=OPERATOR
        )
        assert lifted.status_code == 204
    assert len(desk.trail.entries) == 3


async def test_a_tombstone_cannot_be_held(desk: Desk) -> None:
    document_id = await _completed(desk)
    await desk.client.delete(f"/v1/documents/{document_id}", headers=SUBMITTER)

    answer = await desk.client.put(_hold(document_id), json=LAWSUIT, headers=OPERATOR)

    is_problem(answer, 410, "deleted")


async def test_a_batch_with_one_document_on_hold_is_deleted_whole_or_not_at_all(
    desk: Desk,
) -> None:
    files = [("files", (f"{n}.pdf", builders.PDF, "application/pdf")) for n in range(2)]
    made = await desk.client.post("/v1/batches", files=files, headers=SUBMITTER)
    batch = f"/v1/batches/{made.json()['batch_id']}"
    first, second = desk.documents.rows
    await desk.client.put(_hold(str(first)), json=LAWSUIT, headers=OPERATOR)

    is_problem(await desk.client.delete(batch, headers=SUBMITTER), 409, "on-hold")
    assert desk.documents.rows[second].status != "deleted"

    await desk.client.delete(_hold(str(first)), params={"reason": "settled"}, headers=OPERATOR)
    assert (await desk.client.delete(batch, headers=SUBMITTER)).status_code == 204
    assert desk.documents.rows[first].status == desk.documents.rows[second].status == "deleted"


async def test_what_has_had_its_time_is_deleted_as_its_client_would(desk: Desk) -> None:
    document_id = await _completed(desk)
    other = await _completed(desk)
    desk.retention.expired = [UUID(document_id)]
    desk.ledger.messages.clear()

    assert await expire_documents(desk.use, KEEPING) == 1
    assert await expire_documents(desk.use, KEEPING) == 0

    is_problem(await desk.get(f"/v1/documents/{document_id}"), 410, "deleted")
    assert (await desk.get(f"/v1/documents/{other}")).status_code == 200
    [fact] = desk.ledger.sent
    assert isinstance(fact, DocumentDeletedV1)
    assert [*desk.erasures.planned] == [UUID(document_id)]
    [entry] = desk.trail.entries
    assert (entry.actor, entry.action, entry.reason) == (
        "retention", "document_deleted", "expired",
    )  # fmt: skip


async def test_a_hold_outlasts_the_time_of_its_document(desk: Desk) -> None:
    document_id = await _completed(desk)
    await desk.client.put(_hold(document_id), json=LAWSUIT, headers=OPERATOR)
    desk.retention.expired = [UUID(document_id)]

    assert await expire_documents(desk.use, KEEPING) == 0

    await desk.client.delete(_hold(document_id), params={"reason": "settled"}, headers=OPERATOR)
    assert await expire_documents(desk.use, KEEPING) == 1


async def test_a_dry_run_tells_and_does_nothing(desk: Desk) -> None:
    document_id = await _completed(desk)
    desk.retention.expired = [UUID(document_id)]

    assert await expire_documents(desk.use, Keeping(KEEPING.rules, dry_run=True)) == 0
    report = await desk.get("/v1/retention", OPERATOR)

    assert report.json()["dry_run"] is True
    assert [(one["class"], one["due"]) for one in report.json()["classes"]] == [("default", 1)]
    assert desk.documents.rows[UUID(document_id)].status == "completed"
    is_problem(await desk.get("/v1/retention"), 403, "forbidden")


async def test_one_look_erases_so_many_and_no_more(desk: Desk) -> None:
    ids = [UUID(await _completed(desk)) for _ in range(5)]
    desk.retention.expired = ids

    assert await expire_documents(desk.use, Keeping(KEEPING.rules, erased_max=2)) == 2

    left = [one for one in ids if desk.documents.rows[one].status != "deleted"]
    assert len(left) == 3


async def test_another_replica_that_looks_is_left_alone(desk: Desk) -> None:
    desk.retention.expired = [UUID(await _completed(desk))]
    desk.retention.another_looks = True

    assert await expire_documents(desk.use, KEEPING) == 0


def test_rules_are_one_row_per_tag() -> None:
    rules = rules_of(
        Retention.model_validate(
            {
                "default": {"days": 3650},
                "classes": {
                    "payroll": {"tags": ["payroll", "wages"], "days": 2190},
                    "contract": {"tags": ["contract"], "days": "forever"},
                },
            }
        )
    )

    assert rules.tags == ("payroll", "wages", "contract")
    assert rules.days == (2190, 2190, FOREVER_DAYS)
    assert rules.classes == ("payroll", "payroll", "contract")
    assert (rules.default_days, rules.shortest_days) == (3650, 2190)
