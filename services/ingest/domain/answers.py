"""What a sender of documents by message is told, when it asked to be answered."""

from uuid import UUID

from services.ingest.domain.documents import links
from shared.contracts.answers import SubmissionAnsweredV1


def accepted_answer(
    cause_id: UUID, document_id: UUID, *, repeated: bool
) -> SubmissionAnsweredV1:
    return SubmissionAnsweredV1(
        cause_id=cause_id,
        outcome="accepted",
        document_id=document_id,
        repeated=repeated,
        links=links(document_id),
    )
