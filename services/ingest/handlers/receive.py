"""Take an upload in: bytes first, then everything else in one commit.

Bytes without a row are rubbish that is swept one day; a row without bytes would be a promise
we cannot keep. Hence the order. What is not one of our formats is refused while it streams.
"""

from services.ingest.domain.documents import Claim, Received, Scan
from services.ingest.domain.formats import Sniffer
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.ports import Ports, Upload
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_ACCEPTED


async def receive_document(upload: Upload, use: Ports) -> Received:
    scan = await _keep_bytes(upload, use)
    document = new_document(scan, upload.details(), use)
    claim = claim_of(document)
    await failpoint("ingest.before_commit")

    async with use.ledger.unit() as unit:
        if claim is not None:
            granted = await use.documents.claim_keys(unit, [claim], ttl_s=use.idempotency_ttl_s)
            if not granted:
                return await _replayed(unit, claim, use)
        waits = await accept(unit, [document], use)
    await failpoint("ingest.after_commit")
    if waits:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("http").inc()
    return Received(document.document_id)


async def _keep_bytes(upload: Upload, use: Ports) -> Scan:
    sniffer = Sniffer()
    blob = await use.blobs.write(
        sniffer.watch(upload.chunks()), limit_bytes=use.upload_bytes_max
    )
    return Scan(blob.key, blob.sha256, blob.size, sniffer.media_type)


async def _replayed(unit: Unit, claim: Claim, use: Ports) -> Received:
    earlier = await use.documents.find_claims(unit, [claim])
    if not earlier:
        # It expired between the two statements: the same request now is granted.
        raise Retryable("the idempotency key has just expired")
    if earlier[0].request_hash != claim.request_hash:
        raise Rejected("idempotency_mismatch", "This key was used for another request.")
    return Received(earlier[0].document_id, replayed=True)
