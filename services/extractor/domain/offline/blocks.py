"""Whose block a place belongs to: the nearest party named above it in its column."""

from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.words import Span

PARTIES = frozenset(("seller", "buyer", "ship_to", "payee"))
BUYERS = frozenset(("buyer", "ship_to", "payee"))
LINES_MAX = 14
# Of the page; and an empty stretch of so many lines ends a block.
REACH, GAP_HEIGHTS = 0.2, 3.0
STRENGTH_MIN = 0.9
# An indent inside a block.
SLACK = 0.02


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
            or len(line.phrases()) == 1
        ):
            return kind
    return None


def is_a_head(text: str, start: int) -> bool:
    """At the beginning of its cell: a word inside a sentence names no block."""
    return not text[text.rfind("\t", 0, start) + 1 : start].strip()
