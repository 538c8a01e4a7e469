"""The whole file, and what its sections have to agree on."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from shared.configuration.engines import Engines
from shared.configuration.models import CountryCode, Section
from shared.configuration.processing import Idempotency, Output, Processing
from shared.configuration.retention import Retention
from shared.configuration.review import Review
from shared.configuration.validation import FieldPath, FieldRules, Validation

CompanyName = Annotated[str, StringConstraints(min_length=2, max_length=200)]
VatId = Annotated[str, StringConstraints(pattern=r"^[A-Z]{2}[A-Z0-9]{2,13}$")]


class OurCompany(Section):
    """One of us: an invoice to anybody else has been sent to the wrong house."""

    names: tuple[CompanyName, ...] = Field(min_length=1)
    vat_ids: tuple[VatId, ...] = ()
    country: CountryCode | None = None


class ExtractionConfiguration(Section):
    version: Literal[1]
    our_companies: tuple[OurCompany, ...]
    fields: dict[FieldPath, FieldRules]
    idempotency: Idempotency
    output: Output
    processing: Processing
    engines: Engines
    validation: Validation
    # Without it nothing is erased by its age.
    retention: Retention | None = None
    review: Review = Review()
