"""What kind of document this is: an invoice, or something that must not be paid like one.

The title says it: a short phrase at the head of the page. The same words in a sentence
(`against this invoice`) say nothing.
"""

import re

from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Span, fold

# The first that matches a phrase: a credit note may be called `facture d'avoir`.
_KINDS = (
    (
        "credit_note",
        r"credit ?(?:note|memo|invoice)|gutschrift(?!.*selbst)|stornorechnung|storno|"
        r"(?:factura de )?abono|nota de abono|"
        r"(?:facture d[’' ])?avoir|"
        r"note de credit|nota (?:de |di )?credito|factura rectificativa|creditnota|"
        r"creditfactuur|kreditnota",
    ),
    ("debit_note", r"debit note|nota (?:de |di )?debito|belastungsanzeige"),
    (
        "reminder",
        r"mahnung|zahlungserinnerung|payment reminder|reminder|overdue notice|final notice|"
        r"rappel|relance|"
        r"sollecito|recordatorio|(?:betalings)?herinnering|aanmaning",
    ),
    ("proforma", r"pro ?-?forma"),
    (
        "other",
        r"delivery note|packing (?:slip|list)|lieferschein|bon de livraison|albaran|ddt|"
        r"documento di trasporto|"
        r"pakbon|order confirmation|auftragsbestatigung|quotation|quote|angebot|devis|"
        r"presupuesto|preventivo|"
        r"offerte|offer|purchase order|kontoauszug|account statement|statement of account|"
        r"contract|vertrag",
    ),
    (
        "receipt",
        r"(?:cash |sales |payment )?receipt|quittung|recu|kassenbon|ricevuta|scontrino|recibo|"
        r"ticket|kassabon|kwitantie",
    ),
    (
        "invoice",
        r"(?:tax |vat |sales |commercial )?invoice|\w*rechnung(?:s-?korrektur)?|facture|"
        r"fattura|factura|factuur|"
        r"faktura|bill|w ?a ?r ?e ?n ?r ?e ?c ?h ?n ?u ?n ?g|r e c h n u n g|i n v o i c e|"
        r"f a c t u r e",
    ),
)
_PATTERNS = tuple(
    (
        kind,
        re.compile(
            rf"(?:[\W\d]*|original |copy |kopie |duplicate |your |ihre |"
            rf"retail )(?:{words})(?![a-z])"
        ),
    )
    for kind, words in _KINDS
)
_WORDS_MAX = 7
_HEAD = 0.6
_TALL = 1.25
TITLE, NAMED, ASSUMED = 0.92, 0.75, 0.4


def document_type(sheet: Sheet, *, has_a_number: bool) -> Field | None:
    best: tuple[float, str, Span] | None = None
    for line in sheet.lines:
        if line.page > 1 or line.top > _HEAD:
            break
        for phrase in line.phrases:
            kind = _kind_of(fold(phrase.text))
            if kind is None:
                continue
            score = _score(sheet, phrase)
            if best is None or score > best[0]:
                best = (score, kind, phrase)
    if best:
        score, kind, span = best
        return made(Candidate(kind, score, span, score), kind, min(TITLE, score))
    if not has_a_number:
        return None
    return Field("invoice", None, ASSUMED, "computed", signals={"label": 0.0})


def _kind_of(phrase: str) -> str | None:
    if len(phrase.split()) > _WORDS_MAX and not re.match(r"(?:[a-z] ){4}", phrase):
        return None
    for kind, pattern in _PATTERNS:
        if pattern.match(phrase):
            return kind
    return None


def _score(sheet: Sheet, phrase: Span) -> float:
    """A title is short, tall and alone."""
    height = phrase.box[3] - phrase.box[1]
    usual = sorted(line.height for line in sheet.lines)[len(sheet.lines) // 2]
    words = len(phrase.text.split())
    tall = 0.2 if height > _TALL * usual else 0.0
    return NAMED + tall + (0.1 if words <= 2 else 0.0) - 0.15 * phrase.box[1]  # noqa: PLR2004 -- a word, and an article or a number


def language(sheet: Sheet) -> Field | None:
    code = sheet.language
    return Field(code, None, 0.9, "computed", signals={"votes": 1.0}) if code else None
