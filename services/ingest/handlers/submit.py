"""Take in what other programs hand over by message: the bytes lie in the object store already.

The same rules as for an upload, and a key is required: a message may come twice, and the
sender cannot be asked. One bad submission fails its batch, which is then run one by one.
"""

import asyncio
from collections.abc import Sequence

from services.ingest.domain.documents import (
    Claim,
    Details,
    NewDocument,
    Scan,
    clean_filename,
)
from services.ingest.domain.formats import HEAD_BYTES, media_type_of
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.ports import Ports
from shared.blobs.keys import digest_of
from shared.bus.jobs import Job
from shared.contracts.orders import SubmitDocumentV1
from shared.errors import Rejected
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_ACCEPTED

Submission = tuple[Claim, NewDocument]
key_of_claim = tuple[str, str, str]


async def submit_documents(jobs: Sequence[Job[SubmitDocumentV1]], use: Ports) -> None:
    by_job = dict(
        zip((job.job_id for job in jobs), await _all_looked_at(jobs, use), strict=True)
    )

    async with use.ledger.handling(*jobs) as unit:
        submitted = {by_job[job.job_id].document_id: job for job in unit.jobs}
        fresh = await _granted([by_job[job.job_id] for job in unit.jobs], unit, use)
        some_wait = await accept(unit, fresh, use, causes=submitted)
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("message").inc(len(fresh))


async def _all_looked_at(
    jobs: Sequence[Job[SubmitDocumentV1]], use: Ports
) -> list[NewDocument]:
    found = await asyncio.gather(
        *(_looked_at(job.body, use) for job in jobs), return_exceptions=True
    )
    # Only when all have come back: an error must not leave the others running behind us.
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if isinstance(one, NewDocument)]


async def _looked_at(body: SubmitDocumentV1, use: Ports) -> NewDocument:
    digest = digest_of(body.content_key)
    if digest is None:
        raise Rejected("invalid_key", "content_key must be sha256/<2 hex>/<64 hex>")
    size = await use.blobs.size(body.content_key)
    if size is None:
        raise Rejected("source_missing", body.content_key)
    if size > use.upload_bytes_max:
        raise Rejected("too_large", f"{size} bytes, at most {use.upload_bytes_max}")
    head = b"".join(
        [piece async for piece in use.blobs.stream(body.content_key, length=HEAD_BYTES)]
    )
    scan = Scan(body.content_key, digest, size, media_type_of(head))
    return new_document(scan, _details(body), use)


def _details(body: SubmitDocumentV1) -> Details:
    return Details(
        owner_id=body.owner_id,
        filename=clean_filename(body.filename),
        priority=body.priority,
        idempotency_key=body.idempotency_key,
        route=body.type,
    )


async def _granted(
    documents: Sequence[NewDocument], unit: Unit, use: Ports
) -> list[NewDocument]:
    """Those that nobody submitted before, within this batch either."""
    first: dict[key_of_claim, Submission] = {}
    for document in documents:
        claim = claim_of(document)
        if claim is None:
            raise Rejected("invalid_body", "a submission needs an idempotency key")
        _require_same(first.setdefault(_key(claim), (claim, document))[0], claim)

    claims = [claim for claim, _ in first.values()]
    granted = await use.documents.claim_keys(unit, claims, ttl_s=use.idempotency_ttl_s)
    await _require_repeats([one for one in claims if one.document_id not in granted], unit, use)
    return [document for _, document in first.values() if document.document_id in granted]


async def _require_repeats(claims: Sequence[Claim], unit: Unit, use: Ports) -> None:
    if not claims:
        return
    earlier = {_key(one): one for one in await use.documents.find_claims(unit, claims)}
    for claim in claims:
        _require_same(earlier.get(_key(claim), claim), claim)


def _require_same(earlier: Claim, claim: Claim) -> None:
    if earlier.request_hash != claim.request_hash:
        raise Rejected("idempotency_mismatch", "This key was used for another document.")


def _key(claim: Claim) -> key_of_claim:
    return claim.owner_id, claim.route, claim.idempotency_key
