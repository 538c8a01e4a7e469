"""The dates of an invoice: written on, due on, delivered on, and the period it is about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise

from services.extractor.domain.offline.blocks import is_a_head
from services.extractor.domain.offline.candidates import Candidate, Search, labelled, weighed
from services.extractor.domain.offline.fields import chosen, made
from services.extractor.domain.offline.phrases import Tag
from services.extractor.domain.offline.sheet import Hit, Sheet
from services.extractor.domain.reading import Field

RIVALS = frozenset(
    ("issue_date", "due_date", "delivery_date", "service_period", "other_date", "delivery_note")
) | frozenset(("purchase_order", "sales_order", "contract_ref", "preceding_invoice"))
BEHIND_THE_TITLE = 0.85
# `Berlin, den 5. März`, `Paris, le 3 mai`.
_BEHIND_A_PLACE = re.compile(r"(?:^|\t)[^\W\d_][\w .'-]{1,30},? (?:den|le|il|el|a|on)?\s*$")
AFTER_A_PLACE = 0.6
UNLABELLED = 0.3
PERIOD = 0.85
PERIOD_LINES, PERIOD_SLACK, PERIOD_REACH, JOINER_CHARS = 2, 0.02, 0.1, 5
DISCOUNTED, NET = 0.5, 0.92
# `Date:` in the head of the letter, alone in its cell.
ALONE_FACTOR, HEAD = 1.16, 0.5
COLLECTED = 0.6
SOLE = 0.88
DELIVERED_MIN = 0.8
_ENDS = ("start", "end")
DUE_WITHIN = timedelta(days=400)
_OF = re.compile(r"(?<![a-z])(?:vom|du|del|van|dated|of|dd\.?) ?$")
_DEBIT = re.compile(
    r"abgebucht|eingezogen|abbuch|buchen wir|ziehen wir|einzug|preleve|direct debit|"
    r"incasso|automatisch afgeschreven|"
    r"addebit|domicilia|will be (?:charged|debited|collected)"
)
_DISCOUNT = re.compile(
    r"[^,;.]{0,12}\d[\d.,]* ?% ?(?:skonto|escompte|discount|sconto|descuento|korting)"
)
_UNTIL = re.compile(r"(?:bis|zum|by|until|avant le|entro il|antes del|voor) ?$")
_WITHOUT = re.compile(r" ?(?:netto|net|ohne abzug|rein netto|without deduction|sans escompte)")


def days(sheet: Sheet) -> dict[str, Field]:
    search = Search(sheet.dates, RIVALS)
    issued = _sole(chosen(found := _issued(sheet, search), date.isoformat), found)
    fields = {"issue_date": issued, "due_date": _due(sheet, search, issued)}
    delivered = [
        one for one in labelled(sheet, "delivery_date", search) if one.score >= DELIVERED_MIN
    ]
    if delivered:
        fields["delivery_date"] = chosen(delivered, date.isoformat)
    return {**fields, **_period(sheet)}


def _sole(best: Field, found: Sequence[Candidate[date]]) -> Field:
    """A plain `Date` is enough where no other date could be meant."""
    days_ = {one.value for one in found}
    if len(days_) != 1 or not any(one.label for one in found):
        return best
    return replace(best, confidence=max(best.confidence, SOLE))


def _issued(sheet: Sheet, search: Search[date]) -> list[Candidate[date]]:
    found = [_in_the_head(sheet, one) for one in labelled(sheet, "issue_date", search)]
    found += _behind_the_title(sheet)
    if found:
        return [weighed(one, 0.97 if one.span.page > 1 else 1.0) for one in found]
    return list(_unlabelled(sheet))


def _in_the_head(sheet: Sheet, one: Candidate[date]) -> Candidate[date]:
    line = sheet.lines[one.at]
    alone = any(
        tag.kind == "issue_date"
        and tag.strength == one.label
        and is_a_head(line.text, tag.start)
        for tag in sheet.tags[one.at]
    )
    weak = one.label < BEHIND_THE_TITLE and one.score >= one.label
    high = one.span.page == 1 and line.top < HEAD
    return weighed(one, ALONE_FACTOR) if alone and weak and high else one


def _behind_the_title(sheet: Sheet) -> Iterator[Candidate[date]]:
    """`Invoice 4711 of 5 March 2026`: no label of its own, but nobody else's either."""
    for at, tags in enumerate(sheet.tags):
        titles = [one for one in tags if one.kind in ("invoice_number", "number")]
        if not titles:
            continue
        for hit in _own(sheet, at, titles[0].end):
            behind = _OF.search(sheet.lines[at].folded[: hit.start])
            if titles[0].kind == "number" and not behind:
                continue
            yield Candidate(hit.value, BEHIND_THE_TITLE, sheet.span(at, hit), 0.7, at)


