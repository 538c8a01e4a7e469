"""Take many documents in at once, by what their owner has handed in before.

One idempotency key stands for all of it, as `key:0`, `key:1`, … for the items. What cannot be
accepted is listed by position and does not keep the others out. However many there are, the
database is asked a constant number of times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from services.ingest.domain.batches import ROUTE, Batch, Item, Refused
from services.ingest.domain.documents import Claim, Details, NewDocument, Scan, clean_filename
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.handlers.withdraw import cancel_document
from services.ingest.ports import Ports
from shared.contracts.identity import new_id
from shared.errors import Rejected, Retryable
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_ACCEPTED

Members = Sequence[tuple[int, NewDocument]]


@dataclass(frozen=True, slots=True)
class BatchReceived:
    batch: Batch
    replayed: bool = False


async def receive_batch(
    owner_id: str, items: Sequence[Item], key: str | None, use: Ports
) -> BatchReceived | None:
    """None when its owner has handed in nothing of it before."""
    scans = await use.batches.find_scans(owner_id, sorted({one.content_key for one in items}))
    members = [
        (
            position,
            new_document(scans[item.content_key], _details(owner_id, item, key, position), use),
        )
        for position, item in enumerate(items)
        if item.content_key in scans
    ]
    batch = _batch(owner_id, items, scans, use)
    if not members:
        return None

    async with use.ledger.unit() as unit:
        if key is not None and not await _granted(unit, members, use):
            return await _replayed(unit, members, len(items), use)
        documents = [document for _, document in members]
        some_wait = await accept(unit, documents, use, at_once=use.batches.at_once)
        await use.batches.insert_batch(unit, batch, members)
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("batch").inc(len(members))
    return BatchReceived(batch)


async def cancel_batch(batch_id: UUID, *, owner_id: str | None, use: Ports) -> int:
    """How many of its documents were still under way; each is cancelled by itself."""
    under_way = ("queued", "processing")
    members = await use.batches.list_members(batch_id)
    # From the end: what is cancelled first must not let the next one go.
    cancelled = [
        await cancel_document(one.document_id, owner_id=owner_id, use=use)
        for one in reversed(members)
        if one.status in under_way
    ]
    return sum(cancelled)


def _details(owner_id: str, item: Item, key: str | None, position: int) -> Details:
    return Details(
        owner_id=owner_id,
        filename=clean_filename(item.filename),
        priority=item.priority,
        idempotency_key=None if key is None else f"{key}:{position}",
        route=ROUTE,
    )


def _batch(
    owner_id: str, items: Sequence[Item], scans: Mapping[str, Scan], use: Ports
) -> Batch:
    refused = [
        asdict(Refused(position, "source_missing"))
        for position, item in enumerate(items)
        if item.content_key not in scans
    ]
    return Batch(new_id(), owner_id, use.clock.now(), None, 0, refused)


async def _granted(unit: Unit, members: Members, use: Ports) -> bool:
    claims = _claims(members)
    granted = await use.documents.claim_keys(unit, claims, ttl_s=use.idempotency_ttl_s)
    if granted and len(granted) < len(claims):
        raise _mismatch()
    return bool(granted)


async def _replayed(unit: Unit, members: Members, items: int, use: Ports) -> BatchReceived:
    claims = _claims(members)
    earlier = {
        one.idempotency_key: one for one in await use.documents.find_claims(unit, claims)
    }
    if len(earlier) < len(claims):
        # They expired between the two statements: the same request now is granted.
        raise Retryable("the idempotency key has just expired")
    if any(earlier[one.idempotency_key].request_hash != one.request_hash for one in claims):
        raise _mismatch()
    [first, *_] = claims
    document_id = earlier[first.idempotency_key].document_id
    batch = await use.batches.find_batch_of(unit, document_id)
    if batch is None:
        raise _mismatch()
    before = len(await use.batches.list_members(batch.batch_id)) + len(batch.rejected)
    if before != items:
        raise _mismatch()
    return BatchReceived(batch, replayed=True)


def _claims(members: Members) -> list[Claim]:
    found = (claim_of(document) for _, document in members)
    return [claim for claim in found if claim is not None]


def _mismatch() -> Rejected:
    return Rejected("idempotency_mismatch", "This key was used for another batch.")
