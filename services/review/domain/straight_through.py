"""What stands between a document and its approval without a person.

All of it is told, not the first alone, so that whoever counts the reasons sees which of them
would have to go. A sample is drawn by the document's own id: the same document is drawn on
every replica and on every try, and nobody can choose another.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Any
from uuid import UUID

from services.review.domain.basis import pattern_of
from services.review.domain.ranking import Plan
from shared.contracts.extraction import ExtractionV1
from shared.contracts.orders import OpenReviewV1

_PARTS = 1 << 32


class Gate(StrEnum):
    # A field that counts is not sure enough, or is not there.
    UNSURE = "unsure"
    MISSING = "missing"
    # A rule that failed forbids it.
    BLOCKED = "blocked"
    # The same bytes were handed in before.
    DUPLICATE = "duplicate"
    # An engine that should have read it was away.
    DEGRADED = "degraded"
    # Somebody asked for another reading, so somebody wants to see it.
    READ_ANEW = "read_anew"
    # Nothing stood against it, and a person looks all the same.
    SAMPLED = "sampled"


@dataclass(frozen=True, slots=True)
class Obstacle:
    gate: Gate
    field: str | None = None
    confidence: float | None = None
    detail: str | None = None


@dataclass(frozen=True, slots=True)
class Passage:
    """Whether an item needs nobody, and why not."""

    automatic: bool
    obstacles: Sequence[Obstacle]

    def as_rows(self) -> list[dict[str, Any]]:
        return [asdict(one) for one in self.obstacles]


def passage_of(order: OpenReviewV1, extraction: ExtractionV1, plan: Plan) -> Passage:
    obstacles = [
        *_of_fields(extraction, plan),
        *(
            Obstacle(Gate.BLOCKED, detail=one.code)
            for one in extraction.findings
            if one.severity == "block"
        ),
        *_of_the_reading(order, extraction),
    ]
    if not obstacles and is_sampled(order.document_id, plan.review.straight_through.sample):
        obstacles.append(Obstacle(Gate.SAMPLED))
    enabled = plan.review.straight_through.enabled
    return Passage(enabled and not obstacles, obstacles)


def is_sampled(document_id: UUID, share: float) -> bool:
    drawn = int.from_bytes(sha256(document_id.bytes).digest()[:4])
    return drawn < share * _PARTS


def threshold(path: str, plan: Plan) -> float:
    wanted = plan.review.straight_through
    told: Mapping[str, float] = wanted.fields
    return told.get(pattern_of(path), wanted.confidence_min)


def _of_fields(extraction: ExtractionV1, plan: Plan) -> list[Obstacle]:
    """Those that count as critical, and those that were given a threshold of their own."""
    counted = {*plan.critical, *plan.review.straight_through.fields}
    read = {
        path: one.confidence
        for path, one in extraction.fields.items()
        if one.value is not None and pattern_of(path) in counted
    }
    present = {pattern_of(path) for path in read}
    return [
        *(
            Obstacle(Gate.MISSING, path)
            for path, always in plan.critical.items()
            if always and path not in present
        ),
        *(
            Obstacle(Gate.UNSURE, path, confidence)
            for path, confidence in read.items()
            if confidence < threshold(path, plan)
        ),
    ]


def _of_the_reading(order: OpenReviewV1, extraction: ExtractionV1) -> list[Obstacle]:
    found = {
        Gate.DUPLICATE: order.duplicate,
        Gate.DEGRADED: extraction.degraded,
        Gate.READ_ANEW: order.result_version > 1,
    }
    return [Obstacle(gate) for gate, holds in found.items() if holds]
