"""From here on a document is promised an end: row, key, order and fact are one commit."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.documents import (
    Claim,
    Details,
    NewDocument,
    Scan,
    accepted_fact,
    request_hash,
)
from services.ingest.ports import Ports
from shared.bus.jobs import Job
from shared.contracts.body import Body
from shared.contracts.identity import new_id
from shared.contracts.orders import ExtractDocumentV1
from shared.ledger.port import Unit


def new_document(scan: Scan, details: Details, use: Ports) -> NewDocument:
    return NewDocument(new_id(), new_id(), use.clock.now(), scan, details)


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
) -> None:
    """`causes`: the job in whose name each document is accepted, where there is one."""
    if not documents:
        return
    await use.documents.insert_documents(unit, documents)
    for document in documents:
        cause = (causes or {}).get(document.document_id)
        unit.send(_order(document), cause=cause)
        unit.send(accepted_fact(document), cause=cause, job_id=document.accepted_id)


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
    )
