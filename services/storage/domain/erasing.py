"""A document that is erased, and whose erasure nobody has been told of yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from shared.bus.headers import RUN
from shared.bus.jobs import Job
from shared.contracts.body import Priority
from shared.contracts.facts import (
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentErasedV1,
)
from shared.topology.queues import STORAGE_WITHDRAW


@dataclass(frozen=True, slots=True)
class Erasing:
    document_id: UUID
    owner_id: str
    accepted_at: datetime
    priority: int
    cause_id: UUID
    run: int
    traceparent: str | None
    # Its day has no merged file that counts, but a killed process may have put one there.
    may_have_left_a_file: bool = False

    def cause(self) -> Job[DocumentDeletedV1]:
        """The job that had it erased, as far as a message in its name needs it."""
        body = DocumentDeletedV1(
            document_id=self.document_id,
            owner_id=self.owner_id,
            accepted_at=self.accepted_at,
            priority=Priority(self.priority),
        )
        headers = {RUN: str(self.run)} if self.run else {}
        return Job(
            body,
            self.cause_id,
            STORAGE_WITHDRAW.name,
            priority=self.priority,
            headers=headers,
            traceparent=self.traceparent,
        )

    def fact(self) -> DocumentErasedV1:
        return DocumentErasedV1.after(
            self.cause().body, service="storage", cause_id=self.cause_id
        )


def deletions_of(
    jobs: Sequence[Job[DocumentCancelledV1 | DocumentDeletedV1]],
) -> list[Job[DocumentDeletedV1]]:
    return [
        cast(Job[DocumentDeletedV1], job)
        for job in jobs
        if isinstance(job.body, DocumentDeletedV1)
    ]


def erasing(job: Job[DocumentDeletedV1]) -> Erasing:
    body = job.body
    return Erasing(
        body.document_id,
        body.owner_id,
        body.accepted_at,
        int(body.priority),
        job.job_id,
        job.run,
        job.traceparent,
    )
