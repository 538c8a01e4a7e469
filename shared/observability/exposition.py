"""How metrics leave a process: in the format the scraper asks for, with series that are there
before anything has happened, and with the trace behind a slow observation.

Only OpenMetrics can carry that trace (an exemplar). Whoever does not ask for it gets the plain
text that every tool reads.
"""

from collections.abc import Iterable

from prometheus_client import CONTENT_TYPE_LATEST, Histogram, generate_latest
from prometheus_client.exposition import choose_encoder

from shared.observability import metrics
from shared.observability.metrics import REGISTRY
from shared.observability.tracing import current_span

OPENMETRICS = "application/openmetrics-text"
FINAL_STATUSES = ("completed", "failed", "duplicate", "cancelled", "deleted")
WEBHOOK_OUTCOMES = ("delivered", "retried", "given_up", "gone")
# What a message dies of without its handler having said so.
REASONS_OF_THE_BUS = (
    *("undecodable", "unsupported_content_type", "unknown_type", "unknown_version"),
    *("invalid_body", "poison", "bug", "attempts_exhausted", "expired"),
)


def render(accept: str = "") -> tuple[bytes, str]:
    """The exposition and its content type. `accept` is what the scraper says it reads."""
    if OPENMETRICS in accept:
        encode, content_type = choose_encoder(accept)
        return encode(REGISTRY), content_type
    return generate_latest(REGISTRY), CONTENT_TYPE_LATEST


def observe(histogram: Histogram, amount: float) -> None:
    """With the trace of the current span: from a slow bucket to the one that was slow."""
    current = current_span()
    histogram.observe(amount, {"trace_id": current.trace_id} if current else None)


def start_at_zero() -> None:
    """Make the series exist: `rate()` does not see the step from absent to one."""
    for status in FINAL_STATUSES:
        metrics.DOCUMENTS_PROCESSED.labels(status)
    for outcome in WEBHOOK_OUTCOMES:
        metrics.WEBHOOK_ATTEMPTS.labels(outcome)
    for outcome in ("hit", "miss"):
        metrics.DETAIL_CACHE.labels(outcome)


def start_routes_at_zero(routes: Iterable[tuple[str, str]]) -> None:
    """The same, for what an API may answer when it is our fault: `routes` with their methods.
    A burst of errors between two looks of the scraper would otherwise never have risen."""
    for route, method in routes:
        for status in ("500", "503"):
            metrics.HTTP_REQUESTS.labels(route, method, status)


def start_queues_at_zero(queues: Iterable[str]) -> None:
    """The same, for the queues that a process takes from."""
    for queue in queues:
        metrics.DELIVERIES.labels(queue, "done", "done")
        metrics.STAGE_DURATION_SECONDS.labels(queue, "done")
        for counter in (metrics.REDELIVERED, metrics.INBOX_DUPLICATES, metrics.CONSUMER_LOST):
            counter.labels(queue)
        for reason in REASONS_OF_THE_BUS:
            metrics.DEAD_LETTERS.labels(queue, reason)
