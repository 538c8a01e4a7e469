"""Who sends the invoice: the name on a letterhead, which no label points to.

Several weak signs are added up: a legal form, a place near the top or in the return address,
the same words in the e-mail domain, and not standing under `bill to`.
"""

import re
from collections.abc import Iterator, Sequence

from services.extractor.domain.offline.candidates import Candidate, Hit, labelled
from services.extractor.domain.offline.labels import BUYER, SELLER
from services.extractor.domain.reading import MISSING, Field
from services.extractor.domain.words import Line, Span, fold

LEGAL_FORM = re.compile(
    r"(?<![a-z])(?:gmbh(?: ?& ?co\.? ?kgaa| ?& ?co\.? ?kg| mbh)?|ag|kg|ohg|gbr|ug|"
    r"e\.? ?k\.?|e\.? ?v\.?|"
    r"se|inc\.?|incorporated|corp\.?|corporation|llc|llp|ltd\.?|limited|plc|pty|co\.|"
    r"s\.?a\.?s\.?u?|s\.?a\.?r\.?l\.?|s\.?a\.?|eurl|sprl|b\.?v\.?|n\.?v\.?|s\.?r\.?l\.?|s\.?l\.?|"
    r"s\.?p\.?a\.?|oy|ab|as|stiftung|verein|group|sons)(?![a-z])"
)
# The return address above a window envelope separates its parts by one of these.
_PARTS = re.compile(r"\s+[·•|–—*-]\s+|,\s+|\s{2,}")
_NOT_A_NAME = re.compile(
    r"invoice|rechnung|facture|page|seite|date|datum|tel\b|fax|iban|bic|vat|ust|www|@|http|"
    r"tva|siret|\btotal|street|strasse|\bbank\b|customer|kunde|client|betrag|amount|number|"
    r"nummer|currency|wahrung|devise|menge|quantity|quantite|address|anschrift|adresse|^name$|^nom$|\beur\b|"
    r"^(?:seller|vendor|supplier|sold by|lieferant|verkaufer|vendeur|fournisseur|herrn?|frau|"
    r"mr|ms)$"
)
_DOMAIN = re.compile(r"(?:@|www\.|https?://)(?:www\.)?([a-z0-9-]+)\.[a-z]{2,}")
NAME_CHARS_MAX = 60
BUYER_LINES = 5
TOP = 0.25
BOTTOM = 0.85


def seller_name(lines: Sequence[Line]) -> Field:
    candidates = [*_labelled(lines), *_by_looks(lines)]
    if not candidates:
        return MISSING
    best = max(candidates, key=lambda one: one.score)
    confidence = round(min(0.9, best.score), 4)
    return Field(best.value, best.span.text, confidence, "extracted", (best.span,))


def _labelled(lines: Sequence[Line]) -> Iterator[Candidate[str]]:
    for one in labelled(lines, SELLER, _names):
        legal = LEGAL_FORM.search(fold(one.value))
        yield Candidate(one.value, one.score if legal else one.score * 0.8, one.span)


def _names(text: str) -> Iterator[Hit[str]]:
    for match in re.finditer(r"[^\t]+", text):
        name = match[0].strip(" :")
        if _may_be_a_name(name):
            yield Hit(name, match.start(), match.end())


def _by_looks(lines: Sequence[Line]) -> Iterator[Candidate[str]]:
    domains = {one for line in lines for one in _DOMAIN.findall(line.folded)}
    under_buyer = _buyer_columns(lines)
    for line in lines:
        if line.page != 1:
            return
        for phrase in line.phrases():
            name = _first_part(phrase.text)
            if _may_be_a_name(name):
                score = _looks(name, phrase, domains)
                if any(_stands_under(phrase, buyer) for buyer in under_buyer):
                    score -= 0.4
                yield Candidate(name, max(0.05, score), phrase)


def _looks(name: str, phrase: Span, domains: set[str]) -> float:
    folded, top = fold(name), phrase.box[1]
    score = 0.15
    if LEGAL_FORM.search(folded):
        score += 0.35
    if top < TOP:
        score += 0.2 * (1 - top / TOP) + 0.05
    elif top > BOTTOM:
        score += 0.1
    letters = re.sub(r"[^a-z0-9]", "", folded)
    first = re.sub(r"[^a-z0-9]", "", folded.split()[0])
    for domain in domains:
        bare = domain.replace("-", "")
        if bare in letters or (len(first) > 3 and first in bare):  # noqa: PLR2004 -- no accident
            score += 0.25
            break
    if name != phrase.text.strip():
        score += 0.1
    return score


def _first_part(text: str) -> str:
    parts = [part for part in _PARTS.split(text) if part.strip()]
    if len(parts) > 1 and not LEGAL_FORM.fullmatch(fold(parts[1])):
        return parts[0].strip(" :,")
    return text.strip(" :,")


def _may_be_a_name(text: str) -> bool:
    folded = fold(text)
    letters = sum(map(str.isalpha, text))
    digits = sum(map(str.isdigit, text))
    return (
        3 <= len(text) <= NAME_CHARS_MAX  # noqa: PLR2004 -- shorter is an initial
        and letters > 2 * digits + 2
        and (text[0].isupper() or text[0].isdigit())
        and not LEGAL_FORM.fullmatch(folded)
        and not text.endswith(":")
        and not _NOT_A_NAME.search(folded)
        and not BUYER.search(folded)
    )


def _buyer_columns(lines: Sequence[Line]) -> list[tuple[Span, float]]:
    """Labels of the buyer, with how far down their block reaches."""
    return [
        (line.span(match.start(), match.end()), line.height * 2 * BUYER_LINES)
        for line in lines
        for match in BUYER.finditer(line.folded)
    ]


def _stands_under(phrase: Span, buyer: tuple[Span, float]) -> bool:
    label, reach = buyer
    below = phrase.box[1] - label.box[1]
    near = phrase.page == label.page and 0 <= below <= reach
    return near and phrase.shares_column_with(label)
