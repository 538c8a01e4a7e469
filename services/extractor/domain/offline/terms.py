"""Within how many days to pay, and what is let off for paying sooner: read out of sentences.

Every number of days is net, of a discount, or of something else (a complaint, interest on what
is late); what stands in its clause tells.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Line

NET, ABBREVIATED, DISCOUNT, TEXT = 0.85, 0.8, 0.8, 0.6
# From top to top, in heights of a line.
LINE_PITCH = 1.9
DAYS_MAX, DISCOUNT_MAX, PHRASES_MAX = 180, 20, 3
_DAYS = re.compile(
    r"(?<![\d.,/])(?P<days>\d{1,3}) ?-? ?(?:kalender|calendar |business |werk|bank)?"
    r"(?:days?|tag(?:en?)?|jours?|jrs|dias?|giorni|gg\.?|dagen|dgn|d\.)(?![a-z])"
)
_PERCENT = re.compile(r"(?<![\d.,])(?P<percent>\d{1,2}(?:[.,]\d{1,2})?) ?%")
_CLAUSES = re.compile(r"(?:[;!?]|\.(?=\s|$)|,(?=\s)|\t|(?<=\D) - )\s*")
_PAYING = re.compile(
    r"pay|paid|terms|(?<![a-z])net(?![a-z])|netto|neto|due|settle|remit|zahl|uberweis|begleich|"
    r"fallig|ohne abzug|rein|paiement|payable|payer|regl|echeance|condition|modalit|"
    r"(?<![a-z])pag[oa]|vencimiento|transferencia|plazo|bonifico|saldo|scadenza|rimessa|"
    r"d\.? ?f\.?|betal|voldoen|betaal|termijn|overmak|fin de mois|date de facture|"
    r"rechnungsdatum|invoice date|factuurdatum|data fattura|fecha factura"
)
_LETTING_OFF = re.compile(
    r"skonto|discount|escompte|sconto|descuento|dto|pronto pago|korting|reduction|abzug|"
    r"rabatt|remise|deduct"
)
_NO_TERMS = re.compile(
    r"interest|verzug|zins|penal|retard|late|overdue|mora|interess|rente|indemnit|garantie|"
    r"warranty|return|devolucion|reclam|widerruf|retour|complain|beanstand|einwand|reklam|"
    r"notice|kundig|resilia|trial|valid|gultig"
)
_NET_ALONE = re.compile(
    r"(?:^|\t|[:,] ?)(?:payment )?(?:terms:? ?)?net ?-?(?P<days>\d{1,3})(?![\d.,%])"
)
# `2/10 net 30`, as Americans write it.
_AMERICAN = re.compile(
    r"(?<![\d/])(?P<percent>\d(?:\.\d)?) ?%? ?/ ?(?P<off>\d{1,2}),? ?(?:n/|"
    r"net ?)(?P<days>\d{1,3})"
)


@dataclass(frozen=True, slots=True)
class Clause:
    line: Line
    at: int
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.line.folded[self.start : self.end]


def terms(sheet: Sheet) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    for at, line in enumerate(sheet.lines):
        found = dict(_american(at, line) or _in_line(at, line, _before(sheet, at)))
        if not found:
            continue
        if "payment.net_days" in found and "payment.terms_text" not in fields:
            text = line.text.replace("\t", " ").strip()
            whole = Candidate(text, TEXT, line.span(0, len(line.text)), TEXT, at)
            fields["payment.terms_text"] = made(whole, text, TEXT)
        fields = {**found, **fields}
    return fields


def _american(at: int, line: Line) -> list[tuple[str, Field]]:
    match = _AMERICAN.search(line.folded)
    if match is None:
        return []
    groups = (("discount.percent", "percent"), ("discount.days", "off"), ("net_days", "days"))
    return [
        (f"payment.{path}", _field(at, line, match.span(group), match[group], DISCOUNT))
        for path, group in groups
    ]


def _before(sheet: Sheet, at: int) -> str:
    """The line above: a sentence may begin there."""
    line, above = sheet.lines[at], sheet.lines[at - 1] if at else None
    if above is None or above.page != line.page:
        return ""
    return above.folded if line.top - above.top < LINE_PITCH * line.height else ""


def _in_line(at: int, line: Line, before: str) -> Iterator[tuple[str, Field]]:
    context = f"{before} {line.folded}"
    alone = _NET_ALONE.search(line.folded)
    if alone:
        place = alone.span("days")
        yield "payment.net_days", _field(at, line, place, alone["days"], ABBREVIATED)
    paying = _PAYING.search(context) or _LETTING_OFF.search(context)
    # A row of a table is about days that were worked.
    if paying and _DAYS.search(line.folded) and len(line.phrases) <= PHRASES_MAX:
        for clause in _clauses(at, line):
            yield from _in_clause(clause, context)


def _clauses(at: int, line: Line) -> Iterator[Clause]:
    start = 0
    for end in [*(match.end() for match in _CLAUSES.finditer(line.folded)), len(line.folded)]:
        if end > start:
            yield Clause(line, at, start, end)
        start = end


def _in_clause(clause: Clause, context: str) -> Iterator[tuple[str, Field]]:
    days = list(_DAYS.finditer(clause.text))
    percent = _PERCENT.search(clause.text)
    if not days or _NO_TERMS.search(clause.text):
        return
    if percent and _LETTING_OFF.search(clause.text) and _is_small(percent["percent"]):
        off, *others = sorted(days, key=lambda one: abs(one.start() - percent.start()))
        yield "payment.discount.percent", _of(clause, percent, "percent", DISCOUNT)
        yield "payment.discount.days", _of(clause, off, "days", DISCOUNT)
        days = others
    for one in days[:1]:
        about = _PAYING.search(clause.text) or (not percent and _PAYING.search(context))
        if about and int(one["days"]) <= DAYS_MAX:
            yield "payment.net_days", _of(clause, one, "days", NET)


def _is_small(text: str) -> bool:
    return Decimal(text.replace(",", ".")) <= DISCOUNT_MAX


def _of(clause: Clause, match: re.Match[str], group: str, sure: float) -> Field:
    start, end = (clause.start + place for place in match.span(group))
    return _field(clause.at, clause.line, (start, end), match[group], sure)


def _field(at: int, line: Line, place: tuple[int, int], text: str, sure: float) -> Field:
    value = f"{Decimal(text.replace(',', '.')).normalize():f}"
    best = Candidate(value, sure, line.span(*place), sure, at)
    return made(best, value, sure)
