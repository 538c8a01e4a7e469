"""What stands between a provider and the engine that asks it, as the operator's file says.

The breaker, the rate and the money are rows of the extractor's schema: whoever is made here, in
however many processes, guards the same provider.
"""

from dataclasses import dataclass

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.adapters.model_rate import model_rate
from services.extractor.adapters.pauses import BoardPauses
from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import BreakerTerms, CallTerms, Ceilings
from services.extractor.handlers.protection import Guards, ProviderGate
from services.extractor.settings import Settings
from shared.configuration.document import ExtractionConfiguration
from shared.ledger.board import PostgresPauseBoard
from shared.process.runtime import Runtime
from shared.topology.queues import EXTRACT

GEMINI = "gemini"
CALLS_PER_S = 10.0
# Long enough for the call itself, for a turn before it and for its settling.
PROBE_MARGIN_S = 30.0
# A paused queue lets a document through so many times until the breaker lets one call through:
# two timers of the same length would keep missing each other.
TRIES_PER_RECOVERY = 6


@dataclass(frozen=True, slots=True)
class Protection:
    gate: ProviderGate
    # Its `keep_watching` is a task of the process.
    breaker: PostgresBreaker


def protection_of(
    runtime: Runtime[Settings], rules: ExtractionConfiguration, model: str
) -> Protection:
    told = rules.processing.engines[GEMINI]
    terms = _breaker_terms(rules)
    breaker = PostgresBreaker(runtime.pool, GEMINI, terms)
    guards = Guards(
        breaker,
        model_rate(runtime.pool, model, told.requests_per_second or CALLS_PER_S),
        PostgresSpending(runtime.pool, _ceilings(rules)),
        _pauses(runtime, terms),
    )
    calls = CallTerms(
        GEMINI,
        deadline_s=told.timeout_seconds,
        at_once=told.max_concurrent or runtime.settings.extract_slots,
    )
    return Protection(ProviderGate(guards, calls), breaker)


def _breaker_terms(rules: ExtractionConfiguration) -> BreakerTerms:
    told = rules.processing.circuit_breaker
    return BreakerTerms(
        failure_threshold=told.failure_threshold,
        recovery_timeout_s=told.recovery_timeout_seconds,
        patience_s=told.patience_seconds,
        probe_lease_s=rules.processing.engines[GEMINI].timeout_seconds + PROBE_MARGIN_S,
    )


def _ceilings(rules: ExtractionConfiguration) -> Ceilings:
    told = rules.engines.gemini
    return Ceilings(told.cost_per_day_max, told.cost_per_client_and_day_max)


def _pauses(runtime: Runtime[Settings], terms: BreakerTerms) -> BoardPauses:
    # The relay notices by itself what is to be told, a moment later.
    board = PostgresPauseBoard(runtime.pool, runtime.clock, [EXTRACT.name], wake=lambda: None)
    probe_every_s = max(1.0, terms.recovery_timeout_s / TRIES_PER_RECOVERY)
    return BoardPauses(board, EXTRACT.name, GEMINI, probe_every_s)
