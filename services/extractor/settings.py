"""Every knob of the extractor. Read once, by the door; passed down by the wiring."""

import re
from decimal import Decimal
from pathlib import Path
from typing import ClassVar, Literal, Self

from pydantic import Field, SecretStr, model_validator

from shared.configuration.engines import EngineNames
from shared.process.settings import HttpUrl, ProcessSettings
from shared.topology.queues import EXTRACT

_PRICE = re.compile(r"(?P<model>[\w.-]+)=(?P<prices>\d+(?:\.\d+)?(?:/\d+(?:\.\d+)?){2})")


class Settings(ProcessSettings):
    # It is shown whole documents, and the provider's key.
    servers: ClassVar[tuple[str, ...]] = (*ProcessSettings.servers, "gemini_base_url")

    # Fields, rules and limits, in YAML; unset, the file that comes with the program. Where a
    # setting below stands in both, the environment wins.
    extraction_config: Path | None = None
    # How much of one document is read at all.
    scan_bytes_max: int = Field(default=64 * 1024 * 1024, ge=1024)
    # Of a result that a person decided on, to learn from.
    result_bytes_max: int = Field(default=16 * 1024 * 1024, ge=1024)
    parser_pages_max: int = Field(default=200, ge=1)
    parser_chars_max: int = Field(default=1_000_000, ge=1000)
    # Documents in hand at once. One that waits for the provider costs nothing else, so where
    # that one is slow and allows it, hundreds are well. Ingest releases no more than its
    # PAPERLINE_PIPELINE_WINDOW: four times the slots of all replicas.
    extract_slots: int = Field(default=EXTRACT.slots, ge=1, le=512)
    # How long an answer serves further uploads of the same content: 90 days.
    cache_ttl_s: float = Field(default=90 * 86_400, ge=60, le=10 * 366 * 86_400)
    # How long copies of a content wait for one who reads it and is not heard of any more.
    lease_s: float = Field(default=10, ge=1, le=120)
    # How long copies of a content that cannot be read are told so without trying again.
    refusal_s: float = Field(default=60, ge=0, le=3600)
    # What one document may cost before its parser is ended.
    parser_memory_bytes_max: int = Field(default=1024**3, ge=256 * 1024**2)
    parser_cpu_s: int = Field(default=20, ge=1, le=250)
    parser_wall_s: float = Field(default=60, gt=0, le=250)
    # Parsers at once: about the cores of the machine.
    parsers_max: int = Field(default=2, ge=1, le=64)
    # Pixels of one page or image, decoded; more is not read.
    parser_pixels_max: int = Field(default=64_000_000, ge=1_000_000)
    # After so many documents or pages, or with more in its memory between two of them, a parser
    # is replaced by a fresh one; with nothing to do for so long it is ended.
    parser_documents_max: int = Field(default=500, ge=1, le=100_000)
    parser_life_pages_max: int = Field(default=5_000, ge=1)
    parser_resident_bytes_max: int = Field(default=256 * 1024**2, ge=64 * 1024**2)
    parser_idle_s: float = Field(default=600, ge=1, le=86_400)
    # The same for the parsers that recognise text in images: each holds a model.
    recognisers_max: int = Field(default=2, ge=1, le=64)
    recogniser_memory_bytes_max: int = Field(default=3 * 1024**3, ge=1024**3)
    recogniser_cpu_s: int = Field(default=200, ge=1, le=250)
    recogniser_wall_s: float = Field(default=240, gt=0, le=250)
    recogniser_answer_bytes_max: int = Field(default=64 * 1024**2, ge=1024**2)
    recogniser_life_pages_max: int = Field(default=200, ge=1)
    recogniser_resident_bytes_max: int = Field(default=1024**3, ge=256 * 1024**2)
    recogniser_idle_s: float = Field(default=120, ge=1, le=86_400)
    # Which read, of einvoice, offline and gemini; unset, as the file says.
    engines: EngineNames | None = Field(default=None, validation_alias="ENGINES")
    # The key of the Gemini API, or the file that holds it. With neither, no document leaves.
    gemini_api_key: SecretStr | None = Field(default=None, validation_alias="GEMINI_API_KEY")
    gemini_api_key_file: Path | None = Field(
        default=None, validation_alias="GEMINI_API_KEY_FILE"
    )
    # Somewhere else than at the provider: a gateway, or `python -m tests.gemini_double`. The
    # authorities of PAPERLINE_CA_FILE may have certified it, besides those of the machine.
    gemini_base_url: HttpUrl | None = Field(default=None, validation_alias="GEMINI_BASE_URL")
    gemini_model: str = Field(default="gemini-3.8-flash", pattern=r"^[a-z0-9][a-z0-9.-]{0,80}$")
    # USD per million tokens, `model=input/cached/output`, by commas: before the file's prices.
    # Providers change theirs: look it up.
    gemini_prices: str = ""
    # Of all replicas together, and of one call.
    gemini_calls_per_s: float = Field(default=10, gt=0, le=10_000)
    gemini_deadline_s: float = Field(default=120, ge=1, le=250)
    # How long it thinks: minimal, low, medium or high; a number of tokens for models before 3.
    gemini_thinking: str = Field(
        default="low", pattern=r"^(minimal|low|medium|high|-1|\d{1,5})$"
    )
    gemini_media_resolution: Literal["default", "low", "medium", "high"] = "default"
    # Thoughts count as well; an answer that was cut off is asked for once more with twice that.
    gemini_output_tokens_max: int = Field(default=16_384, ge=2_048, le=32_768)
    gemini_inline_bytes_max: int = Field(default=15 * 1024**2, ge=1024, le=50 * 1024**2)
    # What is larger goes ahead as a file and is deleted after the answer; beyond this it is not
    # shown to the model.
    gemini_files_bytes_max: int = Field(default=50 * 1024**2, ge=1024, le=100 * 1024**2)
    # More than calls may be under way.
    gemini_connections_max: int = Field(default=256, ge=1, le=2_000)

    @model_validator(mode="after")
    def _key_can_be_read(self) -> Self:
        self.gemini_key()
        self.gemini_price_list()
        return self

    def gemini_key(self) -> str | None:
        """None without one: then there is no provider."""
        if self.gemini_api_key is not None and self.gemini_api_key.get_secret_value().strip():
            return self.gemini_api_key.get_secret_value().strip()
        if self.gemini_api_key_file is None:
            return None
        try:
            return self.gemini_api_key_file.read_text().strip() or None
        except OSError as error:
            # Never the path's content, and no start without what was asked for.
            raise ValueError(f"GEMINI_API_KEY_FILE cannot be read: {error.strerror}") from error

    def gemini_price_list(self) -> dict[str, tuple[Decimal, Decimal, Decimal]]:
        prices = {}
        for one in filter(None, (part.strip() for part in self.gemini_prices.split(","))):
            match = _PRICE.fullmatch(one)
            if match is None:
                raise ValueError("PAPERLINE_GEMINI_PRICES: model=input/cached/output expected")
            for_input, cached, output = map(Decimal, match["prices"].split("/"))
            prices[match["model"]] = (for_input, cached, output)
        return prices
