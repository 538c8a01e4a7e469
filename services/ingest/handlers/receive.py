"""Take an upload in: bytes first, then everything else in one commit.

Bytes without a row are rubbish that is swept one day; a row without bytes would be a promise
we cannot keep. Hence the order. What is not one of our formats is refused while it streams.
Uploads that are complete at the same time are one commit.
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from functools import partial

from services.ingest.domain.documents import Claim, NewDocument, Received
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.handlers.claiming import Key, key_of, mismatch, standing_claims
from services.ingest.handlers.keeping import keep_bytes
from services.ingest.ports import Ports, Upload
from shared.errors import Rejected
from shared.failpoints import failpoint
from shared.ledger.together import Alone, Turn
from shared.observability.metrics import DOCUMENTS_ACCEPTED


async def receive_document(upload: Upload, use: Ports) -> Received:
    await use.admission.require_room()
    scan = await keep_bytes(_unlocked(upload, use), use)
    document = new_document(scan, upload.details(), use)
    await failpoint("ingest.before_commit")
    outcome = await _committed(document, use)
    await failpoint("ingest.after_commit")
    if isinstance(outcome, Rejected):
        raise outcome
    return outcome


async def accept_together(turn: Turn[NewDocument], use: Ports) -> Sequence[Received | Rejected]:
    """What became of each, in order. A repeated request is answered as it was before."""
    async with use.ledger.unit() as unit:
        documents = await turn.take()
        claims = {one.document_id: claim_of(one) for one in documents}
        standing = await standing_claims([one for one in claims.values() if one], unit, use)
        outcomes = [_outcome(one, claims[one.document_id], standing) for one in documents]
        fresh = [
            document
            for document, outcome in zip(documents, outcomes, strict=True)
            if isinstance(outcome, Received) and not outcome.replayed
        ]
        some_wait = await accept(unit, fresh, use)
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("http").inc(len(fresh))
    return outcomes


async def _committed(document: NewDocument, use: Ports) -> Received | Rejected:
    if use.admission.is_metered:
        # What is charged is this request's alone, and so is its refusal.
        [outcome] = await accept_together(Alone([document]), use)
        return outcome
    return await use.together(document, partial(accept_together, use=use))


def _outcome(
    document: NewDocument, claim: Claim | None, standing: Mapping[Key, Claim]
) -> Received | Rejected:
    if claim is None:
        return Received(document.document_id)
    holds = standing[key_of(claim)]
    return mismatch(holds, claim) or Received(
        holds.document_id, replayed=holds.document_id != document.document_id
    )


async def _unlocked(upload: Upload, use: Ports) -> AsyncIterator[bytes]:
    """What comes with its password is kept without its lock, and the password not at all."""
    chunks = upload.chunks()
    # A form may name its password before its file, so it is known with the first bytes.
    piece = await anext(chunks, b"")
    if upload.password is not None:
        chunks = use.unlocker.unlocked(_with_first(piece, chunks), upload.password)
        piece = await anext(chunks, b"")
    yield piece
    async for piece in chunks:
        yield piece


async def _with_first(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece
