"""The extraction as a person approved it: what was read, with the person's word over it.

Who read each value stays on record, and where a person's value stands, the machine's is kept
beside it: that is what accuracy is measured by later. A row that was inserted and left empty
is no row of the invoice.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from services.review.domain.items import ItemField
from shared.contracts.extraction import ExtractedField, ExtractionV1, Finding
from shared.invoice.paths import LISTS, places

ALTERNATIVES_MAX = 3


def reviewed(
    extraction: ExtractionV1,
    fields: Sequence[ItemField],
    findings: Sequence[Finding] | None = None,
) -> ExtractionV1:
    """`findings` are those of the values as they are now; without any, those of the reading."""
    told = {one.path: one for one in fields if not _is_nothing(one)}
    kept = {
        new: _approved(told[old], extraction.fields.get(old))
        for old, new in _numbered_anew(told).items()
    }
    found = extraction.findings if findings is None else tuple(findings)
    return extraction.model_copy(update={"fields": kept, "findings": found})


def is_corrected(fields: Sequence[ItemField], extraction: ExtractionV1 | None = None) -> bool:
    """Whether a person changed anything, rows that were taken out included."""
    if any(one.source == "human" and not _is_nothing(one) for one in fields):
        return True
    left = {one.path for one in fields}
    return extraction is not None and not left.issuperset(extraction.fields)


def _is_nothing(field: ItemField) -> bool:
    """A cell that a person made and never filled."""
    return field.value is None and field.source == "human" and field.machine is None


def _numbered_anew(fields: Mapping[str, ItemField]) -> dict[str, str]:
    """Old path to new path, each list without the gaps that empty rows leave."""
    found = {path: path for path in fields}
    for name in LISTS:
        for new, old in enumerate(places(fields, name)):
            before, after = f"{name}.{old}.", f"{name}.{new}."
            for path in (one for one in fields if one.startswith(before)):
                found[path] = after + path.removeprefix(before)
    return found


def _approved(field: ItemField, read: ExtractedField | None) -> ExtractedField:
    same = read is not None and (read.value, read.source) == (field.value, field.source)
    return ExtractedField.model_validate(
        {
            "value": field.value,
            "raw": field.raw,
            "confidence": field.confidence,
            "status": _status(field),
            "source": field.source,
            "evidence": field.evidence,
            "signals": read.signals if read is not None and same else {},
            "alternatives": _others(field),
        }
    )


def _status(field: ItemField) -> str:
    if field.value is None:
        return "missing"
    # Also when somebody confirmed it once more: it is not what was read.
    return "corrected" if field.source == "human" else "confirmed"


def _others(field: ItemField) -> list[dict[str, Any]]:
    machine = field.machine
    first = [_alternative(machine)] if machine and machine["value"] != field.value else []
    known = {field.value, *(one["value"] for one in first)}
    rest = [dict(one) for one in field.alternatives if one["value"] not in known]
    return [one for one in (*first, *rest) if one["value"] and one["source"]][:ALTERNATIVES_MAX]


def _alternative(machine: Mapping[str, Any]) -> dict[str, Any]:
    return {name: machine.get(name) for name in ("value", "raw", "source", "confidence")}
