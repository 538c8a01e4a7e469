"""A reading of recognised words, told as what it is: less sure, and where the page shows it.

The rules know neither. They read words of either origin, on pages turned upright; afterwards
each field says by what it was read, and how sure the recogniser was of its weakest word.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Literal

from services.extractor.domain.offline.upright import Upright
from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.words import Span
from shared.pages.words import Word

OCR: Literal["ocr"] = "ocr"


def as_recognised(reading: Reading, pages: Mapping[int, Upright]) -> Reading:
    """`pages` are those whose words were recognised, by number."""
    words: dict[int, list[Word]] = {}
    for word in reading.words:
        if word.page in pages:
            words.setdefault(word.page, []).append(word)
    return replace(
        reading,
        fields={path: _field(field, words, pages) for path, field in reading.fields.items()},
        words=tuple(_displayed_word(word, pages) for word in reading.words),
    )


def _field(
    field: Field, words: Mapping[int, list[Word]], pages: Mapping[int, Upright]
) -> Field:
    seen = [span for span in field.evidence if span.page in pages]
    if not seen:
        return field
    sure = min((_sure(span, words.get(span.page, ())) for span in seen), default=1.0)
    return replace(
        field,
        source=OCR,
        confidence=round(field.confidence * sure, 4),
        signals={**field.signals, OCR: round(sure, 4)},
        evidence=tuple(_displayed_span(span, pages) for span in field.evidence),
        alternatives=tuple(replace(other, source=OCR) for other in field.alternatives),
    )


def _sure(span: Span, words: Iterable[Word]) -> float:
    left, top, right, bottom = span.box
    return min(
        (
            word.sure
            for word in words
            if left <= (word.left + word.right) / 2 <= right and top <= word.middle <= bottom
        ),
        default=1.0,
    )


def _displayed_span(span: Span, pages: Mapping[int, Upright]) -> Span:
    upright = pages.get(span.page)
    if upright is None or upright.is_displayed:
        return span
    return span._replace(box=upright.displayed(span.box))


def _displayed_word(word: Word, pages: Mapping[int, Upright]) -> Word:
    upright = pages.get(word.page)
    if upright is None or upright.is_displayed:
        return word
    box = upright.displayed((word.left, word.top, word.right, word.bottom))
    return Word(word.text, word.page, *box, sure=word.sure)