def _own(sheet: Sheet, at: int, after: int) -> list[Hit[date]]:
    """The first date behind it, unless another label stands between them."""
    for hit in sheet.dates[at]:
        if hit.start >= after:
            between = [one for one in sheet.tags[at] if after <= one.start < hit.start]
            return [] if any(one.kind in RIVALS for one in between) else [hit]
    return []


def _unlabelled(sheet: Sheet) -> Iterator[Candidate[date]]:
    for at, line in enumerate(sheet.lines):
        for hit in sheet.dates[at]:
            if any(one.kind in RIVALS and one.end <= hit.start for one in sheet.tags[at]):
                continue
            place = _BEHIND_A_PLACE.search(line.folded[: hit.start])
            score = AFTER_A_PLACE if place else UNLABELLED * (1 if line.page == 1 else 0.8)
            yield Candidate(hit.value, score, sheet.span(at, hit), 0.0, at)


def _due(sheet: Sheet, search: Search[date], issued: Field) -> Field:
    found = labelled(sheet, "due_date", search) or list(_collected(sheet))
    found = [weighed(one, _terms_factor(sheet, one)) for one in found] + list(_net(sheet))
    if issued.value:
        # Paid before it was written: then it is somebody else's date.
        first = date.fromisoformat(issued.value)
        found = [one for one in found if first <= one.value <= first + DUE_WITHIN]
    return chosen(found, date.isoformat)


def _terms_factor(sheet: Sheet, one: Candidate[date]) -> float:
    """`by 1 May with 2 % discount` is not when it is due."""
    for hit in sheet.dates[one.at]:
        if hit.value == one.value and _DISCOUNT.match(sheet.lines[one.at].folded, hit.end):
            return DISCOUNTED
    return 1.0


def _net(sheet: Sheet) -> Iterator[Candidate[date]]:
    """`…, by 31 May net`."""
    for at, line in enumerate(sheet.lines):
        for hit in sheet.dates[at]:
            if _UNTIL.search(line.folded[: hit.start]) and _WITHOUT.match(line.folded, hit.end):
                yield Candidate(hit.value, NET, sheet.span(at, hit), NET, at)


def _collected(sheet: Sheet) -> Iterator[Candidate[date]]:
    """By direct debit: nobody has to pay, but on that day it is due."""
    for at, line in enumerate(sheet.lines):
        texts = [one.folded for one in sheet.lines[at : at + 2] if one.page == line.page]
        if len(sheet.dates[at]) == 1 and any(_DEBIT.search(text) for text in texts):
            hit = sheet.dates[at][0]
            owned = any(one.kind in RIVALS and one.end <= hit.start for one in sheet.tags[at])
            if not owned:
                yield Candidate(hit.value, COLLECTED, sheet.span(at, hit), 0.0, at)


def _period(sheet: Sheet) -> dict[str, Field]:
    for at, tag in sheet.tagged.get("service_period", ()):
        beside = [one for one in sheet.dates[at] if one.start >= tag.end]
        found = _pair(sheet, at, beside) or _pair_below(sheet, at, tag)
        if found:
            place, hits = found
            return {
                f"service_period.{end}": _end(sheet, place, hit)
                for end, hit in zip(_ENDS, sorted(hits, key=lambda one: one.value), strict=True)
            }
    return {}


def _pair_below(sheet: Sheet, at: int, tag: Tag) -> tuple[int, Sequence[Hit[date]]] | None:
    label = sheet.lines[at].span(tag.start, tag.end)
    for place in range(at + 1, min(at + 1 + PERIOD_LINES, len(sheet.lines))):
        if sheet.lines[place].page != label.page:
            return None
        under = [
            one
            for one in sheet.dates[place]
            if sheet.span(place, one).box[2] > label.box[0] - PERIOD_SLACK
        ]
        found = _pair(sheet, place, under)
        if found and abs(sheet.span(place, found[1][0]).box[0] - label.box[0]) < PERIOD_REACH:
            return found
    return None


def _pair(
    sheet: Sheet, at: int, hits: Sequence[Hit[date]]
) -> tuple[int, Sequence[Hit[date]]] | None:
    """Two dates that only a dash or a word parts."""
    text = sheet.lines[at].text
    for first, second in pairwise(hits):
        between = text[first.end : second.start]
        if len(between.strip()) <= JOINER_CHARS and first.value <= second.value:
            return at, (first, second)
    return None


def _end(sheet: Sheet, at: int, hit: Hit[date]) -> Field:
    found = Candidate(hit.value, PERIOD, sheet.span(at, hit), PERIOD, at)
    return made(found, hit.value.isoformat(), PERIOD)
