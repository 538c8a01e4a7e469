"""The children that open untrusted files, with their limits as the settings say."""

from services.extractor.adapters.parser.sandbox import (
    ChildLimits,
    ReadLimits,
    Sandbox,
    SandboxLimits,
)
from services.extractor.settings import Settings

# How long a document waits for its turn to be recognised: those before it may take minutes.
TURN_S = 45.0


def sandbox_of(settings: Settings, *, patience_s: float | None = None) -> Sandbox:
    light = ChildLimits(
        memory_bytes=settings.parser_memory_bytes_max,
        cpu_s=settings.parser_cpu_s,
        wall_s=settings.parser_wall_s,
        at_once=settings.parsers_max,
        documents_max=settings.parser_documents_max,
        pages_max=settings.parser_life_pages_max,
        resident_bytes_max=settings.parser_resident_bytes_max,
        idle_s=settings.parser_idle_s,
    )
    heavy = ChildLimits(
        memory_bytes=settings.recogniser_memory_bytes_max,
        cpu_s=settings.recogniser_cpu_s,
        wall_s=settings.recogniser_wall_s,
        at_once=settings.recognisers_max,
        answer_bytes_max=settings.recogniser_answer_bytes_max,
        documents_max=settings.parser_documents_max,
        pages_max=settings.recogniser_life_pages_max,
        resident_bytes_max=settings.recogniser_resident_bytes_max,
        idle_s=settings.recogniser_idle_s,
        patience_s=patience_s,
    )
    read = ReadLimits(
        pages=settings.parser_pages_max,
        chars=settings.parser_chars_max,
        pixels=settings.parser_pixels_max,
    )
    return Sandbox(SandboxLimits(read, light, heavy))
