"""What a person decided about a document is learned for the next one of its issuer."""

import json
from dataclasses import replace
from uuid import UUID, uuid4

import pytest

from services.extractor.domain.reading import Finding
from services.extractor.domain.sightings import Sighting, sighting
from services.extractor.handlers import learn_from_decision, withdraw_documents
from shared.contracts.extraction import ExtractionV1
from shared.errors import Retryable
from shared.ledger.port import Unit
from tests import builders
from tests.fakes.ledger import FakeLedger
from tests.unit.extractor.test_vendors import OTHER, USUAL, invoice
from tests.unit.extractor.world import World, order

RESULT = "data/versions/one/v2.json"


def reviewed(iban: str = OTHER) -> ExtractionV1:
    fields = {path: builders.read_as(one.value) for path, one in invoice().fields.items()}
    return builders.extraction(
        fields=fields | {"payment.accounts.0.iban": builders.read_as(iban)}
    )


def kept(extraction: ExtractionV1, reviewer: str | None = "anna") -> bytes:
    """As storage writes it."""
    head = {"version": 2, "verdict": "approved", "reviewer": reviewer}
    return json.dumps({**head, **extraction.model_dump(mode="json")}).encode()


async def decide(world: World, document_id: UUID, **told: object) -> None:
    fact = builders.finalised(**{"document_id": document_id, "result_key": RESULT, **told})
    await learn_from_decision(builders.job(fact), world.use)


async def noted(world: World, document_id: UUID) -> None:
    async with world.ledger.unit() as unit:
        await world.vendors.note_vendor(unit, builders.OWNER, document_id, sighting(invoice()))


@pytest.fixture
def world() -> World:
    one = World()
    one.blobs.objects[RESULT] = kept(reviewed())
    return one


@pytest.mark.parametrize("verdict", ["approved", "corrected"])
async def test_the_accounts_that_a_person_left_standing_become_known(
    world: World, verdict: str
) -> None:
    document_id = uuid4()
    await noted(world, document_id)

    await decide(world, document_id, verdict=verdict)

    [(owner, seen)] = world.vendors.rows.values()
    assert (owner, seen.ibans, seen.is_approved) == (builders.OWNER, (OTHER,), True)


async def test_what_a_person_rejected_speaks_for_nobody(world: World) -> None:
    document_id = uuid4()
    await noted(world, document_id)

    await decide(world, document_id, verdict="rejected")
    # Told late, an earlier approval does not bring it back.
    await decide(world, document_id, result_version=1)

    assert world.vendors.rows[document_id] == (builders.OWNER, Sighting())


@pytest.mark.parametrize(
    ("reviewer", "told"), [("system", {}), (None, {}), ("anna", {"superseded": True})]
)
async def test_what_no_person_looked_at_is_not_vouched_for(
    world: World, reviewer: str | None, told: dict[str, object]
) -> None:
    document_id = uuid4()
    await noted(world, document_id)
    world.blobs.objects[RESULT] = kept(reviewed(), reviewer)

    await decide(world, document_id, **told)

    _, seen = world.vendors.rows[document_id]
    assert (seen.ibans, seen.is_approved) == ((USUAL,), False)


async def test_of_a_deleted_document_nothing_is_learned(world: World) -> None:
    deleted = builders.deleted()
    await withdraw_documents([builders.job(deleted)], world.use)
    del world.blobs.objects[RESULT]

    await decide(world, deleted.document_id)

    assert not world.vendors.rows


async def test_what_was_noted_by_an_attempt_that_was_cut_off_is_forgotten_by_the_next(
    world: World,
) -> None:
    deleted = builders.deleted()
    await withdraw_documents([builders.job(deleted)], world.use)
    await noted(world, deleted.document_id)

    await decide(world, deleted.document_id)

    assert not world.vendors.rows


async def test_a_result_that_is_not_there_may_have_been_deleted_a_moment_ago(
    world: World,
) -> None:
    del world.blobs.objects[RESULT]

    with pytest.raises(Retryable):
        await decide(world, uuid4())


async def test_what_is_deleted_while_it_is_learned_is_forgotten(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    deleted = builders.deleted()
    note = world.vendors.note_vendor

    async def slowly(
        unit: Unit, owner_id: str, document_id: UUID, seen: Sighting, *, decided_version: int
    ) -> None:
        await withdraw_documents([builders.job(deleted)], world.use)
        await note(unit, owner_id, document_id, seen, decided_version=decided_version)

    monkeypatch.setattr(world.vendors, "note_vendor", slowly)

    await decide(world, deleted.document_id)

    assert not world.vendors.rows


async def test_what_is_noted_while_a_deletion_is_at_work_is_forgotten(world: World) -> None:
    document_id = uuid4()
    # It had forgotten before there was anything, and commits only now.
    world.withdrawals.before_turn = lambda: world.withdrawals.reasons.update(
        {document_id: "deleted"}
    )

    await decide(world, document_id)

    assert not world.vendors.rows


async def test_what_a_reader_saw_before_it_was_cut_off_is_noted_when_the_job_comes_again(
    world: World,
) -> None:
    world.engine.answer = invoice()
    job = order()
    await world.deliver(job)
    before = dict(world.vendors.rows)
    assert before[job.body.document_id] == (builders.OWNER, sighting(invoice()))
    # The last commit was lost; the answer had been kept before.
    world.ledger, world.vendors.rows = FakeLedger(), {}

    await world.deliver(job)

    assert world.engine.calls == 1
    assert world.vendors.rows == before


async def test_a_copy_tells_nothing_new_of_its_issuer(world: World) -> None:
    world.engine.answer = invoice()
    first = order()
    await world.deliver(first)

    await world.deliver()

    assert world.stored()[-1].cache_hit
    assert list(world.vendors.rows) == [first.body.document_id]


async def test_a_doubted_account_is_not_remembered_after_a_cut_off_either(world: World) -> None:
    doubted = Finding("new_iban", "block", "", ("payment.accounts.0.iban",))
    world.engine.answer = replace(invoice(), findings=(doubted,))
    job = order()
    await world.deliver(job)
    world.ledger, world.vendors.rows = FakeLedger(), {}

    await world.deliver(job)

    assert world.vendors.rows[job.body.document_id] == (builders.OWNER, Sighting())
