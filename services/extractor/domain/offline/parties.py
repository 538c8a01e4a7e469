"""Who sends the invoice and to whom: names under a label, or those that look like a letterhead.

Several weak signs of a seller are added up: a legal form, a place near the top or in the
return address, the same words in the e-mail domain, its own registration beside it, and not
standing in the block of the buyer.
"""

import re
from collections.abc import Iterator

from services.extractor.domain.offline.blocks import (
    BUYERS,
    SLACK,
    above_in_block,
    continued,
    is_a_head,
    label_of,
)
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import chosen
from services.extractor.domain.offline.letterheads import letterheads
from services.extractor.domain.offline.names import (
    LEGAL_FORM,
    first_part,
    letters_of,
    may_be_a_name,
)
from services.extractor.domain.offline.phrases import Tag
from services.extractor.domain.offline.places import code_alone, place_in
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Span, fold

_POST_CODE = re.compile(r"(?:[A-Z]{1,2}[- ])?\d{4,5}(?: [A-Z]{2})? [A-ZÀ-Ý]")
_PARTS = re.compile(r"\s+[·•●|–—*-]\s+|,\s+|\s+/\s+")
BLOCK_LINES = 6
# Below this it is any words on the page.
SELLER_MIN = 0.28
UNDER_LABEL, NAMED, IN_CELL, NEXT_CELL = 1.0, 1.02, 0.98, 0.9
WINDOW, IN_THE_WINDOW = (0.08, 0.42), 0.6
HOLDER_SCORE = 0.62
# What names a party whatever stands around it; `from` and `to` need a colon.
PLAIN = 0.9


def parties(sheet: Sheet) -> dict[str, Field]:
    buyers = list(_labelled(sheet, "buyer"))
    sellers = [*_labelled(sheet, "seller"), *_holders(sheet), *letterheads(sheet)]
    best = max((one.score for one in buyers), default=0.0)
    bought = {letters_of(one.value) for one in buyers if one.score == best}
    sellers = [
        one
        for one in sellers
        if one.score >= SELLER_MIN and (one.label or letters_of(one.value) not in bought)
    ]
    fields = {"seller.name": chosen(sellers, most=0.95)}
    buyers = buyers or list(_in_the_window(sheet, fields["seller.name"]))
    if buyers:
        fields["buyer.name"] = chosen(buyers, most=0.9)
    receivers = list(_labelled(sheet, "ship_to"))
    if receivers:
        fields["ship_to.name"] = chosen(receivers, most=0.85)
    return fields


def _labelled(sheet: Sheet, kind: str) -> Iterator[Candidate[str]]:
    for at, line in enumerate(sheet.lines):
        for tag in sheet.tags[at]:
            if tag.kind == kind and _names_a_block(line.text, tag):
                yield from _in_the_block(sheet, at, tag)


def _names_a_block(text: str, tag: Tag) -> bool:
    """`Seller: X` names X; `Seller Ltd` and `paid from the account` do not."""
    rest = text[tag.end :].lstrip(" /|")
    cell = rest.partition("\t")[0]
    if rest[:1] == "-" or not is_a_head(text, tag.start):
        return False
    # `Customer VAT number: X` and `Customer since 2012` are about something else.
    about = cell[:1].isalpha() and any(map(str.isdigit, cell))
    return not rest or rest[0] in ":\t" or (tag.strength >= PLAIN and not about)


def _in_the_block(sheet: Sheet, at: int, tag: Tag) -> Iterator[Candidate[str]]:
    line = sheet.lines[at]
    cell, _, rest = line.text[tag.end :].partition("\t")
    inside = cell.strip(" :-")
    if inside and ":" in cell and may_be_a_name(first_part(inside)):
        start = line.text.index(inside, tag.end)
        yield _named(sheet, at, line.span(start, start + len(inside)), tag, IN_CELL)
        return
    found = _below(sheet, at, tag)
    if found is None and rest and not inside:
        beside = rest.split("\t")[0]
        start = line.text.index(beside, tag.end)
        free = not any(start <= one.start < start + len(beside) for one in sheet.tags[at])
        if free and may_be_a_name(first_part(beside.strip(" :"))):
            found = _named(sheet, at, line.span(start, start + len(beside)), tag, NEXT_CELL)
    if found is not None:
        yield found


