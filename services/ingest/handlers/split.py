"""Make documents of a file's pages: a person found several invoices in it.

The bytes are cut and kept first, then all children are accepted in one commit, under the ids
that the order gives them; so a split that is cut off is simply done again, and one that comes
twice finds its children there. What becomes of the file itself, the review has said; of a file
that cannot be cut so, it is told, and says something else.
"""

import logging
from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.documents import Document, NewDocument, Scan
from services.ingest.domain.splitting import DIVISIBLE, Child, details_of_child, ranges
from services.ingest.handlers.accepting import accept
from services.ingest.handlers.keeping import keep_bytes
from services.ingest.ports import Ports
from shared.audit.chain import Entry
from shared.blobs.kept import read_kept
from shared.blobs.pieces import in_one_piece
from shared.bus.jobs import Job
from shared.contracts.facts import DocumentSplitFailedV1
from shared.contracts.identity import new_id
from shared.contracts.orders import SplitDocumentV1
from shared.errors import Rejected, Withdrawn
from shared.failpoints import failpoint
from shared.observability.metrics import DOCUMENTS_ACCEPTED
from shared.observability.tracing import carrier

log = logging.getLogger(__name__)

# An operator brings the bytes back, and then the order can be replayed.
CORRUPT = "source_corrupt"


async def split_document(job: Job[SplitDocumentV1], use: Ports) -> None:
    try:
        await _split(job, use)
    except Rejected as refused:
        if refused.reason == CORRUPT:
            raise
        # No dead letter: the person who wanted it has to want something else.
        async with use.ledger.handling(job) as unit:
            unit.send(_failed(job, refused), cause=job)
        log.warning("document_not_split", extra={"reason": str(refused)})


async def _split(job: Job[SplitDocumentV1], use: Ports) -> None:
    parent = await _parent(job.body, use)
    children = [
        Child(part.document_id, position, part.pages)
        for position, part in enumerate(job.body.parts)
    ]
    scans = await _cut(parent, children, use)
    await failpoint("ingest.before_commit")

    async with use.ledger.handling(job) as unit:
        fresh = await use.splits.keep_children(unit, parent.document_id, children)
        made = [
            _document(parent, one, scans[one.document_id], use)
            for one in children
            if one.document_id in fresh
        ]
        some_wait = await accept(unit, made, use)
        if not await use.splits.show_split(unit, parent.document_id):
            raise Withdrawn
        await use.trail.record(unit, _entry(job.body, children))
    await failpoint("ingest.after_commit")
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("split").inc(len(made))


async def _parent(order: SplitDocumentV1, use: Ports) -> Document:
    parent = await use.documents.find_document(order.document_id, owner_id=order.owner_id)
    if parent is None or parent.status == "deleted":
        raise Withdrawn
    if parent.media_type not in DIVISIBLE:
        raise Rejected("bad_split", f"{parent.media_type} has no pages to tell apart")
    return parent


async def _cut(parent: Document, children: Sequence[Child], use: Ports) -> Mapping[UUID, Scan]:
    whole = await read_kept(use.blobs, parent.content_key, limit_bytes=use.upload_bytes_max)
    cut = await use.cutter.cut(whole, parent.media_type, [one.pages for one in children])
    return {
        child.document_id: await keep_bytes(in_one_piece(piece), use)
        for child, piece in zip(children, cut, strict=True)
    }


def _document(parent: Document, child: Child, scan: Scan, use: Ports) -> NewDocument:
    details = details_of_child(parent, child)
    return NewDocument(child.document_id, new_id(), use.clock.now(), scan, details, carrier())


def _failed(job: Job[SplitDocumentV1], refused: Rejected) -> DocumentSplitFailedV1:
    order = job.body
    return DocumentSplitFailedV1(
        document_id=order.document_id,
        owner_id=order.owner_id,
        accepted_at=order.accepted_at,
        priority=order.priority,
        cause_id=job.job_id,
        parts=tuple(part.document_id for part in order.parts),
        reason=refused.reason,
        detail=refused.detail,
    )


def _entry(order: SplitDocumentV1, children: Sequence[Child]) -> Entry:
    return Entry(
        actor=order.reviewer,
        action="document_split",
        resource=f"document/{order.document_id}",
        after={str(one.document_id): ranges(one.pages) for one in children},
        reason=order.reason,
    )
