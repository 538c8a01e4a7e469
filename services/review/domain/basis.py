"""What an item's place in the queue is made of: as it was read, or as a person has left it.

How sure the reading was stays as it was, whatever a person says of it: how good the machine is
gets measured by that, long after.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from services.review.domain.items import ItemField, NewItem
from shared.contracts.extraction import ExtractionV1, Finding, one_line

_MEMBER = re.compile(r"\.\d+(?=\.|$)")


@dataclass(frozen=True, slots=True)
class Basis:
    # Which of the fields that count is least sure, and how sure; of all together without any.
    field: str | None
    confidence: float
    lines: int
    pages: int
    failed: int
    total: str | None
    currency: str

    @classmethod
    def of_reading(cls, extraction: ExtractionV1, critical: Mapping[str, bool]) -> Self:
        field, confidence = _least_sure(extraction, critical)
        return cls(
            field=field,
            confidence=confidence,
            lines=_lines(extraction.fields),
            pages=extraction.page_count,
            failed=_failed(extraction.findings),
            total=extraction.value("total"),
            currency=extraction.summary().currency or "",
        )

    @classmethod
    def of_form(
        cls, item: NewItem, fields: Sequence[ItemField], findings: Sequence[Finding]
    ) -> Self:
        values = {one.path: one.value for one in fields}
        return cls(
            field=item.ranked_on.get("field"),
            confidence=1 - item.doubt,
            lines=_lines(values),
            pages=item.ranked_on.get("pages", 1),
            failed=_failed(findings),
            total=values.get("total"),
            currency=one_line(values.get("currency")) or "",
        )


# The same few hundred paths, several times for each document.
@lru_cache(maxsize=4096)
def pattern_of(path: str) -> str:
    """`payment.accounts.0.iban` as the configuration names it: `payment.accounts[].iban`."""
    return _MEMBER.sub("[]", path)


def _least_sure(
    extraction: ExtractionV1, critical: Mapping[str, bool]
) -> tuple[str | None, float]:
    """One bad IBAN counts, however sure the rest is; a mean would hide it."""
    sureness = {
        path: read.confidence
        for path, read in extraction.fields.items()
        if read.value is not None and pattern_of(path) in critical
    }
    present = {pattern_of(path) for path in sureness}
    absent = {path: 0.0 for path, always in critical.items() if always and path not in present}
    if not (found := sureness | absent):
        return None, extraction.confidence
    path = min(found, key=lambda one: (found[one], one))
    return path, found[path]


def _lines(paths: Iterable[str]) -> int:
    return len({one.split(".")[1] for one in paths if one.startswith("lines.")})


def _failed(findings: Iterable[Finding]) -> int:
    return sum(1 for one in findings if one.severity != "info")
