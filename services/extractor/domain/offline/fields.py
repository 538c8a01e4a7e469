"""From candidates to a field: the best, how sure that is, and what else it may have been."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from services.extractor.domain.offline.candidates import Candidate, signals_of
from services.extractor.domain.reading import (
    MISSING,
    Alternative,
    Field,
    Source,
    Status,
)

V = TypeVar("V")

ALTERNATIVES_MAX = 3
# A different value that is nearly as good makes it doubtful.
RIVAL_SHARE = 0.97
RIVAL_FACTOR = 0.75
# The second reading of a value that won is rarely the right one.
ALTERNATIVE_FACTOR = 0.5
SURE_MAX = 0.97


def chosen(
    found: Sequence[Candidate[V]], spelled: Callable[[V], str] = str, *, most: float = SURE_MAX
) -> Field:
    if not found:
        return MISSING
    best = max(found, key=lambda one: one.score)
    rivals = [
        one
        for one in found
        if spelled(one.value) != spelled(best.value) and one.score >= RIVAL_SHARE * best.score
    ]
    confidence = min(most, best.score) * (RIVAL_FACTOR if rivals else 1.0)
    return made(best, spelled(best.value), confidence, others(found, best, spelled))


def made(
    best: Candidate[V],
    value: str,
    confidence: float,
    alternatives: Sequence[Alternative] = (),
    status: Status = "extracted",
) -> Field:
    return Field(
        value,
        best.span.text,
        round(min(1.0, max(0.0, confidence)), 4),
        status,
        (best.span,),
        signals=signals_of(best),
        alternatives=tuple(alternatives),
    )


def others(
    found: Sequence[Candidate[V]], best: Candidate[V], spelled: Callable[[V], str] = str
) -> tuple[Alternative, ...]:
    kept: dict[str, Alternative] = {}
    for one in sorted(found, key=lambda other: -other.score):
        value = spelled(one.value)
        if value != spelled(best.value) and value not in kept:
            confidence = round(min(1.0, one.score) * ALTERNATIVE_FACTOR, 4)
            kept[value] = Alternative(value, one.span.text, "pdf_text", confidence)
    return tuple(kept.values())[:ALTERNATIVES_MAX]


def sourced(fields: Mapping[str, Field], source: Source) -> dict[str, Field]:
    """With where the words came from, which only the caller knows."""
    return {path: _from(source, field) for path, field in fields.items()}


def _from(source: Source, field: Field) -> Field:
    if field == MISSING:
        return MISSING
    alternatives = tuple(replace(one, source=source) for one in field.alternatives)
    return replace(field, source=source, alternatives=alternatives)
