"""Which currency an invoice is in: what stands beside its amounts, or what it says in words.

A sign that several countries share is decided by the country that the document shows.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import MISSING, Alternative, Field
from services.extractor.domain.words import Span
from shared.values.currencies import CODES, SHARED, SYMBOLS

_CODE = re.compile(rf"(?<![A-Za-z])(?:{CODES})(?![A-Za-z])")
_NAMED = re.compile(
    r"(?<![A-Za-z])(?:euros?|us dollars?|pounds? sterling|swiss francs?)(?![a-z])"
)
_NAMES = {"eu": "EUR", "us": "USD", "po": "GBP", "sw": "CHF"}
_SIGN = re.compile(r"[€£₹₺$¥]|(?<![A-Za-z])(?:Rs\.?|RM|zł|Kč)(?![A-Za-z])")
# Of the currencies that share a sign, which one, by what a country's invoices say.
_COUNTRIES = {
    "$": (
        ("AUD", re.compile(r"\bABN\b|Australia|\.com\.au\b|\b(?:NSW|VIC|QLD|TAS|ACT) \d{4}\b")),
        ("CAD", re.compile(r"Canada\b|\bHST\b|\bQST\b|\b[A-Z]{2},? [A-Z]\d[A-Z] ?\d[A-Z]\d\b")),
        ("SGD", re.compile(r"Singapore|\.com\.sg\b")),
        ("NZD", re.compile(r"New Zealand|\.co\.nz\b")),
        ("HKD", re.compile(r"\.com\.hk\b")),
        ("MXN", re.compile(r"\bRFC\b|México")),
        ("USD", re.compile(r"\bUSA\b|\bU\.S\.|United States|\b[A-Z]{2},? \d{5}(?:-\d{4})?\b")),
    ),
    "kr": (
        ("NOK", re.compile(r"\bNorge\b|Norway|\.no\b|\bMVA\b|\bNO ?\d{9}")),
        ("DKK", re.compile(r"Danmark|Denmark|\.dk\b|\bCVR\b")),
        ("SEK", re.compile(r"Sverige|Sweden|\.se\b|\bSE\d{12}\b")),
    ),
    "¥": (("CNY", re.compile(r"\bRMB\b|China")), ("JPY", re.compile(r"Japan"))),
}
_MALAYSIA = re.compile(r"Malaysia|\b(?i:sdn|bhd)\b|\bRM ?\d|\bGST\b")
LABELLED, BESIDE, CONTESTED, SHARED_SIGN, ALONE = 0.97, 0.95, 0.75, 0.7, 0.6
# The only currency of which the document speaks, though beside no amount.
SURE_ALONE = 0.88


@dataclass(frozen=True, slots=True)
class _Vote:
    code: str
    symbol: str
    span: Span


def currency(sheet: Sheet) -> Field:
    named = _labelled(sheet)
    if named:
        return made(named, named.value, LABELLED)
    votes = list(_votes(sheet))
    if not votes:
        return _alone(sheet)
    ranked: dict[str, list[_Vote]] = {}
    for vote in votes:
        ranked.setdefault(vote.code, []).append(vote)
    order = sorted(ranked, key=lambda code: -len(ranked[code]))
    return _elected(sheet, order, ranked[order[0]][0])


def _elected(sheet: Sheet, order: Sequence[str], best: _Vote) -> Field:
    code, confidence = best.code, BESIDE if len(order) == 1 else CONTESTED
    if best.symbol in SHARED:
        seen = _by_country(sheet, best.symbol)
        code = seen[0] if seen else code
        confidence = min(confidence, BESIDE if len(seen) == 1 else SHARED_SIGN)
    alternatives = [
        Alternative(other, None, "pdf_text", 0.2) for other in order[1:3] if other != code
    ]
    return made(Candidate(code, confidence, best.span), code, confidence, alternatives)


def _by_country(sheet: Sheet, symbol: str) -> list[str]:
    """Of the countries that share a sign those that are seen, from the top of the page."""
    shared = _COUNTRIES.get(symbol.rstrip("."), ())
    return list(
        dict.fromkeys(
            code
            for line in sheet.lines
            for code, pattern in shared
            if pattern.search(line.text)
        )
    )


def _votes(sheet: Sheet) -> Iterator[_Vote]:
    for at, hits in enumerate(sheet.amounts):
        for hit in hits:
            if hit.value.currency and hit.value.symbol:
                yield _Vote(hit.value.currency, hit.value.symbol, sheet.span(at, hit))


def _labelled(sheet: Sheet) -> Candidate[str] | None:
    for at, line in enumerate(sheet.lines):
        for tag in sheet.tags[at]:
            if tag.kind != "currency":
                continue
            match = _CODE.search(line.text, tag.end) or _SIGN.search(line.text, tag.end)
            if match and match.start() - tag.end <= 8:  # noqa: PLR2004 -- a colon and a gap
                code = SYMBOLS.get(match[0], match[0])
                span = line.span(match.start(), match.end())
                return Candidate(code, tag.strength, span, tag.strength, at)
    return None


def _alone(sheet: Sheet) -> Field:
    """Somewhere on the page, beside no amount: in the head of a column, in a sentence."""
    for line in sheet.lines:
        for pattern, text in ((_CODE, line.text), (_SIGN, line.text), (_NAMED, line.folded)):
            match = pattern.search(text)
            # `00184 Roma (RM)` is a province.
            if match and (
                match[0] != "RM" or any(_MALAYSIA.search(one.text) for one in sheet.lines)
            ):
                word = match[0]
                code = SYMBOLS.get(word) or _NAMES.get(word[:2], word)
                sure = ALONE if _others(sheet, word) else SURE_ALONE
                sure = SHARED_SIGN if word in SHARED else sure
                best = Candidate(code, sure, line.span(match.start(), match.end()))
                return made(best, code, sure)
    return MISSING


def _others(sheet: Sheet, word: str) -> bool:
    """Whether the document speaks of another currency too."""
    code = SYMBOLS.get(word, word)
    return any(
        SYMBOLS.get(one, one) != code
        for line in sheet.lines
        for pattern in (_CODE, _SIGN)
        for one in pattern.findall(line.text)
    )
