"""Take many documents in at once: files that arrive together, or what was handed in before.

One idempotency key stands for the whole request, judged by what was asked and not by what
exists today; as `key:0`, `key:1`, … it stands for the items too. What cannot be accepted is
listed by position and does not keep the others out. However many there are, the database is
asked a constant number of times.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from services.ingest.domain.batches import (
    ITEM_ROUTE,
    ROUTE,
    Item,
    NewBatch,
    NothingAccepted,
    Reference,
    Refused,
    batch_hash,
)
from services.ingest.domain.documents import Claim, Details, NewDocument, Scan, clean_filename
from services.ingest.handlers.accepting import accept, claim_of, new_document
from services.ingest.handlers.intake import keep_files
from services.ingest.handlers.unpacking import Unpacked
from services.ingest.handlers.withdraw import cancel_all, delete_all
from services.ingest.ports import Parts, Ports
from shared.audit.chain import Entry
from shared.contracts.identity import new_id
from shared.errors import Rejected, Retryable
from shared.failpoints import failpoint
from shared.ledger.port import Unit
from shared.observability.metrics import DOCUMENTS_ACCEPTED

CANCELLED_AT_ONCE = 1_000
# Writers of the audit log wait for each other, and here it is one line for each document.
DELETED_AT_ONCE = 250


@dataclass(frozen=True, slots=True)
class BatchReceived:
    batch_id: UUID
    replayed: bool = False


async def receive_files(
    owner_id: str, files: Parts, key: str | None, use: Ports
) -> BatchReceived:
    """Raises NothingAccepted when every one of them is refused."""
    await use.admission.require_room()
    items = await keep_files(Unpacked(files, use.archives), use)
    return await _receive(owner_id, items, key, use)


async def receive_references(
    owner_id: str, asked: Sequence[Reference], key: str | None, use: Ports
) -> BatchReceived:
    """Raises NothingAccepted when their owner has handed in none of them before."""
    scans = await use.batches.find_scans(owner_id, sorted({one.content_key for one in asked}))
    items = [_item(position, one, scans) for position, one in enumerate(asked)]
    return await _receive(owner_id, items, key, use)


async def cancel_batch(batch_id: UUID, *, actor: str, use: Ports) -> int:
    """How many of its documents were still under way. Asked again there are none."""
    cancelled = 0
    while True:
        # Those that are held come first: no end of another may let one of them go.
        ids = await use.batches.list_open_members(batch_id, limit=CANCELLED_AT_ONCE)
        ended = await cancel_all(ids, owner_id=None, actor=actor, use=use) if ids else 0
        cancelled += ended
        if not ended or len(ids) < CANCELLED_AT_ONCE:
            return cancelled


async def delete_batch(batch_id: UUID, *, actor: str, use: Ports) -> None:
    """Many of its documents in each commit; asked again it goes on.

    Nothing more goes to the broker from the first moment on.
    """
    await cancel_batch(batch_id, actor=actor, use=use)
    members = [one.document_id for one in await use.batches.list_members(batch_id)]
    for first in range(0, len(members), DELETED_AT_ONCE):
        some = members[first : first + DELETED_AT_ONCE]
        await delete_all(some, owner_id=None, actor=actor, use=use)
    async with use.ledger.unit() as unit:
        if await use.batches.delete_batch(unit, batch_id):
            await use.trail.record(unit, Entry(actor, "batch_deleted", f"batch/{batch_id}"))


async def _receive(
    owner_id: str, items: Sequence[Item], key: str | None, use: Ports
) -> BatchReceived:
    refused = [one.found for one in items if isinstance(one.found, Refused)]
    batch = NewBatch(new_id(), owner_id, use.clock.now(), refused)
    members = _members(owner_id, items, key, use)
    await failpoint("ingest.before_commit")

    async with use.ledger.unit() as unit:
        if key is not None:
            whole = Claim(owner_id, ROUTE, key, batch_hash(items), batch.batch_id)
            if not await _granted(unit, whole, members, use):
                return await _replayed(unit, whole, use)
        if not members:
            # With it goes the claim: there is nothing that the key could stand for.
            raise NothingAccepted(refused)
        documents = [document for _, document in members]
        some_wait = await accept(unit, documents, use, at_once=use.batches.at_once)
        await use.batches.insert_batch(unit, batch, members)
    await failpoint("ingest.after_commit")
    if some_wait:
        use.ring()
    DOCUMENTS_ACCEPTED.labels("batch").inc(len(members))
    return BatchReceived(batch.batch_id)


def _item(position: int, asked: Reference, scans: Mapping[str, Scan]) -> Item:
    filename = clean_filename(asked.filename)
    found = scans.get(asked.content_key)
    missing = Refused(position, filename, "source_missing", "You never handed this in.")
    return Item(position, filename, asked.content_key, found or missing, asked.wish)


def _members(
    owner_id: str, items: Sequence[Item], key: str | None, use: Ports
) -> list[tuple[int, NewDocument]]:
    return [
        (one.position, new_document(one.found, _details(owner_id, one, key), use))
        for one in items
        if isinstance(one.found, Scan)
    ]


def _details(owner_id: str, item: Item, key: str | None) -> Details:
    return Details(
        owner_id=owner_id,
        filename=item.filename,
        priority=item.wish.priority,
        idempotency_key=None if key is None else f"{key}:{item.position}",
        route=ITEM_ROUTE,
        said=item.wish.said,
    )


async def _granted(
    unit: Unit, whole: Claim, members: Sequence[tuple[int, NewDocument]], use: Ports
) -> bool:
    """Of any number of requests with one key, one is granted it, with all of its items."""
    # First and alone: a repetition may find more items today than the request did, and their
    # keys would be held for documents that never were.
    if not await use.documents.claim_keys(unit, [whole], ttl_s=use.idempotency_ttl_s):
        return False
    claims = [claim for _, document in members if (claim := claim_of(document)) is not None]
    if not claims:
        return True
    granted = await use.documents.claim_keys(unit, claims, ttl_s=use.idempotency_ttl_s)
    if len(granted) < len(claims):
        # Its own key has gone and an item's has not: they expire in the same moment.
        raise Retryable("the idempotency key has just expired")
    return True


async def _replayed(unit: Unit, whole: Claim, use: Ports) -> BatchReceived:
    earlier = await use.documents.find_claims(unit, [whole])
    if not earlier:
        # It expired between the two statements: the same request now is granted.
        raise Retryable("the idempotency key has just expired")
    if earlier[0].request_hash != whole.request_hash:
        raise Rejected("idempotency_mismatch", "This key was used for another batch.")
    return BatchReceived(earlier[0].document_id, replayed=True)
