"""What every section of the configuration is made of: frozen, no unknown keys, sane numbers."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

Severity = Literal["block", "warn", "info"]
Name = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]
Sentence = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Share = Annotated[float, Field(ge=0, le=1)]
Price = Annotated[Decimal, Field(ge=0, le=10_000)]
CountryCode = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}$")]


class Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)
