"""The children that open untrusted files, with their limits.

What the environment says wins over the configuration file.
"""

from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.settings import Settings
from shared.configuration.document import ExtractionConfiguration
from shared.configuration.precedence import environment_first

# How long a document waits for its turn to be recognised: those before it may take minutes.
TURN_S = 45.0


def sandbox_of(
    settings: Settings,
    configuration: ExtractionConfiguration,
    *,
    patience_s: float | None = None,
) -> Sandbox:
    return Sandbox(limits_of(settings, configuration, patience_s=patience_s))


def limits_of(
    settings: Settings,
    configuration: ExtractionConfiguration,
    *,
    patience_s: float | None = None,
) -> SandboxLimits:
    told, offline = configuration.processing.engines.offline, configuration.engines.offline
    at_once = told and told.max_concurrent
    light = ChildLimits(
        memory_bytes=settings.parser_memory_bytes_max,
        cpu_s=settings.parser_cpu_s,
        wall_s=settings.parser_wall_s,
        at_once=environment_first(settings, "parsers_max", at_once or settings.parsers_max),
        documents_max=settings.parser_documents_max,
        pages_max=settings.parser_life_pages_max,
        resident_bytes_max=settings.parser_resident_bytes_max,
        idle_s=settings.parser_idle_s,
    )
    heavy = ChildLimits(
        memory_bytes=settings.recogniser_memory_bytes_max,
        cpu_s=settings.recogniser_cpu_s,
        wall_s=settings.recogniser_wall_s,
        at_once=environment_first(
            settings, "recognisers_max", at_once or settings.recognisers_max
        ),
        answer_bytes_max=settings.recogniser_answer_bytes_max,
        documents_max=settings.parser_documents_max,
        pages_max=environment_first(
            settings, "recogniser_life_pages_max", offline.ocr_pages_per_process
        ),
        resident_bytes_max=settings.recogniser_resident_bytes_max,
        idle_s=settings.recogniser_idle_s,
        patience_s=patience_s,
    )
    read = ReadLimits(
        pages=settings.parser_pages_max,
        chars=settings.parser_chars_max,
        pixels=settings.parser_pixels_max,
    )
    return SandboxLimits(read, light, heavy, _times(settings, configuration))


def _times(settings: Settings, configuration: ExtractionConfiguration) -> dict[str, float]:
    """By the engine, which is what its task is called."""
    engines = configuration.processing.engines
    told = {"einvoice": engines.einvoice, "offline": engines.offline}
    return {
        name: environment_first(settings, "parser_wall_s", one.timeout_seconds)
        for name, one in told.items()
        if one is not None
    }
