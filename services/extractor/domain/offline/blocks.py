"""Whose block a place belongs to: the nearest party named above it in its column."""

import re
from collections.abc import Iterator

from services.extractor.domain.offline.names import LEGAL_FORM, first_part, may_be_a_name
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.words import Span, fold

PARTIES = frozenset(("seller", "buyer", "ship_to", "payee"))
BUYERS = frozenset(("buyer", "ship_to", "payee"))
LINES_MAX = 14
# Of the page; and an empty stretch of so many lines ends a block.
REACH, GAP_HEIGHTS = 0.2, 3.0
STRENGTH_MIN = 0.9
# An indent inside a block.
SLACK = 0.02
# A wider gap, in heights of a line, parts two blocks.
BLOCK_GAP = 1.6


_UNFINISHED = re.compile(r"(?:&|\+| and| und| et| y| e| en)$")


def party_at(sheet: Sheet, at: int, span: Span) -> str | None:
    left, below = span.box[0], sheet.lines[at]
    for place in range(at, max(-1, at - LINES_MAX), -1):
        line = sheet.lines[place]
        gap = below.top - (line.top + line.height)
        if line.page != span.page or gap > GAP_HEIGHTS * line.height:
            return None
        if span.box[1] - line.top > REACH:
            return None
        below = line
        heads = [
            (line.span(tag.start, tag.end), tag.kind)
            for tag in sheet.tags[place]
            if tag.kind in PARTIES
            and tag.strength >= STRENGTH_MIN
            and is_a_head(line.text, tag.start)
        ]
        above = [one for one in heads if one[0].box[0] <= left + SLACK]
        if not above:
            continue
        head, kind = max(above, key=lambda one: one[0].box[0])
        # A head further left belongs to another column, unless nothing else stands on its line.
        if (
            head.shares_column_with(span)
            or abs(head.box[0] - left) <= SLACK
            or len(line.phrases) == 1
        ):
            return kind
    return None


def above_in_block(sheet: Sheet, at: int, span: Span) -> Iterator[Span]:
    """What stands over it in its column, line by line, until a gap ends the block."""
    below = sheet.lines[at]
    for place in range(at - 1, max(-1, at - LINES_MAX), -1):
        line = sheet.lines[place]
        for other in line.phrases:
            if min(abs(other.box[edge] - span.box[edge]) for edge in (0, 2)) > SLACK / 2:
                continue
            if line.page != span.page:
                return
            if below.top - (line.top + line.height) > BLOCK_GAP * below.height:
                return
            yield other
            below = line


def is_a_head(text: str, start: int) -> bool:
    """At the beginning of its cell: a word inside a sentence names no block."""
    return not text[text.rfind("\t", 0, start) + 1 : start].strip()


def label_of(sheet: Sheet, at: int, phrase: Span) -> str | None:
    """What kind of label a phrase begins with; a company's name may hold a label's words."""
    line = sheet.lines[at]
    for tag in sheet.tags[at]:
        span = line.span(tag.start, tag.end)
        if abs(span.box[0] - phrase.box[0]) < SLACK / 4:
            own = LEGAL_FORM.search(fold(phrase.text)) and ":" not in phrase.text
            return None if own else tag.kind
    return None


def continued(sheet: Sheet, at: int, name: str, phrase: Span) -> tuple[str, Span]:
    """A long name is wrapped: its legal form, or what comes after an `&`, is below."""
    unfinished = _UNFINISHED.search(fold(name)) is not None
    whole = LEGAL_FORM.search(fold(name)) and not unfinished
    if whole or at + 1 >= len(sheet.lines):
        return name, phrase
    for below in sheet.lines[at + 1].phrases:
        completes = unfinished or LEGAL_FORM.search(fold(below.text))
        if completes and _is_right_below(phrase, below) and _is_a_whole_name(below.text):
            (left, top, right, _), other = phrase.box, below.box
            box = (min(left, other[0]), top, max(right, other[2]), other[3])
            text = f"{name} {below.text}"
            return text, Span(text, phrase.page, box)
    return name, phrase


def _is_right_below(phrase: Span, below: Span) -> bool:
    height = phrase.box[3] - phrase.box[1]
    near = below.page == phrase.page and below.box[1] - phrase.box[3] < height
    middle = abs(below.box[0] + below.box[2] - phrase.box[0] - phrase.box[2]) / 2
    return near and min(middle, abs(below.box[0] - phrase.box[0])) < SLACK / 4


def _is_a_whole_name(text: str) -> bool:
    return may_be_a_name(text) and first_part(text) == text.strip(" :,;-•")
