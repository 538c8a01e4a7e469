"""How the model is asked. Apart from the client, which is slow to load."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

MediaResolution = Literal["default", "low", "medium", "high"]
# A second time only after an answer that was no use.
ASKS_MAX = 2


@dataclass(frozen=True, slots=True)
class Document:
    """What is sent in one part: a file, or a page of it as a picture."""

    content: bytes
    media_type: str


@dataclass(frozen=True, slots=True)
class Price:
    """In USD for a million tokens."""

    input: Decimal
    cached: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True)
class GeminiOptions:
    model: str
    price: Price
    # None is the provider's own address.
    base_url: str | None = None
    # Who may have certified that other place, besides those that everybody believes.
    ca_file: Path | None = None
    deadline_s: float = 90.0
    connections_max: int = 256
    # More than that in one request goes ahead as files, and more than the other not at all.
    inline_bytes_max: int = 15 * 1024**2
    files_bytes_max: int = 50 * 1024**2
    output_tokens_max: int = 16_384
    # A level for Gemini 3 and later, a number of tokens for what came before.
    thinking: str = "low"
    media_resolution: MediaResolution = "default"
    # What of it makes an answer another one: an operator may keep answers over a new prompt.
    key_parts: frozenset[str] = frozenset(("models", "prompt", "schema"))
