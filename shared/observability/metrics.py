"""EVERY metric of the system, each with the question it answers.

One file, so that a dashboard or an alert can be checked against it and no two parts count
the same thing twice. Labels come from closed sets only (queue, decision, reason, outcome):
an id in a label would make a series per document and stop the scraper within a day.
"""

import prometheus_client
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

# The client would add a `_created` series to each of a counter's: twice the budget, no use.
prometheus_client.disable_created_metrics()  # type: ignore[no-untyped-call]  # unannotated

REGISTRY = CollectorRegistry()
for collect in (
    prometheus_client.ProcessCollector,
    prometheus_client.PlatformCollector,
    prometheus_client.GCCollector,
):
    collect(registry=REGISTRY)

SHORT_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
# A model's answer takes longer than the usual buckets reach.
CALL_BUCKETS = (0.05, 0.1, 0.5, 1, 2, 5, 10, 20, 30, 45, 60, 90, 120, 180, 300)
WAIT_BUCKETS = (0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14400)
CONFIDENCE_BUCKETS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.99, 1)


def _counter(name: str, question: str, *labels: str) -> Counter:
    return Counter(name, question, labels, namespace="paperline", registry=REGISTRY)


def _gauge(name: str, question: str, *labels: str) -> Gauge:
    return Gauge(name, question, labels, namespace="paperline", registry=REGISTRY)


def _histogram(
    name: str, question: str, *labels: str, buckets: tuple[float, ...] = SHORT_BUCKETS
) -> Histogram:
    return Histogram(
        name, question, labels, namespace="paperline", buckets=buckets, registry=REGISTRY
    )


# How many documents came to an end, and to which? (This and the next two carry no prefix:
# the order that this system fulfils names them so.)
DOCUMENTS_PROCESSED = Counter(
    "documents_processed_total", "Documents that ended", ("status",), registry=REGISTRY
)
# How long did one extraction take, the provider included?
PROCESSING_DURATION_SECONDS = Histogram(
    "processing_duration_seconds",
    "Duration of one extraction",
    buckets=CALL_BUCKETS,
    registry=REGISTRY,
)
# How sure was the machine, and is it getting less sure?
EXTRACTION_CONFIDENCE = Histogram(
    "extraction_confidence",
    "Confidence per document",
    buckets=CONFIDENCE_BUCKETS,
    registry=REGISTRY,
)
# How many documents were taken in, through which door?
DOCUMENTS_ACCEPTED = _counter("documents_accepted", "Documents accepted", "door")
# What came of the passwords that came with documents? `opened`, or why not.
DOCUMENTS_UNLOCKED = _counter("documents_unlocked", "Documents with a password", "outcome")
# What became of the submissions by message that could be read? `repeated` is a used key.
SUBMISSIONS = _counter("submissions", "Submissions by message", "outcome")
# How long does a client wait from its 202 to the end?
END_TO_END_SECONDS = _histogram(
    "end_to_end_seconds", "Acceptance to end", "status", buckets=WAIT_BUCKETS
)
# Are owners told over HTTP? `outcome`: delivered, retried, given_up or gone.
WEBHOOK_ATTEMPTS = _counter("webhook_attempts", "Deliveries attempted", "outcome")
# How long do their endpoints take to answer?
WEBHOOK_SECONDS = _histogram("webhook_seconds", "Duration of a delivery's attempt")
# For how long has a delivery been due that could be sent? Over minutes means nobody sends.
WEBHOOK_OLDEST_DUE_AGE = _gauge(
    "webhook_oldest_due_age_seconds", "Age of the oldest delivery that could be sent"
)
# How many endpoints did we turn off because they are gone or do nothing but fail?
WEBHOOKS_DISABLED = _counter("webhooks_disabled", "Endpoints disabled by us", "reason")
# How many documents are where, and does the funnel balance?
DOCUMENTS = _gauge("documents", "Documents by status", "status")
# How long has the oldest document been standing in this stage? Drives the SLA.
OLDEST_AGE_SECONDS = _gauge("oldest_age_seconds", "Age of the oldest document", "stage")
# How many documents have been processing for more than 30 minutes?
DOCUMENTS_STUCK = _gauge("documents_stuck", "Documents in processing for over 30 minutes")
# How many deleted documents had their bytes and logs erased?
ERASED_DOCUMENTS = _counter("erased_documents", "Deleted documents that were erased")
# How many deleted documents may still be held somewhere?
ERASURES_OPEN = _gauge("erasures_open", "Deleted documents not yet erased everywhere")
# And since when the oldest of them?
ERASURES_OLDEST_AGE = _gauge("erasures_oldest_age_seconds", "Age of the oldest erasure")
# How many documents were erased because their time was over?
RETENTION_ERASED = _counter("retention_erased", "Documents erased by their age")
# How many have had their time and are still to be erased, by class?
RETENTION_DUE = _gauge("retention_due", "Documents to be erased by their age", "document_class")
# How many stay although they had it, held or in a reviewer's hand?
RETENTION_KEPT = _gauge("retention_kept", "Documents kept beyond their age", "document_class")
# How many contents lay in the object store without a document, and were erased?
ORPHANS_ERASED = _counter("orphans_erased", "Contents without a document, erased")
# How much room is left on the disk of a folder of blobs?
BLOBS_FREE_BYTES = _gauge("blobs_free_bytes", "Bytes free on the disk of the blobs")
# And how much has it in all? 0 where blobs are in a bucket: then nobody here knows.
BLOBS_SIZE_BYTES = _gauge("blobs_size_bytes", "Size of the disk of the blobs")
# Is it too little to write to? Then the queues that write are paused, and resume by themselves.
BLOBS_SHORT = _gauge("blobs_short", "1 while the disk of the blobs is short of room")
# Was what a client asked for of an ended document at hand? `outcome` is hit or miss.
DETAIL_CACHE = _counter("detail_cache", "Details of ended documents asked for", "outcome")
# How often had the sweeper to order a stage again? Zero, or something lost a message.
SWEPT = _counter("swept", "Stages ordered again by the sweeper", "stage")
# Does anything contradict an invariant of the design? Any value above zero pages; no series at
# all means that nobody has looked yet.
INVARIANT_VIOLATIONS = _gauge("invariant_violations", "Rows breaking an invariant", "invariant")

