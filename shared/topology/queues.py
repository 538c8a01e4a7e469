"""Every work queue of the system. This table is the topology; the rest is derived.

Waits are not listed: they are spent on the delay ladder, one TTL per rung, because RabbitMQ
expires messages only at the head of a queue and two TTLs in one queue block each other.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from shared.contracts.body import Body, Fact
from shared.contracts.facts import (
    DOCUMENT_FACTS,
    FACTS,
    DocumentCancelledV1,
    DocumentDeletedV1,
    DocumentFinalisedV1,
    DocumentSplitFailedV1,
)
from shared.contracts.orders import (
    ExtractDocumentV1,
    FinaliseDocumentV1,
    OpenReviewV1,
    ReextractDocumentV1,
    SplitDocumentV1,
    StoreDocumentV1,
    SubmitDocumentV1,
)
from shared.contracts.processes import ConsumptionSteeredV1

PRIORITY_MAX = 5
HOURS_S = 3600.0


@dataclass(frozen=True, slots=True)
class WorkQueue:
    name: str
    takes: tuple[type[Body], ...]
    # Exactly one of the two: `slots` handlers run at once, one message each, or one handler
    # takes what has arrived, up to `batch`.
    slots: int = 0
    batch: int = 0
    # Batches of a steady stream begin so far apart, where nobody's next step depends on them.
    pace_s: float = 0.0
    attempts_max: int = 4
    backoff_base_s: float = 10.0
    timeout_s: float = 300.0
    patience_s: float = 24 * HOURS_S
    priority_max: int = 0
    # A final failure here ends the document; later ones only alert.
    fails_document: bool = False
    # Takes from outside: whoever gives a reply address hears what became of its message.
    answers: bool = False
    # False where the effect is idempotent by itself, so that marks would only cost.
    inbox: bool = True

    @property
    def service(self) -> str:
        return self.name.partition(".")[0]

    @property
    def prefetch(self) -> int:
        # Close to what really runs: a prefetched normal message is one that urgent work
        # cannot overtake any more. Batches get twice, so that the next one is already there.
        return self.slots or self.batch * 2


WITHDRAWALS = (DocumentCancelledV1, DocumentDeletedV1)

SUBMIT = WorkQueue(
    "ingest.submit", (SubmitDocumentV1,), batch=50, priority_max=PRIORITY_MAX, answers=True
)
SPLIT = WorkQueue("ingest.split", (SplitDocumentV1,), slots=2)
REEXTRACT = WorkQueue("ingest.reextract", (ReextractDocumentV1,), slots=2)
STATUS = WorkQueue("ingest.status", DOCUMENT_FACTS, batch=200, pace_s=0.05, inbox=False)
EXTRACT = WorkQueue(
    "extractor.extract",
    (ExtractDocumentV1,),
    slots=8,
    patience_s=48 * HOURS_S,
    priority_max=PRIORITY_MAX,
    fails_document=True,
)
EXTRACTOR_LEARN = WorkQueue("extractor.learn", (DocumentFinalisedV1,), slots=2, inbox=False)
EXTRACTOR_WITHDRAW = WorkQueue("extractor.withdraw", WITHDRAWALS, batch=100, inbox=False)
STORE = WorkQueue(
    "storage.store",
    (StoreDocumentV1,),
    batch=50,
    priority_max=PRIORITY_MAX,
    fails_document=True,
)
FINALISE = WorkQueue(
    "storage.finalise", (FinaliseDocumentV1,), batch=50, priority_max=PRIORITY_MAX
)
STORAGE_WITHDRAW = WorkQueue("storage.withdraw", WITHDRAWALS, batch=100, inbox=False)
REVIEW = WorkQueue("review.open", (OpenReviewV1,), batch=50, priority_max=PRIORITY_MAX)
REVIEW_SPLIT = WorkQueue("review.split", (DocumentSplitFailedV1,), slots=2)
REVIEW_WITHDRAW = WorkQueue("review.withdraw", WITHDRAWALS, batch=100, inbox=False)
WATCH = WorkQueue("monitor.watch", FACTS, batch=200, pace_s=0.1, inbox=False)
# By which an operator reaches the service that owns a queue. Apart from its other queues: what
# resumes one must not wait behind it.
STEER: Mapping[str, WorkQueue] = {
    service: WorkQueue(f"{service}.steer", (ConsumptionSteeredV1,), batch=20, inbox=False)
    for service in ("extractor", "ingest", "monitor", "review", "storage")
}

WORK_QUEUES: tuple[WorkQueue, ...] = (
    SUBMIT,
    SPLIT,
    REEXTRACT,
    STATUS,
    EXTRACT,
    EXTRACTOR_LEARN,
    EXTRACTOR_WITHDRAW,
    STORE,
    FINALISE,
    STORAGE_WITHDRAW,
    REVIEW,
    REVIEW_SPLIT,
    REVIEW_WITHDRAW,
    WATCH,
    *STEER.values(),
)
# Those that an operator may pause: all but what he is heard by, and what he sees by.
PAUSABLE = frozenset(queue.name for queue in WORK_QUEUES) - {
    WATCH.name,
    *(queue.name for queue in STEER.values()),
}


@dataclass(frozen=True, slots=True)
class Destination:
    exchange: str
    routing_key: str


JOBS = "jobs"
EVENTS = "events"
INGEST = "ingest"
DEAD = "dead"
UNROUTABLE = "unroutable"
# The broker's own, which reaches every queue by its name. Only answers are sent to it.
DEFAULT_EXCHANGE = ""
# How the queues begin in which senders wait for an answer; no queue of the plan does.
REPLY_QUEUES = ("amq.gen-", "reply.")


def destination(body: type[Body], queues: tuple[WorkQueue, ...] = WORK_QUEUES) -> Destination:
    """Where such a body is sent: an order to its one queue, a fact to whoever cares."""
    if issubclass(body, Fact):
        return Destination(EVENTS, body.type)
    [queue] = [queue for queue in queues if body in queue.takes]
    return Destination(JOBS, queue.name)


def dead_queue(queue_name: str) -> str:
    return f"{queue_name}.dead"
