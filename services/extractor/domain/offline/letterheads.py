"""The name on a letterhead, which no label points to: several weak signs, added up.

A legal form, a place near the top or in the return address, the same words in the e-mail
domain, its own registration beside it, and not standing in the block of the buyer.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from services.extractor.domain.offline.blocks import BUYERS, continued, label_of, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.names import (
    LEGAL_FORM,
    first_part,
    letters_of,
    may_be_a_name,
)
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.words import Span, fold

_DOMAIN = re.compile(r"(?:@|www\.|https?://)(?:www\.)?([a-z0-9-]+)\.[a-z]{2,}")
_POST = frozenset(("gmail", "gmx", "hotmail", "outlook", "yahoo", "example", "web", "t-online"))
_VAT_ID = re.compile(r"(?<![A-Z0-9])[A-Z]{2} ?(?=[A-Z0-9]*\d{5})[A-Z0-9]{8,12}(?![A-Za-z0-9])")
# What only its sender prints about a company.
_REGISTERED = frozenset(("vat_id", "tax_number", "legal_id", "iban", "bic", "bank"))
TOP, BOTTOM = 0.25, 0.85
# As far down a page as a block reaches; as much taller than the rest as a letterhead is.
NEAR, TALL = 0.1, 1.4
SHORT_WORDS = 5
LOOKS_MAX = 0.9
_ADDRESS = re.compile(r"^\W*\d{4,6}(?!\d)")
FIRST, IN_A_ROW, COMPLETED, OF_THE_BUYER, AN_ADDRESS = 0.15, 0.2, 0.42, 0.45, 0.35


@dataclass(frozen=True, slots=True)
class Signs:
    """What the whole document says about names."""

    domains: frozenset[str]
    seen: Counter[str]
    height: float
    registered: tuple[tuple[int, float], ...]


def letterheads(sheet: Sheet) -> Iterator[Candidate[str]]:
    signs, first = _signs(sheet), FIRST
    for at, line in enumerate(sheet.lines):
        if line.page > 1 and line.top > TOP:
            continue
        for phrase in line.phrases:
            name = first_part(phrase.text)
            is_a_label = phrase.text.endswith(":") or label_of(sheet, at, phrase)
            if is_a_label or not may_be_a_name(name):
                continue
            wrapped, span = continued(sheet, at, name, phrase)
            score = _looks(name, phrase, signs) + COMPLETED * (wrapped != name) + first
            # A row of a table is about what was sold.
            score -= IN_A_ROW * bool(sheet.amounts[at])
            score -= OF_THE_BUYER * (party_at(sheet, at, phrase) in BUYERS)
            first = 0.0
            yield Candidate(wrapped, max(0.05, min(LOOKS_MAX, score)), span, 0.0, at)


def _looks(name: str, phrase: Span, signs: Signs) -> float:
    folded = fold(name)
    score = 0.15 if phrase.page == 1 else 0.05
    score += 0.35 * (LEGAL_FORM.search(folded) is not None)
    score += 0.25 * _is_its_domain(folded, signs.domains)
    rest = phrase.text[len(name) :] if phrase.text.startswith(name) else ""
    # The first part of a return address; of a street and a post code it is none.
    score += 0.1 * bool(rest.strip(" :,."))
    score -= AN_ADDRESS * bool(_ADDRESS.match(rest))
    score += 0.1 * (signs.seen[letters_of(name)] > 1)
    return score + _where(phrase, signs) - _like_a_sentence(name)


def _where(phrase: Span, signs: Signs) -> float:
    top, height = phrase.box[1], phrase.box[3] - phrase.box[1]
    score = 0.1 if top > BOTTOM else 0.0
    if top < TOP:
        score += 0.2 * (1 - top / TOP) + 0.05
        score += 0.1 * (height > TALL * signs.height)
    near = any(page == phrase.page and 0 <= y - top < NEAR for page, y in signs.registered)
    return score + 0.12 * near


def _like_a_sentence(name: str) -> float:
    words = name.split()
    lower = sum(one[0].islower() for one in words)
    several = len(words) > SHORT_WORDS and lower > 2  # noqa: PLR2004 -- `of the`, `und Sohn`
    return 0.3 if several or lower > len(words) / 2 else 0.0


def _is_its_domain(folded: str, domains: frozenset[str]) -> bool:
    letters, first = letters_of(folded), letters_of(folded.split(maxsplit=1)[0])
    for domain in domains:
        bare = domain.replace("-", "")
        if bare in letters or (len(first) > 3 and first in bare):  # noqa: PLR2004 -- no accident
            return True
    return False


def _signs(sheet: Sheet) -> Signs:
    domains = {one for line in sheet.lines for one in _DOMAIN.findall(line.folded)}
    names = Counter(
        letters_of(first_part(phrase.text)) for line in sheet.lines for phrase in line.phrases
    )
    heights = sorted(line.height for line in sheet.lines) or [0.0]
    registered = tuple(
        (line.page, line.top)
        for at, line in enumerate(sheet.lines)
        if any(tag.kind in _REGISTERED for tag in sheet.tags[at]) or _VAT_ID.search(line.text)
    )
    return Signs(frozenset(domains - _POST), names, heights[len(heights) // 2], registered)
