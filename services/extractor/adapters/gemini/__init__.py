"""The Gemini engine, made by `gemini_engine`.

The provider's client is loaded with it and not before: that takes a second, and whoever runs
without a key never needs it.
"""

from typing import TYPE_CHECKING

from services.extractor.adapters.gemini.options import GeminiOptions, Price
from services.extractor.ports.protection import Gate

if TYPE_CHECKING:
    from services.extractor.adapters.gemini.engine import GeminiEngine, Pictures

__all__ = ["GeminiOptions", "Price", "gemini_engine"]


def gemini_engine(
    options: GeminiOptions, key: str, gate: Gate, pictures: "Pictures | None" = None
) -> "GeminiEngine":
    from services.extractor.adapters.gemini.client import GeminiClient  # noqa: PLC0415 -- slow
    from services.extractor.adapters.gemini.engine import GeminiEngine  # noqa: PLC0415 -- slow

    return GeminiEngine(GeminiClient(options, key), options, gate, pictures)