def _below(sheet: Sheet, at: int, tag: Tag) -> Candidate[str] | None:
    head = sheet.lines[at].span(tag.start, tag.end)
    found: Candidate[str] | None = None
    for place in range(at + 1, min(len(sheet.lines), at + 1 + BLOCK_LINES)):
        line = sheet.lines[place]
        if line.page != head.page:
            break
        phrases = line.phrases
        for nth, phrase in enumerate(phrases):
            if not (
                phrase.shares_column_with(head) or abs(phrase.box[0] - head.box[0]) < SLACK
            ):
                continue
            label = label_of(sheet, place, phrase)
            if label == "name" and ":" in phrase.text + line.text[: len(phrase.text) + 2]:
                value = phrases[nth + 1] if nth + 1 < len(phrases) else phrase
                return _named(sheet, place, value, tag, NAMED)
            if label in BUYERS or label == "seller":
                return found
            if found is None and label is None and may_be_a_name(first_part(phrase.text)):
                found = _named(sheet, place, phrase, tag, UNDER_LABEL)
    return found


def _named(sheet: Sheet, at: int, phrase: Span, tag: Tag, factor: float) -> Candidate[str]:
    text = re.sub(r"^(?:name|nom|naam|nome|nombre|firma)\s*:\s*", "", phrase.text, flags=re.I)
    name = first_part(text.strip(" :"))
    name, span = continued(sheet, at, name, phrase)
    legal = 1.0 if LEGAL_FORM.search(fold(name)) else 0.93
    score = tag.strength * factor * legal
    return Candidate(name, score, span, tag.strength, at)


def _in_the_window(sheet: Sheet, seller: Field) -> Iterator[Candidate[str]]:
    """The address that shows through a window, left or right: a name, and a place a few lines
    below that is not the sender's own."""
    own = letters_of(seller.value or "")
    for at, line in enumerate(sheet.lines):
        if line.page > 1 or line.top > WINDOW[1]:
            return
        for phrase in line.phrases if line.top > WINDOW[0] else ():
            name = first_part(phrase.text)
            plain = name == phrase.text.strip(" :") and may_be_a_name(name)
            if not plain or letters_of(name) == own or label_of(sheet, at, phrase):
                continue
            if _has_a_place_below(sheet, at, phrase) and not _is_under(sheet, at, phrase, own):
                yield Candidate(name, IN_THE_WINDOW, phrase, 0.0, at)
                return


def _has_a_place_below(sheet: Sheet, at: int, phrase: Span) -> bool:
    for below in sheet.lines[at + 1 : at + BLOCK_LINES]:
        for other in below.phrases:
            aligned = abs(other.box[0] - phrase.box[0]) < SLACK / 4
            if other.page == phrase.page and aligned:
                if _POST_CODE.match(other.text) or code_alone(other.text):
                    return True
                if place_in(other.text) is not None:
                    return True
    return False


def _is_under(sheet: Sheet, at: int, phrase: Span, own: str) -> bool:
    """Whether the block it stands in begins with the sender's name."""
    for other in above_in_block(sheet, at, phrase):
        if own and letters_of(other.text).startswith(own):
            # The return address in one line is above what the window shows.
            return not any(place_in(part) for part in _PARTS.split(other.text))
    return False


def _holders(sheet: Sheet) -> Iterator[Candidate[str]]:
    """Who is paid is mostly who sends it."""
    for at, line in enumerate(sheet.lines):
        for tag in sheet.tags[at]:
            if tag.kind != "holder":
                continue
            rest = re.split(r"\t(?=\S)", line.text[tag.end :].lstrip(" :\t"))[0]
            name = first_part(rest)
            if may_be_a_name(name):
                start = line.text.index(rest, tag.end)
                score = HOLDER_SCORE + (0.12 if LEGAL_FORM.search(fold(name)) else 0.0)
                yield Candidate(
                    name, score, line.span(start, start + len(rest)), tag.strength, at
                )
