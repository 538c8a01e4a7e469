"""Which engines read, with which model, and what a model's tokens cost."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator
from pydantic_settings import NoDecode

from shared.configuration.marks import ConfigurationError
from shared.configuration.models import Price, Section

EngineName = Literal["einvoice", "offline", "gemini"]


def _by_commas(told: object) -> object:
    if not isinstance(told, str):
        return told
    return [name.strip() for name in told.split(",") if name.strip()]


# As an environment says them: `ENGINES=einvoice,offline`.
EngineNames = Annotated[tuple[EngineName, ...], NoDecode, BeforeValidator(_by_commas)]
ModelName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9.-]{2,63}$")]


class ModelPrice(Section):
    """Per million tokens, since a day: a price list that is not dated is believed too long."""

    input: Price
    cached_input: Price
    output: Price
    since: date


class Gemini(Section):
    model: ModelName
    inline_bytes_max: int = Field(ge=1024, le=100 * 1024 * 1024)
    output_tokens_max: int = Field(ge=1024, le=1_000_000)
    media_resolution: Literal["default", "low", "medium", "high"]
    # In the currency of the prices; asked before each call.
    cost_per_day_max: Decimal = Field(ge=0)
    cost_per_client_and_day_max: Decimal = Field(ge=0)


class Offline(Section):
    ocr_pages_per_process: int = Field(ge=1, le=10_000)


class Engines(Section):
    # In the order in which they are asked.
    order: tuple[EngineName, ...] = Field(min_length=1)
    offline: Offline
    gemini: Gemini
    price_currency: Literal["USD", "EUR"]
    prices: dict[ModelName, ModelPrice]

    @model_validator(mode="after")
    def _agree(self) -> Self:
        if len(set(self.order)) < len(self.order):
            raise ValueError("`order` names an engine twice; name each once")
        if self.gemini.model not in self.prices:
            raise ValueError(
                f"the model {self.gemini.model} has no price; add it under `prices`, "
                "or the ceilings of cost cannot be kept"
            )
        return self


def engines_here(
    told: tuple[EngineName, ...] | None, engines: Engines
) -> tuple[EngineName, ...]:
    """Those that read here, for whoever reads and for whoever offers them: what the environment
    says, else the file."""
    names = told or engines.order
    if "offline" not in names:
        raise ConfigurationError(
            "ENGINES (or engines.order in the configuration) leaves out `offline`; name it: "
            "it is what the others fall back on and are held against."
        )
    return names
