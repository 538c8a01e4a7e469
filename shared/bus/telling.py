"""What logs and metrics call a delivery and what became of it: closed sets and plain ids."""

from shared.bus.decision import Decision, Done, Wait
from shared.bus.delivery import Delivery
from shared.bus.headers import RUN, as_count
from shared.contracts.body import DocumentBody


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