# What became of each delivery, and why?
DELIVERIES = _counter("deliveries", "Deliveries settled", "queue", "decision", "reason")
# How long does a stage take over one delivery, from hand-over to settlement, and over a batch?
# A stage is its queue, `outcome` the decision: what is sent to wait is quick and says nothing.
STAGE_DURATION_SECONDS = _histogram(
    "stage_duration_seconds",
    "Duration of a delivery",
    "queue",
    "outcome",
    buckets=CALL_BUCKETS,
)
# How much comes twice because a process died or lost its connection?
REDELIVERED = _counter("redelivered", "Deliveries the broker marked as redelivered", "queue")
# How much of it had already been done, and was recognised?
INBOX_DUPLICATES = _counter("inbox_duplicates", "Deliveries already handled", "queue")
# Is anybody listening? A queue with messages and zero here is stalled.
CONSUMERS = _gauge("consumers", "Consumers of this process on the queue", "queue")
# Which queue has this process stopped taking from, and why? 1 while it is so.
PAUSED = _gauge("paused", "Whether consumption is paused", "queue", "reason")
# How often did the broker end a consumer that had to be started again?
CONSUMER_LOST = _counter("consumer_lost", "Consumers the broker cancelled", "queue")
# What dies, and of what? `queue` is the stage, `reason` a code of the runbook's list.
DEAD_LETTERS = _counter("dead_letters", "Messages sent to a dead queue", "queue", "reason")
# When did this queue last get something done?
LAST_SUCCESS = _gauge("last_success_timestamp_seconds", "Last delivery done", "queue")
# How long from the order to its end, of what had to wait for nothing but its turn?
CRITICAL_SECONDS = _histogram(
    "critical_seconds", "Order to end of handling", "queue", buckets=WAIT_BUCKETS
)

