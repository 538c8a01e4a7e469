"""What logs, metrics and spans tell of a delivery and its fate: closed sets and plain ids."""

from collections.abc import Mapping
from datetime import datetime

from shared.bus.decision import Decision, Done, Wait
from shared.bus.delivery import Delivery
from shared.bus.headers import RUN, SINCE, as_count
from shared.contracts.body import DocumentBody
from shared.observability import conventions as names
from shared.observability.metrics import CRITICAL_SECONDS
from shared.observability.tracing import Value, is_recording


def context_of(delivery: Delivery) -> dict[str, object]:
    body = delivery.job.body if delivery.job else None
    return {
        "queue": delivery.queue.name,
        "type": delivery.type,
        "job_id": delivery.job_id,
        "document_id": body.document_id if isinstance(body, DocumentBody) else None,
        "attempt": delivery.envelope.header.attempt if delivery.envelope else None,
        "run": as_count(delivery.headers, RUN),
    }


def attributes_of(delivery: Delivery) -> Mapping[str, Value] | None:
    """For a collector. The queue is the destination: after a wait, how a message came to it
    says only how long it waited."""
    if not is_recording():
        return None
    told: dict[str, Value] = {
        **names.PROCESSING,
        names.DESTINATION: delivery.queue.name,
        names.DELIVERY_TAG: delivery.tag,
        names.BODY_SIZE: len(delivery.raw),
    }
    if delivery.job_id is not None:
        told[names.MESSAGE_ID] = str(delivery.job_id)
    if delivery.job and isinstance(delivery.job.body, DocumentBody):
        told[names.CONVERSATION_ID] = str(delivery.job.body.document_id)
    return told


def observe_way(delivery: Delivery, now: datetime) -> None:
    """How long it took from the order to its end. What had to wait, or was sent once more, says
    nothing of that; and who sends from outside has a clock of his own."""
    queue, envelope = delivery.queue, delivery.envelope
    if envelope is None or queue.answers or not queue.inbox:
        return
    if envelope.header.attempt == 1 and not delivery.headers.keys() & {SINCE, RUN}:
        way = (now - envelope.header.created_at).total_seconds()
        CRITICAL_SECONDS.labels(queue.name).observe(max(way, 0.0))


def names_of(decision: Decision) -> tuple[str, str]:
    match decision:
        case Done(outcome):
            return "done", outcome
        case Wait(pause=str(dependency)):
            return "wait", f"{dependency}_away"
        case Wait(deferrals=deferrals):
            return "wait", "deferred" if deferrals else "retry"
        case _:
            return "dead_letter", decision.reason
