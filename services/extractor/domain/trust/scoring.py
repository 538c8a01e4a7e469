"""The confidence of each field: its signals weighed, then capped by what speaks against it.

A cap is hard: no agreement outvotes a failed check digit. What a field was read with before is
only one signal among others from here on.
"""

from dataclasses import replace

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


def scored(reading: Reading, calibrator: Calibrator) -> Reading:
    fields = {path: _scored(path, one, calibrator) for path, one in reading.fields.items()}
    versions = {**reading.versions, "calibrator": calibrator.version}
    return replace(reading, fields=fields, versions=versions)


def _scored(path: str, one: Field, calibrator: Calibrator) -> Field:
    if one.value is None:
        return one
    signals = dict(one.signals)
    if one.source == "einvoice_xml":
        signals["source"] = STATED
    elif one.source != "gemini":
        signals["read"] = one.confidence
    confidence = min(calibrator.probability(group_of(path), signals), _cap(one))
    return one.weighed(round(confidence, 4), signals)


def _cap(one: Field) -> float:
    # What the rules allow at most, as they say in the configuration.
    cap = one.signals.get("cap", 1.0)
    if one.status == "computed":
        cap = min(cap, COMPUTED_MAX)
    if one.signals.get("agree") == DIFFERENT:
        cap = min(cap, XML_DIFFERS_MAX if one.source == "einvoice_xml" else CONFLICT_MAX)
    if one.signals.get("grounded") == 0:
        cap = min(cap, UNGROUNDED_MAX)
    return cap
