"""What has been read already, in PostgreSQL. One method per file in `sql/`, same name."""

from collections.abc import Iterable, Sequence, Set
from uuid import UUID

from services.extractor.domain.terms import Terms
from services.extractor.ports import (
    Answered,
    Beginner,
    Found,
    Lease,
    Processed,
    Refusal,
    Standing,
    Taking,
)
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
        self, unit: Unit, beginners: Sequence[Beginner], terms: Terms
    ) -> Sequence[Found]:
        # In one order, so that two replicas with the same contents cannot dead-lock.
        order = sorted(range(len(beginners)), key=lambda at: _content(beginners[at].lease))
        leases = [beginners[at].lease for at in order]
        rows = await unit.connection.fetch(
            BEGIN_READING,
            *_keys(leases),
            [one.document_id for one in leases],
            [one.job_id for one in leases],
            [one.run for one in leases],
            [beginners[at].job.body.force for at in order],
            terms.cache_ttl_s,
            terms.lease_s,
            terms.degraded_serves,
        )
        found = {at: _found(row) for at, row in zip(order, rows, strict=True)}
        return [found[at] for at in range(len(beginners))]

    async def keep_processed(self, unit: Unit, answers: Sequence[Answered]) -> Set[UUID]:
        answers = sorted(answers, key=lambda one: _content(one.lease))
        rows = await unit.connection.fetch(
            KEEP_PROCESSED,
            *_keys([one.lease for one in answers]),
            [one.lease.document_id for one in answers],
            [one.extraction_key for one in answers],
            [one.lease.job_id for one in answers],
            [one.degraded for one in answers],
        )
        return {row["token"] for row in rows}

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


def _content(lease: Lease) -> tuple[str, str, str]:
    content = lease.content
    return content.owner_id, content.sha256, content.config


def _keys(leases: Sequence[Lease]) -> Iterable[list[object]]:
    """Owners, digests, configurations and tokens."""
    return map(list, zip(*((*_content(one), one.token) for one in leases), strict=True))


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
