"""The confidence of each field: its signals weighed, then capped by what speaks against it.

A cap is hard: no agreement outvotes a failed check digit. What a field was read with before is
only one signal among others from here on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.trust.calibrators import Calibrator, group_of
from services.extractor.domain.trust.sameness import DIFFERENT

CONFLICT_MAX = 0.55
UNGROUNDED_MAX = 0.60
XML_DIFFERS_MAX = 0.40
# Worked out and not read: it is only as good as everything that went into it.
COMPUTED_MAX = 0.60
# What the syntax itself guarantees; that it says the truth is another matter.
STATED = 0.995


@dataclass(frozen=True, slots=True)
class Weights:
    """What the rules and what is known of the issuer say about each path."""

    # Rewards of the checks that it passed, and how many it failed.
    passed: Mapping[str, float] = field(default_factory=dict)
    failed: Mapping[str, float] = field(default_factory=dict)
    caps: Mapping[str, float] = field(default_factory=dict)
    # 1 for what was seen of this issuer before, 0 for what contradicts it.
    history: Mapping[str, float] = field(default_factory=dict)


def scored(reading: Reading, weights: Weights, calibrator: Calibrator) -> Reading:
    fields = {
        path: _scored(path, one, weights, calibrator) for path, one in reading.fields.items()
    }
    versions = {**reading.versions, "calibrator": calibrator.version}
    return replace(reading, fields=fields, versions=versions)


def _scored(path: str, one: Field, weights: Weights, calibrator: Calibrator) -> Field:
    if one.value is None:
        return one
    signals = _signals(path, one, weights)
    probability = calibrator.probability(group_of(path), signals)
    confidence = min(probability, weights.caps.get(path, 1.0), _cap(one))
    return replace(one, confidence=round(confidence, 4), signals=signals)


def _signals(path: str, one: Field, weights: Weights) -> dict[str, float]:
    known = {"passed": weights.passed, "failed": weights.failed, "history": weights.history}
    found = {name: told[path] for name, told in known.items() if path in told}
    if one.source == "einvoice_xml":
        found["source"] = STATED
    elif one.source != "gemini":
        found["label"] = one.confidence
    return {**one.signals, **found}


def _cap(one: Field) -> float:
    caps = [1.0]
    if one.status == "computed":
        caps.append(COMPUTED_MAX)
    if one.signals.get("agree") == DIFFERENT:
        caps.append(XML_DIFFERS_MAX if one.source == "einvoice_xml" else CONFLICT_MAX)
    if one.signals.get("grounded") == 0:
        caps.append(UNGROUNDED_MAX)
    return min(caps)
