"""Take in what other programs hand over by message: bytes that lie in our object store, or in
a place that the operator has allowed us to fetch from.

The same rules as for an upload, and a key is required: a message may come twice, and the
sender cannot be asked. One bad submission fails its batch, which is then run one by one.
Whoever asked for an answer gets it in the same commit; a refusal is answered by the bus.
"""

import asyncio
from collections.abc import Mapping, Sequence
from uuid import UUID

from services.ingest.domain.answers import accepted_answer
from services.ingest.domain.documents import Claim, NewDocument, Scan
from services.ingest.domain.erasing import SPARED_S
from services.ingest.domain.formats import HEAD_BYTES, media_type_of
from services.ingest.domain.submissions import details_of
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.handlers.claiming import Key, key_of, mismatch, standing_claims
from services.ingest.handlers.keeping import keep_bytes
from services.ingest.ports import Ports
from shared.blobs.keys import digest_of
from shared.blobs.source import away
from shared.bus.jobs import Job
from shared.contracts.orders import SourceV1, SubmitDocumentV1
from shared.errors import Rejected
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_ACCEPTED, SUBMISSIONS

# Each may be a document on its way through this process.
LOOKED_AT_AT_ONCE = 8
# Others of the same batch wait for a source that sends a byte now and then.
FETCHED_WITHIN_S = 60.0

Submission = tuple[Claim, NewDocument]


async def submit_documents(jobs: Sequence[Job[SubmitDocumentV1]], use: Ports) -> None:
    await _spare(jobs, use)
    by_job = dict(
        zip((job.job_id for job in jobs), await _all_looked_at(jobs, use), strict=True)
    )
    await failpoint("ingest.before_commit")

    async with use.ledger.handling(*jobs) as unit:
        submitted = {by_job[job.job_id][1].document_id: job for job in unit.jobs}
        asked = [by_job[job.job_id] for job in unit.jobs]
        stands_for = await _granted(asked, unit, use)
        fresh = [one for claim, one in asked if stands_for[key_of(claim)] == one.document_id]
        some_wait = await accept(unit, fresh, use, causes=submitted)
        for job in unit.jobs:
            claim, document = by_job[job.job_id]
            document_id = stands_for[key_of(claim)]
            repeated = document_id != document.document_id
            unit.answer(accepted_answer(job.job_id, document_id, repeated=repeated), to=job)
    await failpoint("ingest.after_commit")
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("message").inc(len(fresh))
    SUBMISSIONS.labels("accepted").inc(len(fresh))
    SUBMISSIONS.labels("repeated").inc(len(asked) - len(fresh))


async def _spare(jobs: Sequence[Job[SubmitDocumentV1]], use: Ports) -> None:
    """Before anything can fail: a dead letter is replayed as long as its bytes are there."""
    keys = {job.body.content_key for job in jobs if digest_of(job.body.content_key or "")}
    if keys:
        await use.orphans.spare_contents(sorted(filter(None, keys)), for_s=SPARED_S)


async def _all_looked_at(jobs: Sequence[Job[SubmitDocumentV1]], use: Ports) -> list[Submission]:
    turn = asyncio.Semaphore(LOOKED_AT_AT_ONCE)

    async def one(body: SubmitDocumentV1) -> Submission:
        async with turn:
            return await _looked_at(body, use)

    found = await asyncio.gather(*(one(job.body) for job in jobs), return_exceptions=True)
    # Only when all have come back: an error must not leave the others running behind us.
    for each in found:
        if isinstance(each, BaseException):
            raise each
    return [each for each in found if not isinstance(each, BaseException)]


async def _looked_at(body: SubmitDocumentV1, use: Ports) -> Submission:
    # Before the bytes: what is refused anyway need not be fetched.
    details = details_of(body)
    scan = await (
        _kept(body.content_key or "", use)
        if body.source is None
        else _fetched(body.source, use)
    )
    document = new_document(scan, details, use)
    claim = claim_of(document)
    if claim is None:
        raise Rejected("invalid_body", "a submission needs an idempotency key")
    return claim, document


async def _kept(content_key: str, use: Ports) -> Scan:
    digest = digest_of(content_key)
    if digest is None:
        raise Rejected("invalid_key", "content_key must be sha256/<2 hex>/<64 hex>")
    size = await use.blobs.size(content_key)
    if size is None:
        raise Rejected("source_missing", content_key)
    if size > use.upload_bytes_max:
        raise Rejected("too_large", f"{size} bytes, at most {use.upload_bytes_max}")
    head = b"".join([piece async for piece in use.blobs.stream(content_key, length=HEAD_BYTES)])
    return Scan(content_key, digest, size, media_type_of(head))


async def _fetched(named: SourceV1, use: Ports) -> Scan:
    source = use.sources.get(named.bucket)
    if source is None:
        raise Rejected("source_not_allowed", f"{named.bucket!r} is no source of this system")
    try:
        async with asyncio.timeout(FETCHED_WITHIN_S):
            return await keep_bytes(source.stream(named.key, version_id=named.version_id), use)
    except TimeoutError as error:
        late = TimeoutError(f"{named.key} was not whole after {FETCHED_WITHIN_S:g} s")
        raise away(late) from error


async def _granted(
    submissions: Sequence[Submission], unit: Unit, use: Ports
) -> Mapping[Key, UUID]:
    """For which document each key stands: its own, or the one that was submitted before,
    within this batch too."""
    standing = await standing_claims([claim for claim, _ in submissions], unit, use)
    for claim, _ in submissions:
        if refusal := mismatch(standing[key_of(claim)], claim):
            raise refusal
    return {key: holds.document_id for key, holds in standing.items()}
