"""Which items a person is shown first, by when, to whom they go, which need no person, and what
an invoice is that comes twice."""

from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shared.configuration.models import Section, Share
from shared.configuration.validation import FieldPath

HOUR_S = 3600.0
POINTS = 100
Points = Annotated[int, Field(ge=0, le=POINTS)]
Hours = Annotated[float, Field(gt=0, le=24 * 366)]
PriorityName = Literal["bulk", "normal", "high", "urgent"]


class Weights(Section):
    """Of a hundred points, so that a score reads like a percentage."""

    doubt: Points = 40
    sla: Points = 30
    complexity: Points = 20
    value: Points = 10

    @model_validator(mode="after")
    def _are_all_points(self) -> Self:
        total = self.doubt + self.sla + self.complexity + self.value
        if total != POINTS:
            raise ValueError(f"the weights make {total}; let them make {POINTS}")
        return self


class Scales(Section):
    """What counts as all of it; more than that makes nothing worse."""

    lines: int = Field(default=40, ge=1, le=10_000)
    pages: int = Field(default=10, ge=1, le=10_000)
    failed_rules: int = Field(default=5, ge=1, le=1000)
    # Of the document's own currency.
    value: float = Field(default=50_000, ge=1, le=1e12)


class Ranking(Section):
    weights: Weights = Weights()
    scales: Scales = Scales()
    # So long before it is due an item begins to collect the points of `sla`; before that they
    # are taken off, so let it be as long as the longest time below.
    horizon_hours: Hours = 120


class Sla(Section):
    """By when an item is wanted whose client did not say, counted from its acceptance."""

    bulk: Hours = 120
    normal: Hours = 48
    high: Hours = 8
    urgent: Hours = 2
    # What is due within this time is shown as due soon.
    soon_hours: Hours = 4

    def hours(self, priority: PriorityName) -> float:
        told: float = getattr(self, priority)
        return told


class Assignment(Section):
    # Each item is given to a reviewer when it is opened, instead of to whoever asks first.
    automatic: bool = False


class StraightThrough(Section):
    """What is approved without a person. Nothing is, as it comes."""

    enabled: bool = False
    # A field that counts has to be this sure, unless the list below says otherwise.
    confidence_min: Share = 0.97
    fields: dict[FieldPath, Share] = Field(default_factory=dict)
    # Of those that pass, this share goes to a person all the same.
    sample: Annotated[float, Field(ge=0.02, le=0.05)] = 0.03


class Duplicates(Section):
    """What it is to an invoice that one like it has been here before."""

    # The same number of the same seller in the same year. Blocking, it is approved by a person
    # who says why, and by nobody else; ignored where sellers repeat their numbers.
    same_number: Literal["block", "warn", "ignore"] = "block"
    # Nearly the same number with the same total.
    near: Literal["warn", "ignore"] = "warn"
    # A first page that looks the same, with two of number, date and total.
    rescan: Literal["warn", "ignore"] = "warn"


class FourEyes(Section):
    """Whether whoever handed a document in or changed a value of it may approve it. They may,
    as it comes."""

    enabled: bool = False
    # Of this total and more, in the document's own currency; a document without one is meant.
    amount_min: Decimal = Field(default=Decimal(0), ge=0, le=10**12)


class Review(Section):
    ranking: Ranking = Ranking()
    sla: Sla = Sla()
    assignment: Assignment = Assignment()
    straight_through: StraightThrough = StraightThrough()
    duplicates: Duplicates = Duplicates()
    four_eyes: FourEyes = FourEyes()
