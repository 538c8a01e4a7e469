"""Documents in PostgreSQL. One method per file in `sql/`, under the same name.

Every statement takes any number of rows as columns, so a batch of facts or a thousand new
documents cost as many round trips as one.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from services.ingest.domain.documents import Claim, Document, Event
from services.ingest.domain.facts import Arrival
from services.ingest.domain.life import Change
from services.ingest.domain.search import Wanted
from services.ingest.ports import Moved, Page
from shared.contracts.body import DocumentFact
from shared.database.pool import Connection, Pool
from shared.database.statements import statement
from shared.ledger.port import Unit

CLAIM_KEYS = statement(__file__, "claim_keys")
FIND_CLAIMS = statement(__file__, "find_claims")
APPLY_CHANGES = statement(__file__, "apply_changes")
APPEND_EVENTS = statement(__file__, "append_events")
FIND_DOCUMENT = statement(__file__, "find_document")
LIST_DOCUMENTS = statement(__file__, "list_documents")
LIST_DOCUMENTS_OF_OWNER = statement(__file__, "list_documents_of_owner")
LIST_EVENTS = statement(__file__, "list_events")
PLAN_EACH_TIME = statement(__file__, "plan_each_time")
SEARCH_DOCUMENTS = statement(__file__, "search_documents")

# The first page begins behind a position that no document reaches.
_LAST_AT = datetime(9999, 12, 31, tzinfo=UTC)
_LAST_ID = UUID(int=2**128 - 1)
# Told by the document itself; the timeline would only repeat it.
_OF_THE_DOCUMENT = {"document_id", "owner_id", "accepted_at", "priority"}

Columns = list[list[object]]
_NO_EVENTS: Columns = [[], [], [], []]


class PostgresDocuments:
    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    async def claim_keys(
        self, unit: Unit, claims: Sequence[Claim], *, ttl_s: float
    ) -> set[UUID]:
        rows = await unit.connection.fetch(
            CLAIM_KEYS, *_columns([_claimed(one) for one in claims]), ttl_s
        )
        return {row["document_id"] for row in rows}

    async def find_claims(self, unit: Unit, claims: Sequence[Claim]) -> list[Claim]:
        rows = await unit.connection.fetch(
            FIND_CLAIMS, *_columns([_claimed(one)[:3] for one in claims])
        )
        return [Claim(**row) for row in rows]

    async def apply_changes(
        self, unit: Unit, changes: Sequence[Change], told: Sequence[Arrival]
    ) -> list[Moved]:
        rows = await unit.connection.fetch(
            APPLY_CHANGES,
            *_columns([_changed(one) for one in changes]),
            *(_columns([_appended(one) for one in told]) or _NO_EVENTS),
        )
        return [Moved(*row) for row in rows]

    async def append_events(self, unit: Unit, arrivals: Sequence[Arrival]) -> None:
        await unit.connection.execute(
            APPEND_EVENTS, *_columns([_appended(one) for one in arrivals])
        )

    async def find_document(
        self, document_id: UUID, *, owner_id: str | None
    ) -> Document | None:
        row = await self._pool.fetchrow(FIND_DOCUMENT, document_id, owner_id)
        return None if row is None else Document(*row)

    async def list_documents(self, page: Page) -> list[Document]:
        if page.owner_id is not None:
            return await self.list_documents_of_owner(page)
        rows = await self._pool.fetch(LIST_DOCUMENTS, *position_of(page))
        return [Document(*row) for row in rows]

    async def list_documents_of_owner(self, page: Page) -> list[Document]:
        asked = (*position_of(page), page.owner_id)
        rows = await self._pool.fetch(LIST_DOCUMENTS_OF_OWNER, *asked)
        return [Document(*row) for row in rows]

    async def search_documents(self, page: Page, wanted: Wanted) -> list[Document]:
        asked = (*position_of(page), page.owner_id, *_wanted(wanted))
        async with self._pool.transaction() as connection:
            await _plan_each_time(connection)
            rows = await connection.fetch(SEARCH_DOCUMENTS, *asked)
        return [Document(*row) for row in rows]

    async def list_events(
        self, document_id: UUID, *, after_seq: int, limit: int
    ) -> list[Event]:
        rows = await self._pool.fetch(LIST_EVENTS, document_id, after_seq, limit)
        return [Event(*row) for row in rows]


def _columns(rows: Sequence[tuple[object, ...]]) -> Columns:
    return [list(column) for column in zip(*rows, strict=True)]


def position_of(page: Page) -> tuple[datetime, UUID, int]:
    return page.before_at or _LAST_AT, page.before_id or _LAST_ID, page.limit


async def _plan_each_time(connection: Connection) -> None:
    await connection.execute(PLAN_EACH_TIME)


def _wanted(wanted: Wanted) -> tuple[object, ...]:
    return (
        wanted.status,
        wanted.priority,
        wanted.tag,
        wanted.accepted_after,
        wanted.accepted_before,
        wanted.pattern,
        wanted.engine,
    )


def _claimed(claim: Claim) -> tuple[object, ...]:
    return (
        claim.owner_id,
        claim.route,
        claim.idempotency_key,
        claim.request_hash,
        claim.document_id,
    )


def _appended(arrival: Arrival) -> tuple[object, ...]:
    fact = arrival.fact
    return fact.document_id, arrival.fact_id, fact.type, event_body(fact)


def event_body(fact: DocumentFact) -> str:
    return fact.model_dump_json(exclude=_OF_THE_DOCUMENT, exclude_none=True)


_NOTHING_TOLD = (None,) * 7


def _changed(change: Change) -> tuple[object, ...]:
    """In the order of the statement's parameters."""
    position, told, effort = change.position, change.told, change.effort
    return (
        change.document_id,
        *((position.status, position.run, position.rank) if position else (None,) * 3),
        *(
            (
                told.run,
                told.rank,
                told.fact_id,
                told.stage,
                told.waiting_for,
                told.next_attempt_at,
                told.error_message,
            )
            if told
            else _NOTHING_TOLD
        ),
        *((effort.run, effort.attempts, effort.progress) if effort else (None,) * 3),
        *_changed_result(change),
    )


def _changed_result(change: Change) -> tuple[object, ...]:
    reading, result, review = change.reading, change.result, change.review
    summary = result.summary if result else None
    return (
        *(
            (reading.run, reading.stored, reading.engine, reading.confidence)
            if reading
            else (None,) * 4
        ),
        *((result.version, result.key) if result else (None,) * 2),
        *(
            (
                summary.vendor_name,
                summary.invoice_number,
                summary.invoice_date,
                summary.total,
                summary.currency,
            )
            if summary
            else (None,) * 5
        ),
        *((review.status, review.rank, review.fact_id) if review else (None,) * 3),
        review.version if review else None,
        change.position.version if change.position else None,
        review.turn if review else None,
    )
