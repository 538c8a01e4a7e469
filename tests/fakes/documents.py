"""Ingest's documents in dictionaries, moved by the same rules as the rows in PostgreSQL.

`tests/broker/test_ingest_sql.py` plays the same facts to both and compares, so a unit test
that trusts this one trusts the SQL.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

from services.ingest.domain.documents import (
    Claim,
    Document,
    Event,
    NewDocument,
    accepted_fact,
)
from services.ingest.domain.facts import Arrival
from services.ingest.domain.life import (
    ENDED,
    QUEUED,
    STARTED,
    SUCCEEDED,
    Change,
    Effort,
    Position,
    Told,
    moves,
)
from services.ingest.domain.retention import Hold
from services.ingest.domain.search import Wanted
from services.ingest.ports import Moved, Page
from shared.contracts.body import DocumentFact
from shared.ledger.port import Unit
from tests.fakes.clock import NOON

_ALWAYS = datetime(9999, 1, 1, tzinfo=UTC), UUID(int=2**128 - 1)
_OF_THE_DOCUMENT = {"document_id", "owner_id", "accepted_at", "priority"}
WITHDRAWN = ("cancelled", "deleted")


class InMemoryDocuments:
    def __init__(self) -> None:
        self.rows: dict[UUID, Document] = {}
        self.events: dict[UUID, list[tuple[UUID, Event]]] = {}
        self.claims: dict[tuple[str, str, str], Claim] = {}
        # Who has to wait for the broker, decided before the row is kept.
        self.held: set[UUID] = set()
        self.erased_contents: set[str] = set()
        self.holds: dict[UUID, Hold] = {}
        # For the guard, and shown to nobody.
        self._ranks: dict[UUID, int] = {}
        self._told: dict[UUID, tuple[int, UUID]] = {}
        self._reviews: dict[UUID, tuple[int, int, int, UUID]] = {}
        # What a document's present run is to replace, how, and by which engine.
        self.replaces: dict[UUID, int] = {}
        self.forced: set[UUID] = set()
        self.wanted: dict[UUID, str] = {}
        self._reading_runs: dict[UUID, int] = {}

    async def insert_documents(self, _unit: Unit, documents: Sequence[NewDocument]) -> set[str]:
        for document in documents:
            stage = "held" if document.document_id in self.held else "queued"
            self.rows[document.document_id] = replace(_fresh(document), stage=stage)
            self._ranks[document.document_id] = QUEUED
            self._told[document.document_id] = (QUEUED, document.accepted_id)
            self.events[document.document_id] = []
            self._append(accepted_fact(document), document.accepted_id)
        revived = self.erased_contents & {one.scan.content_key for one in documents}
        self.erased_contents -= revived
        return revived

    async def claim_keys(
        self, _unit: Unit, claims: Sequence[Claim], *, ttl_s: float
    ) -> set[UUID]:
        granted = [one for one in claims if self.claims.setdefault(_key(one), one) is one]
        return {claim.document_id for claim in granted}

    async def find_claims(self, _unit: Unit, claims: Sequence[Claim]) -> list[Claim]:
        return [self.claims[_key(one)] for one in claims if _key(one) in self.claims]

    async def apply_changes(
        self, unit: Unit, changes: Sequence[Change], told: Sequence[Arrival]
    ) -> list[Moved]:
        moved = []
        for one in changes:
            row = self.rows.get(one.document_id)
            if row and row.status not in WITHDRAWN and (one.effort or one.result or one.review):
                moved.append(self._apply(one))
        await self.append_events(unit, told)
        return moved

    async def append_events(self, _unit: Unit, arrivals: Sequence[Arrival]) -> None:
        for arrival in arrivals:
            row = self.rows.get(arrival.fact.document_id)
            if row and (row.status != "deleted" or arrival.fact.type == "document.deleted"):
                self._append(arrival.fact, arrival.fact_id)

    async def find_document(
        self, document_id: UUID, *, owner_id: str | None
    ) -> Document | None:
        row = self.rows.get(document_id)
        return row if row and owner_id in (None, row.owner_id) else None

    async def list_documents(self, page: Page) -> list[Document]:
        before = (page.before_at or _ALWAYS[0], page.before_id or _ALWAYS[1])
        found = sorted(
            (
                row
                for row in self.rows.values()
                if page.owner_id in (None, row.owner_id)
                and row.status != "deleted"
                and (row.created_at, row.document_id) < before
            ),
            key=lambda row: (row.created_at, row.document_id),
            reverse=True,
        )
        return found[: page.limit]

    async def search_documents(self, page: Page, wanted: Wanted) -> list[Document]:
        everything = await self.list_documents(replace(page, limit=len(self.rows)))
        return [row for row in everything if _is_wanted(row, wanted)][: page.limit]

    async def list_events(
        self, document_id: UUID, *, after_seq: int, limit: int
    ) -> list[Event]:
        found = [event for _, event in self.events.get(document_id, [])]
        return [event for event in found if event.seq > after_seq][:limit]

    async def list_new_events(
        self, after: Mapping[UUID, int], *, limit: int
    ) -> list[tuple[UUID, Event]]:
        return [
            (document_id, event)
            for document_id, after_seq in sorted(after.items())
            for event in await self.list_events(document_id, after_seq=after_seq, limit=limit)
        ]

    def put(self, row: Document, rank: int, fact_id: UUID) -> None:
        """What a client decided: the row as it is now, guarded by this rank."""
        completed_at = (row.completed_at or NOON) if rank >= ENDED else None
        self.rows[row.document_id] = replace(row, completed_at=completed_at)
        self._ranks[row.document_id] = rank
        self._told[row.document_id] = (rank, fact_id)

    def _apply(self, change: Change) -> Moved:
        before = self.rows[change.document_id]
        now = Position(before.status, before.run, self._ranks[before.document_id])
        to, replaces = change.position, self.replaces.get(before.document_id, 0)
        moved = to is not None and moves(now, to, replaces_version=replaces)
        row = self._with_position(before, to if moved else None)
        row = self._with_reading(row, before, change, moved=moved)
        row = self._with_told(row, now, change, moved=moved)
        row = _with_effort(row, before.run, change.effort)
        row = self._with_result_and_review(row, change)
        self.rows[row.document_id] = replace(row, revision=row.revision + 1)
        ended = moved and self._ranks[row.document_id] >= ENDED
        return Moved(row.document_id, row.status, ended, 1.0)

    def _with_position(self, row: Document, to: Position | None) -> Document:
        if to is None:
            return row
        self._ranks[row.document_id] = to.rank
        return replace(
            row,
            status=to.status,
            duplicate=to.status == "duplicate",
            started_at=row.started_at or (NOON if to.rank >= STARTED else None),
            completed_at=NOON if to.rank >= ENDED else None,
        )

    def _with_reading(
        self, row: Document, before: Document, change: Change, *, moved: bool
    ) -> Document:
        reading = change.reading
        if reading is None:
            return row
        later = reading.run >= self._reading_runs.get(row.document_id, -1)
        if not (moved if reading.stored else later and not before.result_version):
            return row
        self._reading_runs[row.document_id] = reading.run
        return replace(row, engine=reading.engine, confidence=reading.confidence)

    def _with_told(
        self, row: Document, now: Position, change: Change, *, moved: bool
    ) -> Document:
        told = change.told
        if told is None:
            return row
        ended = moved and self._ranks[row.document_id] >= ENDED
        later = told.order > (now.run, *self._told[row.document_id])
        if not (ended or ((moved or now.rank < ENDED) and later)):
            return row
        self._told[row.document_id] = (told.rank, told.fact_id)
        return _telling(row, told)

    def _with_result_and_review(self, row: Document, change: Change) -> Document:
        result, review = change.result, change.review
        if result is not None and result.version > row.result_version:
            row = replace(
                row,
                result_version=result.version,
                result_key=result.key,
                **result.summary.model_dump(),
            )
        if review is not None and review.order > self._reviews.get(
            row.document_id, (1, 0, 0, review.fact_id)
        ):
            self._reviews[row.document_id] = review.order
            row = replace(row, review_status=review.status)
        return row

    def _append(self, fact: DocumentFact, fact_id: UUID) -> None:
        told = self.events[fact.document_id]
        if all(known != fact_id for known, _ in told):
            body = fact.model_dump(mode="json", exclude=_OF_THE_DOCUMENT, exclude_none=True)
            seq = told[-1][1].seq + 1 if told else 1
            told.append((fact_id, Event(seq, NOON, fact.type, body)))


def _is_wanted(row: Document, wanted: Wanted) -> bool:
    names = (row.vendor_name or "", row.invoice_number or "", row.filename)
    after, before = wanted.accepted_after, wanted.accepted_before
    return (
        wanted.status in (None, row.status)
        and wanted.priority in (None, row.priority)
        and (wanted.tag is None or wanted.tag in row.tags)
        and (after is None or row.created_at >= after)
        and (before is None or row.created_at < before)
        and any(name.lower().startswith((wanted.q or "").lower()) for name in names)
    )


def _telling(row: Document, told: Told) -> Document:
    return replace(
        row,
        stage=told.stage,
        waiting_for=told.waiting_for,
        next_attempt_at=told.next_attempt_at,
        error_message=told.error_message,
    )


def _with_effort(row: Document, run_before: int, effort: Effort | None) -> Document:
    if effort is not None and effort.run >= run_before:
        new = effort.run > run_before
        row = replace(
            row,
            run=effort.run,
            attempts=effort.attempts if new else max(row.attempts, effort.attempts),
            progress=effort.progress if new else max(row.progress, effort.progress),
        )
    return replace(row, progress=100) if row.status in SUCCEEDED else row


def _key(claim: Claim) -> tuple[str, str, str]:
    return claim.owner_id, claim.route, claim.idempotency_key


def _fresh(document: NewDocument) -> Document:
    scan, details = document.scan, document.details
    return Document(
        document_id=document.document_id,
        owner_id=details.owner_id,
        status="queued",
        stage="queued",
        progress=0,
        review_status=None,
        run=0,
        attempts=0,
        priority=int(details.priority),
        filename=details.filename,
        media_type=scan.media_type,
        sha256=scan.sha256,
        size_bytes=scan.size_bytes,
        content_key=scan.content_key,
        created_at=document.accepted_at,
        started_at=None,
        completed_at=None,
        updated_at=document.accepted_at,
        next_attempt_at=None,
        waiting_for=None,
        error_message=None,
        engine=None,
        confidence=None,
        result_key=None,
        result_version=0,
        vendor_name=None,
        invoice_number=None,
        invoice_date=None,
        total=None,
        currency=None,
        duplicate=False,
        revision=1,
        tags=list(details.said.tags),
        metadata=json.loads(details.said.metadata),
        due_at=details.said.due_at,
    )
