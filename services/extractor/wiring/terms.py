"""How long things hold, how often a document is tried, and what it leaves time for.

What the environment says wins over the configuration file.
"""

from dataclasses import replace

from services.extractor.adapters.gemini.options import ASKS_MAX
from services.extractor.domain.terms import Terms
from services.extractor.settings import Settings
from shared.bus.running import HURRY_AT
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.precedence import environment_first
from shared.topology.queues import EXTRACT, WorkQueue

# A model that may take longer than a delivery has gets most of one all the same.
MODEL_SHARE = 0.9


def queue_of(settings: Settings, configuration: ExtractionConfiguration) -> WorkQueue:
    retry = configuration.processing.retry
    return replace(
        EXTRACT,
        slots=settings.extract_slots,
        attempts_max=1 + retry.max_retries,
        backoff_base_s=retry.backoff_base_seconds,
    )


def terms_of(settings: Settings, configuration: ExtractionConfiguration) -> Terms:
    queue, told = queue_of(settings, configuration), configuration.idempotency
    return Terms(
        cache_ttl_s=environment_first(settings, "cache_ttl_s", told.cache_ttl_s),
        lease_s=settings.lease_s,
        refusal_s=settings.refusal_s,
        degraded_serves=told.degraded_serves,
        attempts_max=queue.attempts_max,
        reading_s=queue.timeout_s * HURRY_AT,
        patience_s=queue.patience_s,
    )


def model_time_s(terms: Terms, call_s: float) -> float:
    return min(ASKS_MAX * call_s, MODEL_SHARE * terms.reading_s)
