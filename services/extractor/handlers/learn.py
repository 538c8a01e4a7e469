"""Learn from what a person decided about a document, for the next one of its issuer.

An approval vouches for the accounts on it, also for one that blocked; a rejection takes back
what the document had told. What the machine approved by itself proves nothing to it.
"""

from services.extractor.domain.sightings import Sighting, approved_sighting
from services.extractor.ports import Ports
from shared.blobs.kept import read_kept
from shared.bus.jobs import Job
from shared.contracts.extraction import ExtractionV1
from shared.contracts.facts import DocumentFinalisedV1

MACHINE = "system"


class ReviewedV1(ExtractionV1):
    """A result as storage keeps it: an extraction, and who found it right."""

    reviewer: str | None = None


async def learn_from_decision(job: Job[DocumentFinalisedV1], use: Ports) -> None:
    fact = job.body
    async with use.ledger.unit() as unit:
        withdrawn = await use.withdrawals.find_withdrawn(unit, [fact.document_id])
        if withdrawn:
            # An attempt before this one may have noted it, and been cut off.
            await use.vendors.forget_vendors(unit, [fact.document_id])
    if withdrawn or fact.superseded:
        return
    seen = await _decided(fact, use)
    if seen is None:
        return

    async with use.ledger.unit() as unit:
        await use.vendors.note_vendor(
            unit,
            fact.owner_id,
            fact.document_id,
            seen,
            decided_version=fact.result_version,
        )
    async with use.ledger.unit() as unit:
        # Withdrawn while we were at it, it has been forgotten before it was noted.
        await use.withdrawals.lock_documents(unit, [fact.document_id])
        if await use.withdrawals.find_withdrawn(unit, [fact.document_id]):
            await use.vendors.forget_vendors(unit, [fact.document_id])


async def _decided(fact: DocumentFinalisedV1, use: Ports) -> Sighting | None:
    if fact.verdict == "rejected":
        return Sighting()
    raw = await read_kept(use.blobs, fact.result_key, limit_bytes=use.result_bytes_max)
    reviewed = ReviewedV1.model_validate_json(raw)
    return None if reviewed.reviewer in (None, MACHINE) else approved_sighting(reviewed)
