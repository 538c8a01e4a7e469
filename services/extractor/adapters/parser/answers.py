"""A reading on its way out of the parser's child: as JSON, and back.

The child has seen the file, so its words are checked like a stranger's.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from math import isfinite
from typing import Any

from services.extractor.domain.reading import Alternative, Field, Finding, Page, Reading
from services.extractor.domain.words import Span
from shared.errors import Rejected
from shared.pages.words import Word

Answer = dict[str, Any]

# Of a page: finer than anybody can point at.
DECIMALS = 5
FINGERPRINT = re.compile(r"[0-9a-f]{16}")


def told(reading: Reading) -> Answer:
    return {
        "engine": reading.engine,
        "page_count": reading.page_count,
        "fields": {path: _told(one) for path, one in reading.fields.items()},
        "findings": [asdict(one) for one in reading.findings],
        "pages": [asdict(one) for one in reading.pages],
        # Without names: a page has hundreds.
        "words": [
            (one.text, one.page, *_short(one.left, one.top, one.right, one.bottom, one.sure))
            for one in reading.words
        ],
        "versions": dict(reading.versions),
    }


def heard(answer: Mapping[str, Any]) -> Reading:
    try:
        return Reading(
            engine=str(answer["engine"]),
            page_count=int(answer["page_count"]),
            fields={str(path): _field(one) for path, one in answer["fields"].items()},
            findings=tuple(_finding(one) for one in answer["findings"]),
            pages=tuple(_page(one) for one in answer["pages"]),
            words=tuple(_word(one) for one in answer["words"]),
            versions={str(name): str(one) for name, one in answer["versions"].items()},
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Rejected("parser_crashed", "the answer has another shape") from error


def _told(one: Field) -> Answer:
    """By hand: looking up what a field consists of takes longer than finding its value."""
    return {
        "value": one.value,
        "raw": one.raw,
        "confidence": one.confidence,
        "status": one.status,
        "evidence": [span._asdict() for span in one.evidence],
        "source": one.source,
        "signals": one.signals,
        "alternatives": [asdict(other) for other in one.alternatives],
    }


def _short(*numbers: float) -> Iterator[float]:
    """In all their figures the words of a long document would be more than an answer may be."""
    return (round(one, DECIMALS) for one in numbers)


def _finite(number: object) -> float:
    """JSON has no NaN: what holds one can be written, and never be read again."""
    found = float(number)  # type: ignore[arg-type]  # what is no number raises
    if not isfinite(found):
        raise ValueError("no number")
    return found


def _field(one: Mapping[str, Any]) -> Field:
    return Field(
        value=one["value"],
        raw=one["raw"],
        confidence=min(1.0, max(0.0, _finite(one["confidence"]))),
        status=one["status"],
        source=one["source"],
        evidence=tuple(_span(span) for span in one["evidence"]),
        signals={str(name): _finite(value) for name, value in one["signals"].items()},
        alternatives=tuple(Alternative(**other) for other in one["alternatives"]),
    )


def _finding(one: Mapping[str, Any]) -> Finding:
    return Finding(
        code=str(one["code"]),
        severity=one["severity"],
        detail=str(one["detail"]),
        touches=tuple(map(str, one["touches"])),
        pages=tuple(map(int, one["pages"])),
    )


def _page(one: Mapping[str, Any]) -> Page:
    size = _finite(one["width"]), _finite(one["height"])
    # Of an older reading that was kept there is none.
    looks = one.get("fingerprint")
    if looks is not None and not FINGERPRINT.fullmatch(looks):
        raise ValueError("no fingerprint")
    return Page(int(one["number"]), *size, one["source"], looks)


def _word(one: Sequence[Any]) -> Word:
    text, page, left, top, right, bottom, sure = one
    # The sum is finite only where each of them is.
    _finite(left + top + right + bottom + sure)
    edges = float(left), float(top), float(right), float(bottom)
    return Word(str(text), int(page), *edges, min(1.0, max(0.0, float(sure))))


def _span(span: Mapping[str, Any]) -> Span:
    left, top, right, bottom = map(_finite, span["box"])
    return Span(str(span["text"]), int(span["page"]), (left, top, right, bottom))
