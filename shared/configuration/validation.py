"""What makes a reading doubtful: rules of single fields, and rules across them.

Expressions stay text here: the extractor compiles them at its start, and a wrong one is told
with the same file, line and key as everything else.
"""

import re
from decimal import Decimal
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from shared.configuration.models import CountryCode, Name, Section, Sentence, Severity, Share


def _compiles(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"is no pattern ({error}); correct it") from None
    # `(a+)+` on a hostile document takes years.
    if re.search(r"[+*}]\)[+*{]", pattern):
        raise ValueError("repeats what repeats already; write it without the inner repetition")
    return pattern


FieldPath = Annotated[
    str,
    StringConstraints(pattern=r"^[a-z][a-z0-9_]*(\[\])?(\.[a-z][a-z0-9_]*(\[\])?)*$"),
]
RuleId = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_-]{1,39}$")]
Pattern = Annotated[str, StringConstraints(max_length=300), AfterValidator(_compiles)]
Expression = Annotated[str, StringConstraints(min_length=1, max_length=500)]


class FieldRules(Section):
    """What a value must be like. Each failure is a finding of that severity."""

    # `approval`: without it no machine approves; `wanted`: its absence is a warning.
    required: Literal["never", "wanted", "approval"] = "never"
    # Counts among the critical fields; `if_present` only when the document shows one.
    critical: Literal["never", "if_present", "always"] = "never"
    # Below it a person looks, however sure the rest is.
    confidence_min: Share | None = None
    severity: Severity = "warn"
    # How sure a value that fails may be at most.
    cap: Share | None = None
    pattern: Pattern | None = None
    enum: Name | None = None
    chars_max: int | None = Field(default=None, ge=1, le=10_000)
    letters_min: int | None = Field(default=None, ge=1, le=100)
    min: Decimal | None = None
    max: Decimal | None = None
    # ISO; `today` is the day on which the document was accepted.
    not_before: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")] | None = None
    days_ahead_max: int | None = Field(default=None, ge=0, le=3660)
    # It is none of these: the customer's number is the most common false invoice number.
    differs_from: tuple[FieldPath, ...] = ()


class Rule(Section):
    """One rule: an `expr` over fields, or a `check` of one field."""

    id: RuleId
    when: Expression | None = None
    expr: Expression | None = None
    # Once for each member of the list; `it` is the member.
    each: Literal["lines", "taxes", "payment.accounts", "allowances"] | None = None
    field: FieldPath | None = None
    check: Name | None = None
    # Whose reading it judges: e-invoices are exact where print has been rounded.
    on: Literal["all", "einvoice", "extracted"] = "all"
    severity: Severity
    touches: tuple[FieldPath, ...] = ()
    # With {path} for values and {difference} for what is wrong by how much.
    says: Sentence
    # What passing adds to each of the fields, and how sure they may be at most when it fails.
    reward: Share = 0.0
    cap: Share | None = None
    # Whether other values are tried that would make it pass.
    repair: bool = False
    enabled: bool = True

    @model_validator(mode="after")
    def _has_one_kind(self) -> Self:
        if (self.expr is None) == (self.check is None):
            raise ValueError("needs either `expr` or `check`; write exactly one of them")
        if self.check is not None and self.field is None:
            raise ValueError("has a `check` and no `field`; name the field that it checks")
        if self.expr is not None and not self.touches:
            raise ValueError("has an `expr` and no `touches`; name the fields that it is about")
        return self


class Computation(Section):
    """What a missing value must be, given the others. Kept as computed, never as read."""

    field: FieldPath
    expr: Expression
    when: Expression | None = None


class Currencies(Section):
    minor_units: int = Field(ge=0, le=4)
    exceptions: dict[
        Annotated[str, StringConstraints(pattern=r"^[A-Z]{3}$")],
        Annotated[int, Field(ge=0, le=4)],
    ]


class Validation(Section):
    currencies: Currencies
    enums: dict[Name, tuple[str, ...]]
    legal_rates: dict[CountryCode, tuple[Decimal, ...]]
    computed: tuple[Computation, ...]
    rules: tuple[Rule, ...]
