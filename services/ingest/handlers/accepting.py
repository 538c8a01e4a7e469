"""From here on a document is promised an end: row, key, fact and place are one commit.

Its order is in that commit too when the window has room; otherwise the releaser sends it.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from services.ingest.domain.documents import (
    Claim,
    Details,
    NewDocument,
    Scan,
    accepted_fact,
    request_hash,
)
from services.ingest.domain.turns import Newcomer
from services.ingest.ports import Ports
from shared.bus.headers import TRACE_HEADERS
from shared.bus.jobs import Job
from shared.contracts.body import Body
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.errors import LostRace
from shared.ledger.port import Unit
from shared.observability.tracing import carrier, continuing


def new_document(scan: Scan, details: Details, use: Ports) -> NewDocument:
    return NewDocument(new_id(), new_id(), use.clock.now(), scan, details, carrier())


def claim_of(document: NewDocument) -> Claim | None:
    details = document.details
    if details.idempotency_key is None:
        return None
    return Claim(
        details.owner_id,
        details.route,
        details.idempotency_key,
        request_hash(document.scan, details),
        document.document_id,
    )


async def accept(
    unit: Unit,
    documents: Sequence[NewDocument],
    use: Ports,
    causes: Mapping[UUID, Job[Body]] | None = None,
    at_once: int | None = None,
) -> bool:
    """True when some have to wait, so that the releaser is to be rung after the commit.

    `causes`: the job in whose name each document is accepted, where there is one.
    `at_once`: how many of them may be under way at a time; None where they are no batch.
    """
    if not documents:
        return False
    causes = causes or {}
    newcomers = [_newcomer(one, causes) for one in documents]
    if at_once is not None:
        # Stable: among equally urgent ones the order of the request holds.
        newcomers.sort(key=lambda one: -one.priority)
        newcomers[at_once:] = [replace(one, ready=False) for one in newcomers[at_once:]]
    taken = await use.releases.take_in(unit, documents, newcomers)
    await _require_bytes(taken.revived, use)
    for document in documents:
        cause = causes.get(document.document_id)
        with continuing(document.carried):
            if document.document_id in taken.let_in:
                unit.send(_order(document), cause=cause)
            unit.send(accepted_fact(document), cause=cause, job_id=document.accepted_id)
    await use.admission.charge(unit, documents)
    return len(taken.let_in) < len(documents)


def _newcomer(document: NewDocument, causes: Mapping[UUID, Job[Body]]) -> Newcomer:
    cause = causes.get(document.document_id)
    return Newcomer(
        document.document_id,
        document.details.owner_id,
        document.details.priority,
        document.accepted_at,
        cause.traceparent if cause else document.carried.get(TRACE_HEADERS[0]),
    )


async def _require_bytes(content_keys: Collection[str], use: Ports) -> None:
    """Somebody may have deleted the last document with the same bytes since we kept them."""
    for key in content_keys:
        if await use.blobs.size(key) is None:
            raise LostRace("the same bytes were erased while they came in")


def _order(document: NewDocument) -> ExtractDocumentV1:
    return ExtractDocumentV1(
        document_id=document.document_id,
        owner_id=document.details.owner_id,
        accepted_at=document.accepted_at,
        priority=document.details.priority,
        content_key=document.scan.content_key,
        sha256=document.scan.sha256,
        size_bytes=document.scan.size_bytes,
        media_type=document.scan.media_type,
        filename=document.details.filename,
        due_at=document.details.said.due_at,
    )