# How much do we send, and does the broker take it? `refused` is a full queue's no.
PUBLISHED = _counter("published", "Messages the broker answered", "exchange", "outcome")
# Of how much did nobody say whether it arrived? It is sent again, and the copy is dropped.
PUBLISH_UNKNOWN = _counter("publish_unknown", "Messages without an answer", "exchange")
# How much did the broker hand back, because no queue takes it? Of answers (to no exchange) that
# is only somebody who did not wait; of all else a binding is missing, and the row is parked.
PUBLISH_UNROUTABLE = _counter("unroutable", "Messages without a queue", "exchange")
# Do those hear from us who asked to be answered? `returned`: nobody was there any more.
ANSWERS = _counter("answers", "Answers sent to who asked", "outcome")
# How long does the broker take to confirm?
PUBLISH_SECONDS = _histogram("publish_seconds", "Publish to confirm")
# How many rows did the relay get confirmed and delete?
RELAYED = _counter("relayed", "Outbox rows confirmed by the broker")
# How many rows wait to be published?
OUTBOX_UNSENT = _gauge("outbox_unsent", "Outbox rows not yet published")
# For how long has the oldest waited? Over a minute means the relay or the broker is away.
OUTBOX_OLDEST_AGE = _gauge("outbox_oldest_age_seconds", "Age of the oldest outbox row")
# How many messages could be routed nowhere or were too large, and need a person?
OUTBOX_PARKED = _gauge("outbox_parked", "Outbox rows parked")
# How many rows that are gone does the claim still walk over? Many mean that nobody vacuums.
OUTBOX_DEAD_ROWS = _gauge("outbox_dead_rows", "Dead rows of the outbox")
# Does the broker hold back our publishing (memory or disk alarm)? 1 while it does.
AMQP_CONNECTION_BLOCKED = _gauge("amqp_connection_blocked", "Blocked by the broker", "purpose")
# How often was a connection to the broker made anew?
RECONNECTS = _counter("reconnects", "Connections made anew", "purpose")

# Is the connection pool too small? Waiting says so before timeouts do.
POOL_WAIT_SECONDS = _histogram(
    "pool_wait_seconds",
    "Wait for a database connection",
    buckets=(0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10),
)
# Does something hold up the event loop, and with it every delivery of this process?
EVENT_LOOP_LAG_SECONDS = _histogram(
    "event_loop_lag_seconds",
    "How late a timer of this process fires",
    buckets=(0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5),
)
# Is the provider answering, throttling or failing?
LLM_REQUESTS = _counter("llm_requests", "Calls of the model", "model", "outcome")
# How long does one call take, and how long one that fails?
LLM_DURATION_SECONDS = _histogram(
    "llm_duration_seconds",
    "Duration of a model call",
    "model",
    "outcome",
    buckets=CALL_BUCKETS,
)
# How many tokens do we use? `direction` is input or output.
LLM_TOKENS = _counter("llm_tokens", "Tokens used", "model", "direction")
# What does it cost?
LLM_COST_USD = _counter("llm_cost_usd", "Cost of the model's calls", "model")
# How long do documents wait for our own rate limit?
LLM_THROTTLE_WAIT_SECONDS = _histogram(
    "llm_throttle_wait_seconds", "Wait for the rate budget", buckets=CALL_BUCKETS
)
# How often is a parser's process started? Much more often than documents / its life is a leak.
PARSERS_STARTED = _counter("parsers_started", "Parser processes started", "kind")
# And what ended it? `crashed`, `timeout` and `out_of_memory` are a file's doing.
PARSERS_ENDED = _counter("parsers_ended", "Parser processes ended", "kind", "reason")
# Do documents wait for a parser? Then there are too few of them, or of cores.
PARSER_WAIT_SECONDS = _histogram("parser_wait_seconds", "Wait for a parser", "kind")
# Is the breaker open? 0 closed, 1 half-open, 2 open: three states, hence no plain switch.
BREAKER_STATE = _gauge("breaker_state", "State of the provider's breaker", "dependency")
# How often did it open, and after what? `day_quota` opens it until the provider's midnight.
BREAKER_OPENED = _counter("breaker_opened", "Times a breaker opened", "dependency", "reason")
# How many calls of a provider are under way in this process?
LLM_CALLS_IN_FLIGHT = _gauge("llm_calls_in_flight", "Calls under way", "dependency")
# How often did the provider say that we ask too much? `quota` is minute or day.
LLM_THROTTLED = _counter("llm_throttled", "Calls refused by a quota", "dependency", "quota")
# How many documents went on without the provider, and why?
LLM_NOT_ASKED = _counter("llm_not_asked", "Documents it was not asked for", "reason")
# What do today's calls cost, those under way by estimate? (UTC, all owners together.)
LLM_SPENDING_TODAY = _gauge("llm_spending_today_usd", "Spent and set aside today")
# How many documents needed no engine call because the content was known?
CACHE_HITS = _counter("cache_hits", "Extractions answered from the cache")
# How often did a lease end without its holder giving it back?
LEASE_EXPIRED = _counter("lease_expired", "Leases taken over from a dead holder", "kind")

