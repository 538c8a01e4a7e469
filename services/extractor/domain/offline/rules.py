"""From lines to the fields of an invoice, for issuers never seen before.

Each field says how sure it is, and never more than its evidence allows: a weak label, a
contradiction or a second reading lowers it, so that a person looks where a person is needed.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date

from services.extractor.domain.offline.candidates import Candidate, Find, Hit, labelled
from services.extractor.domain.offline.dates import dates_in, month_comes_first
from services.extractor.domain.offline.labels import (
    AMERICAN,
    DUE_DATE,
    INVOICE_NUMBER,
    ISSUE_DATE,
    NOT_THE_ISSUE_DATE,
)
from services.extractor.domain.offline.parties import seller_name
from services.extractor.domain.offline.totals import currency, totals
from services.extractor.domain.reading import MISSING, Field, Reading, Source
from services.extractor.domain.words import Line, Word, lines_of

ENGINE = "offline"

_NUMBER = re.compile(r"(?<![\w.,/-])(?=[\w./-]*\d)[A-Za-z0-9][\w./-]{1,30}(?<![./-])(?![\w%])")
_LONG_NUMBER = re.compile(r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}|\+?\d{14,}")
UNLABELLED_DATE = 0.3


def read_invoice(words: Sequence[Word], page_count: int, source: Source) -> Reading:
    lines = lines_of(words)
    month_first = month_comes_first(
        (line.text for line in lines),
        likely=any(AMERICAN.search(line.text) for line in lines),
    )
    issued = _issue_date(lines, month_first=month_first)
    fields = {
        "seller.name": seller_name(lines),
        "invoice_number": _invoice_number(lines),
        "issue_date": issued,
        "due_date": _due_date(lines, issued, month_first=month_first),
        "currency": currency(lines),
        **totals(lines),
    }
    seen = {path: _from(source, field) for path, field in fields.items()}
    return Reading(ENGINE, page_count, seen, words=tuple(words))


def _from(source: Source, field: Field) -> Field:
    return field if field is MISSING else replace(field, source=source)


def _invoice_number(lines: Sequence[Line]) -> Field:
    return _chosen(labelled(lines, INVOICE_NUMBER, _numbers))


def _numbers(text: str) -> Iterator[Hit[str]]:
    taken = [(one.start, one.end) for one in dates_in(text, month_first=False)]
    for match in _NUMBER.finditer(text):
        in_a_date = any(start < match.end() and match.start() < end for start, end in taken)
        is_amount = re.fullmatch(r"[\d.,]*[.,]\d{2}", match[0])
        if not (in_a_date or is_amount or _LONG_NUMBER.fullmatch(match[0])):
            yield Hit(match[0], match.start(), match.end())


def _issue_date(lines: Sequence[Line], *, month_first: bool) -> Field:
    find = _dates(month_first=month_first)
    elsewhere = [line for line in lines if not NOT_THE_ISSUE_DATE.search(line.folded)]
    found = labelled(lines, ISSUE_DATE[:1], find) + labelled(elsewhere, ISSUE_DATE[1:], find)
    if not found:
        found = [
            Candidate(hit.value, UNLABELLED_DATE, line.span(hit.start, hit.end))
            for line in lines
            for hit in find(line.text)
        ]
    return _chosen(found)


def _due_date(lines: Sequence[Line], issued: Field, *, month_first: bool) -> Field:
    found = labelled(lines, DUE_DATE, _dates(month_first=month_first))
    # Paid before it was written: then it is somebody else's date.
    return _chosen([one for one in found if not issued.value or one.value >= issued.value])


def _dates(*, month_first: bool) -> Find[str]:
    def find(text: str) -> Iterator[Hit[str]]:
        for one in dates_in(text, month_first=month_first):
            yield Hit(_iso(one.value), one.start, one.end)

    return find


def _iso(value: date) -> str:
    return value.isoformat()


def _chosen(found: Sequence[Candidate[str]]) -> Field:
    """The best one; a different one that is nearly as good makes it doubtful."""
    if not found:
        return MISSING
    best = max(found, key=lambda one: one.score)
    rivals = [one for one in found if one.value != best.value and one.score >= best.score]
    confidence = best.score * (0.7 if rivals else 1.0)
    return Field(best.value, best.span.text, round(confidence, 4), "extracted", (best.span,))
