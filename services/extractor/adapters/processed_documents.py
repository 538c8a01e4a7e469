"""What has been read already, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Sequence
from uuid import UUID

from services.extractor.domain.terms import Terms
from services.extractor.ports import Found, Lease, Processed, Refusal, Standing, Taking
from shared.database.pool import Row
from shared.database.statements import statement
from shared.ledger.port import Unit

BEGIN_READING = statement(__file__, "begin_reading")
KEEP_PROCESSED = statement(__file__, "keep_processed")
FORGET_PROCESSED = statement(__file__, "forget_processed")
WITHDRAW_PROCESSED = statement(__file__, "withdraw_processed")
LIST_WITHDRAWN_ANSWERS = statement(__file__, "list_withdrawn_answers")
NOTE_ANSWERS_ERASED = statement(__file__, "note_answers_erased")
PURGE_PROCESSED = statement(__file__, "purge_processed")


class PostgresProcessedDocuments:
    async def begin_reading(
        self, unit: Unit, lease: Lease, terms: Terms, *, forced: bool = False
    ) -> Found:
        row = await unit.connection.fetchrow(
            BEGIN_READING,
            lease.content.owner_id,
            lease.content.sha256,
            lease.content.config,
            terms.cache_ttl_s,
            lease.document_id,
            lease.job_id,
            lease.run,
            lease.token,
            terms.lease_s,
            forced,
            terms.degraded_serves,
        )
        return _found(row)

    async def keep_processed(
        self, unit: Unit, lease: Lease, extraction_key: str, *, degraded: bool = False
    ) -> bool:
        kept = await unit.connection.fetchval(
            KEEP_PROCESSED,
            lease.content.owner_id,
            lease.content.sha256,
            lease.content.config,
            lease.token,
            lease.document_id,
            extraction_key,
            lease.job_id,
            degraded,
        )
        return kept is not None

    async def forget_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(FORGET_PROCESSED, list(document_ids))

    async def withdraw_processed(self, unit: Unit, document_ids: Sequence[UUID]) -> None:
        await unit.connection.execute(WITHDRAW_PROCESSED, list(document_ids))

    async def list_withdrawn_answers(
        self, unit: Unit, document_ids: Sequence[UUID]
    ) -> list[str]:
        rows = await unit.connection.fetch(LIST_WITHDRAWN_ANSWERS, list(document_ids))
        return [row["extraction_key"] for row in rows]

    async def note_answers_erased(self, unit: Unit, extraction_keys: Sequence[str]) -> None:
        await unit.connection.execute(NOTE_ANSWERS_ERASED, list(extraction_keys))

    async def purge_processed(self, unit: Unit, ttl_s: float, count: int) -> int:
        return len(await unit.connection.fetch(PURGE_PROCESSED, ttl_s, count))


def _found(row: Row) -> Found:
    if row["is_withdrawn"]:
        return Found(is_withdrawn=True)
    if row["answer_document"] is not None:
        answer = (row["answer_document"], row["answer_key"], row["answer_job"])
        return Found(answer=Processed(*answer, row["is_degraded"]))
    if row["was_taken_over"] is not None:
        taking: Taking = "taken_over" if row["was_taken_over"] else "taken"
        return Found(taking=taking)
    if row["holder_document"] is None:
        return Found()
    reason = row["refusal_reason"]
    refusal = None if reason is None else Refusal(reason, row["refusal_detail"])
    holder = (row["holder_document"], row["holder_job"], row["left_s"])
    return Found(standing=Standing(*holder, refusal))