# How often was a day's list of what is committed written anew?
MANIFESTS_WRITTEN = _counter("manifests_written", "Manifests of days written")
# How many documents were merged into files of days? Moving means that one is at it.
COMPACTED_DOCUMENTS = _counter("compacted_documents", "Documents merged into a day's file")
# And what came of the days? `changed` while it was merged, `failed` for want of a file.
COMPACTION_DAYS = _counter("compaction_days", "Days merged", "outcome")
# How long does one take?
COMPACTION_SECONDS = _histogram(
    "compaction_seconds", "Duration of merging a day", buckets=WAIT_BUCKETS
)
# Does a committed version lack its file? Counted each time that somebody meets it.
RESULT_FILES_LOST = _counter("result_files_lost", "Files of committed versions not readable")
# How many files of versions had no row for a day, and were erased? Killed writers leave some.
STRAYS_ERASED = _counter("strays_erased", "Files of uncommitted versions, erased")

# How many items wait for a reviewer?
REVIEW_OPEN = _gauge("review_open", "Review items not yet decided")
# For how long has the oldest of them waited?
REVIEW_OLDEST_AGE = _gauge("review_oldest_age_seconds", "Age of the oldest open item")
# How many wait beyond the time by which they were wanted?
REVIEW_OVERDUE = _gauge("review_overdue", "Open items that are overdue")
# How many became overdue?
REVIEW_OVERDUE_TOLD = _counter("review_overdue_told", "Items that became overdue")
# What came of those that needed nobody? `blocked`: something was found that nobody had seen.
STRAIGHT_THROUGH = _counter("review_straight_through", "Items that need nobody", "outcome")
# How long does a person have an item in hand until it is decided?
REVIEW_SECONDS = _histogram("review_seconds", "Time in hand", buckets=CALL_BUCKETS)
# What do reviewers decide?
REVIEW_DECISIONS = _counter("review_decisions", "Verdicts of reviewers", "verdict")
# What else do they do: override a block, name a duplicate, take a decision back?
REVIEW_ACTIONS = _counter("review_actions", "What people did beside deciding", "action")
# Which field does the machine get wrong most often?
REVIEW_CORRECTIONS = _counter("review_corrections", "Fields corrected by a person", "field")
# Are pages there before they are looked at? `drawn` is what somebody waited for.
PAGES_SHOWN = _counter("pages_shown", "Pages asked for at the desk", "outcome")
# How long does drawing one take?
PAGE_SECONDS = _histogram("page_seconds", "Duration of drawing a page")
# How many contents were forgotten, because nobody looked at them or there were too many?
PAGES_DROPPED = _counter("pages_dropped", "Contents whose drawn pages were dropped")
# How many dead letters wait for a person? Of what, the failure groups tell: a letter says of
# its own reason what it likes, and each would be a series for ever.
DEAD_LETTERS_OPEN = _gauge("dead_letters_open", "Dead letters not settled, nor muted", "queue")
# What became of the replays?
REPLAYS = _counter("replays", "Replays settled", "queue", "outcome")
# Which limit of the service level is broken right now? 1 while it is so.
SLA_BREACHED = _gauge("sla_breached", "Whether a service level is broken", "check")
# How full is each queue of the broker?
QUEUE_MESSAGES = _gauge("queue_messages", "Messages in a queue", "queue", "state")
# When were the promises last checked? `invariant_violations` and `sla_breached` are as old.
CHECKED = _gauge("checked_timestamp_seconds", "Last check of the promises", "duty")
# What is nearly used up? 1 is all of it. Of what: the monitor's domain/capacity.py, and the
# extractor tells of the ceiling of a day's money.
CAPACITY_SHARE = _gauge("capacity_share", "Share in use of what there is", "resource")
# When does the certificate of a server end that we or our clients talk to? 0: never seen.
CERTIFICATE_ENDS = _gauge("certificate_ends_timestamp_seconds", "End of its time", "address")
# When did the monitor last look at its tables and at the broker? Its gauges are as old as that.
MEASURED = _gauge("measured_timestamp_seconds", "Last look of the monitor")
# How does the HTTP API answer?
HTTP_REQUESTS = _counter("http_requests", "Requests answered", "route", "method", "status")
# Why are tokens of the identity provider not believed? Many of one reason are a wrong setting.
TOKENS_REFUSED = _counter("tokens_refused", "Tokens refused", "reason")
# Does the identity provider show its keys when it is asked?
PROVIDER_FETCHES = _counter("provider_fetches", "Questions for the provider's keys", "outcome")
# Do people get in with it, and what keeps them out?
SIGN_INS = _counter("sign_ins", "Sign-ins with the identity provider", "outcome")
# How quickly?
HTTP_SECONDS = _histogram("http_request_seconds", "Duration of a request", "route")

# Which build of which service is this?
BUILD_INFO = _gauge("build_info", "Always 1", "service", "version")
