"""The provider behind its gate: with a key there is one, and nothing else makes one.

What the environment says wins over the configuration file.
"""

from services.extractor.adapters.breaker import PostgresBreaker
from services.extractor.adapters.gemini import GeminiOptions, Price, gemini_engine
from services.extractor.adapters.gemini.pictures import SandboxPictures
from services.extractor.adapters.model_rate import model_rate
from services.extractor.adapters.parser.sandbox import Sandbox
from services.extractor.adapters.pauses import BoardPauses
from services.extractor.adapters.spending import PostgresSpending
from services.extractor.domain.protection import BreakerTerms, CallTerms, Ceilings
from services.extractor.handlers.protection import Guards, ProviderGate
from services.extractor.ports import Engine
from services.extractor.ports.protection import Gate
from services.extractor.settings import Settings
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.engines import engines_here
from shared.configuration.load import Loaded
from shared.configuration.marks import ConfigurationError
from shared.configuration.precedence import environment_first
from shared.ledger.board import PostgresPauseBoard
from shared.process.runtime import Runtime
from shared.topology.queues import EXTRACT

GEMINI = "gemini"
SETTLING_S = 30.0


def gemini_behind(
    gate: Gate, settings: Settings, loaded: Loaded, sandbox: Sandbox
) -> Engine | None:
    key = settings.gemini_key()
    if key is None or GEMINI not in engine_names(settings, loaded.configuration):
        return None
    return gemini_engine(options_of(settings, loaded), key, gate, SandboxPictures(sandbox))


def gate_of(runtime: Runtime[Settings], configuration: ExtractionConfiguration) -> ProviderGate:
    settings, breaker = runtime.settings, configuration.processing.circuit_breaker
    deadline_s = _deadline_s(settings, configuration)
    terms = BreakerTerms(
        failure_threshold=breaker.failure_threshold,
        recovery_timeout_s=breaker.recovery_timeout_seconds,
        patience_s=breaker.patience_seconds,
        # Not before the probe's own call is over, and what comes after it.
        probe_lease_s=deadline_s + SETTLING_S,
    )
    gemini = configuration.engines.gemini
    # Oftener than the breaker: one that comes just too early for it waits a whole turn.
    probe_every_s = max(1.0, breaker.recovery_timeout_seconds / 6)
    board = PostgresPauseBoard(runtime.pool, runtime.clock, [EXTRACT.name], wake=lambda: None)
    guarded = PostgresBreaker(runtime.pool, GEMINI, terms)
    runtime.lifetime.spawn("breaker", guarded.keep_watching())
    guards = Guards(
        breaker=guarded,
        rate=model_rate(
            runtime.pool,
            _model(settings, configuration),
            _calls_per_s(settings, configuration),
        ),
        spending=PostgresSpending(
            runtime.pool,
            Ceilings(gemini.cost_per_day_max, gemini.cost_per_client_and_day_max),
        ),
        pauses=BoardPauses(board, EXTRACT.name, GEMINI, probe_every_s),
    )
    told = configuration.processing.engines.gemini
    at_once = (told and told.max_concurrent) or settings.extract_slots
    return ProviderGate(guards, CallTerms(GEMINI, deadline_s, at_once=at_once))


def engine_names(settings: Settings, configuration: ExtractionConfiguration) -> tuple[str, ...]:
    return engines_here(settings.engines, configuration.engines)


def options_of(settings: Settings, loaded: Loaded) -> GeminiOptions:
    told = loaded.configuration.engines.gemini
    return GeminiOptions(
        model=_model(settings, loaded.configuration),
        price=_price(settings, loaded.configuration),
        base_url=settings.gemini_base_url,
        ca_file=settings.ca_file if settings.gemini_base_url else None,
        deadline_s=_deadline_s(settings, loaded.configuration),
        connections_max=max(settings.gemini_connections_max, settings.extract_slots),
        inline_bytes_max=environment_first(
            settings, "gemini_inline_bytes_max", told.inline_bytes_max
        ),
        files_bytes_max=settings.gemini_files_bytes_max,
        output_tokens_max=environment_first(
            settings, "gemini_output_tokens_max", told.output_tokens_max
        ),
        thinking=settings.gemini_thinking,
        key_parts=frozenset(loaded.configuration.idempotency.key),
        media_resolution=environment_first(
            settings, "gemini_media_resolution", told.media_resolution
        ),
    )


def _model(settings: Settings, configuration: ExtractionConfiguration) -> str:
    return environment_first(settings, "gemini_model", configuration.engines.gemini.model)


def _calls_per_s(settings: Settings, configuration: ExtractionConfiguration) -> float:
    told = configuration.processing.engines.gemini
    otherwise = told and told.requests_per_second
    return environment_first(
        settings, "gemini_calls_per_s", otherwise or settings.gemini_calls_per_s
    )


def _deadline_s(settings: Settings, configuration: ExtractionConfiguration) -> float:
    told = configuration.processing.engines.gemini
    otherwise = told.timeout_seconds if told else settings.gemini_deadline_s
    return environment_first(settings, "gemini_deadline_s", otherwise)


def _price(settings: Settings, configuration: ExtractionConfiguration) -> Price:
    model = _model(settings, configuration)
    if model in (told := settings.gemini_price_list()):
        return Price(*told[model])
    known = configuration.engines.prices.get(model)
    if known is None:
        raise ConfigurationError(
            f"the model {model} has no price, so no ceiling on money could hold; add it to "
            "engines.prices in the configuration, or to PAPERLINE_GEMINI_PRICES."
        )
    return Price(known.input, known.cached_input, known.output)
