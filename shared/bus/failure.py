"""What is told of a failure: in the dead letter's headers, the document's facts, the answer.

Bounded everywhere: headers beyond a frame would close the connection for everybody on it.
The fingerprint never holds the message's text, so one bug is one group however many
documents it hits.
"""

import hashlib
import traceback
from datetime import datetime
from pathlib import PurePath
from typing import Any

from pydantic import ValidationError

from shared.bus.decision import DeadLetter, Wait
from shared.bus.delivery import Delivery
from shared.bus.headers import (
    DEAD_ATTEMPTS,
    DEAD_CATEGORY,
    DEAD_EXCEPTION,
    DEAD_FINGERPRINT,
    DEAD_FIRST_AT,
    DEAD_LAST_AT,
    DEAD_MESSAGE,
    DEAD_QUEUE,
    DEAD_REASON,
    REPLY_TO,
    as_text,
    ours,
)
from shared.bus.jobs import Job
from shared.contracts.answers import SubmissionAnsweredV1
from shared.contracts.body import Answer, Body, DocumentBody, Fact
from shared.contracts.facts import DocumentFailedV1, DocumentWaitingV1
from shared.errors import Rejected

FINGERPRINT_CHARS = 16
OURS = ("services", "shared")
# Failures of the message. Of ours, a stranger learns that there was one and no more.
OF_THE_SENDER = ("rejected", "undecodable")


def failure_headers(
    delivery: Delivery, decision: DeadLetter, error: Exception | None, now: datetime
) -> dict[str, str]:
    header = delivery.envelope.header if delivery.envelope else None
    return ours(
        {
            DEAD_REASON: decision.reason,
            DEAD_CATEGORY: decision.category,
            DEAD_EXCEPTION: type(error).__name__ if error else "",
            DEAD_MESSAGE: error or "",
            DEAD_FINGERPRINT: fingerprint(delivery, decision, error),
            DEAD_ATTEMPTS: header.attempt if header else 0,
            DEAD_FIRST_AT: delivery.headers.get(DEAD_FIRST_AT, now.isoformat()),
            DEAD_LAST_AT: now.isoformat(),
            DEAD_QUEUE: delivery.queue.name,
        }
    )


def fingerprint(delivery: Delivery, decision: DeadLetter, error: Exception | None) -> str:
    parts = (
        delivery.queue.name,
        decision.reason,
        type(error).__name__,
        _innermost_frame(error),
        delivery.type,
    )
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:FINGERPRINT_CHARS]


def _innermost_frame(error: Exception | None) -> str:
    """The last frame of our own, by file and function: a moved line is the same bug."""
    if error is None:
        return ""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        parts = PurePath(frame.filename).parts
        ours = [index for index, part in enumerate(parts) if part in OURS]
        if ours and "site-packages" not in parts:
            return f"{'/'.join(parts[ours[-1] :])}:{frame.name}"
    return ""


def document_failed(
    delivery: Delivery, decision: DeadLetter, error: Exception | None
) -> Fact | None:
    """The document's end, where a failure of this queue is one."""
    if not delivery.queue.fails_document or delivery.envelope is None:
        return None
    document = _document(delivery.job.body if delivery.job else delivery.envelope.body)
    if document is None:
        return None
    return DocumentFailedV1(
        **document,
        stage=delivery.queue.name,
        reason=decision.reason,
        detail=as_text(_detail(error)),
        attempts=delivery.envelope.header.attempt,
    )


def refusal(delivery: Delivery, decision: DeadLetter, error: Exception | None) -> Answer | None:
    """What its sender is told, if that waits for an answer."""
    if REPLY_TO not in delivery.headers:
        return None
    told = decision.category in OF_THE_SENDER
    return SubmissionAnsweredV1(
        cause_id=delivery.job_id,
        outcome="rejected",
        reason=decision.reason,
        detail=as_text(_detail(error)) if told else "",
    )


def _detail(error: Exception | None) -> str:
    # The reason stands beside it already; an error that carries one would say it twice.
    return error.detail if isinstance(error, Rejected) else str(error or "")


def document_waiting(job: Job[Body], wait: Wait, until: datetime) -> Fact | None:
    document = _document(job.body)
    if document is None:
        return None
    return DocumentWaitingV1(
        **document,
        stage=job.queue,
        reason=as_text(wait.reason),
        until=until,
        attempt=wait.attempt,
    )


def _document(body: Body | dict[str, Any]) -> dict[str, Any] | None:
    """Whose document it is, as far as even an unacceptable body tells."""
    try:
        known = DocumentBody.model_validate(
            body if isinstance(body, dict) else body.model_dump()
        )
    except ValidationError:
        return None
    return known.model_dump()
