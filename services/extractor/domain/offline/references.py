"""The numbers that name documents and customers: of the invoice, the order, the account.

They look alike, so only their labels tell them apart; what is a date, an amount or an IBAN is
none of them.
"""

import re
from collections.abc import Iterator, Sequence

from services.extractor.domain.offline.candidates import Candidate, Search, labelled, weighed
from services.extractor.domain.offline.fields import chosen, made
from services.extractor.domain.offline.sheet import Hit, Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Line

_NUMBER = re.compile(
    r"(?<![\w,/@-])(?<!\d\.)(?=[\w./-]{0,36}\d)[A-Za-z0-9](?:[\w./-]{0,34}\w)?(?![\w%@]|[.:]\d)"
)
# `INV 2024-7`: capitals before the digits belong to them, right behind a label at least.
_PREFIXED = re.compile(r"(?<![\w./-])[A-Z]{1,4} (?=[\d])[\w./-]{3,34}\w(?![\w%@])")
_NO_NUMBER = re.compile(
    r"[A-Z]{2}\d{2}[A-Z0-9]{11,30}|\d{17,}|[\d.,]*[.,]\d{2}|\d{1,2}|.*\.(?:com|de|fr|nl|it|es|net|org)|"
    r"\d+(?:x|st|nd|rd|th|kg|pcs|stk|h|mm|cm)|\d{1,2}h\d{2}"
)
_CODE_IN_BRACKETS = re.compile(r"\(\d{1,4}\)")
_DIGITS_ONLY_SHORT = re.compile(r"\d{1,3}|(?:19|20)\d\d")
RIVALS = frozenset(
    (
        *("invoice_number", "number", "purchase_order", "customer_number", "sales_order"),
        *(
            "delivery_note",
            "contract_ref",
            "project_ref",
            "buyer_reference",
            "preceding_invoice",
        ),
        *(
            "payment_reference",
            "vat_id",
            "tax_number",
            "legal_id",
            "other_number",
            "account",
            "iban",
            "bic",
        ),
        *("issue_date", "due_date", "delivery_date", "other_date", "service_period", "bank"),
    )
)
STRONG = 0.9
# Where several are labelled alike, what only a heading says is the weaker evidence.
SHORT_FACTOR = 0.75
OTHERS = (
    *("purchase_order", "customer_number", "sales_order", "delivery_note", "contract_ref"),
    *("project_ref", "buyer_reference"),
)
OTHER_MIN = 0.8
# Lines around an account that tell whose it is.
BANK_LINES = 2
_OF_A_BANK = frozenset(("iban", "bic", "bank", "holder"))
# In widths of the page.
BEHIND, PRECEDING = 0.12, 0.8


def references(sheet: Sheet) -> dict[str, Field]:
    search = Search(numbers(sheet), RIVALS)
    fields = {"invoice_number": chosen(_invoice_numbers(sheet, search))}
    taken = fields["invoice_number"].value
    for kind in OTHERS:
        found = [one for one in labelled(sheet, kind, search) if one.value != taken]
        if found and found[0].score >= OTHER_MIN:
            fields[kind] = chosen(found)
    if "customer_number" not in fields:
        found = [one for one in _accounts(sheet, search) if one.value != taken]
        fields.update({"customer_number": chosen(found)} if found else {})
    return {**fields, **dict(_preceding(sheet, search, taken))}


def _accounts(sheet: Sheet, search: Search[str]) -> Iterator[Candidate[str]]:
    """`Account no.` is the customer's unless a bank is near."""
    for one in labelled(sheet, "account", search):
        near = sheet.tags[max(0, one.at - BANK_LINES) : one.at + BANK_LINES + 1]
        if not any(tag.kind in _OF_A_BANK for tags in near for tag in tags):
            yield one


def _preceding(
    sheet: Sheet, search: Search[str], taken: str | None
) -> Iterator[tuple[str, Field]]:
    """The invoice that a credit note is about, and its date behind it."""
    found = [one for one in labelled(sheet, "preceding_invoice", search) if one.value != taken]
    if not found:
        return
    best = max(found, key=lambda one: one.score)
    yield "preceding_invoices.0.number", chosen(found)
    for hit in sheet.dates[best.at]:
        span = sheet.span(best.at, hit)
        if 0 <= span.box[0] - best.span.box[2] < BEHIND:
            day = Candidate(hit.value, PRECEDING, span, best.label, best.at)
            yield "preceding_invoices.0.date", made(day, hit.value.isoformat(), PRECEDING)
            return


def payment_reference(sheet: Sheet) -> Field | None:
    found = labelled(sheet, "payment_reference", Search(numbers(sheet), RIVALS))
    strong = [one for one in found if one.score >= OTHER_MIN]
    return chosen(strong) if strong else None


def numbers(sheet: Sheet) -> Sequence[Sequence[Hit[str]]]:
    """Looked for once: several rules ask for them."""
    if sheet.numbers is None:
        lines = enumerate(sheet.lines)
        sheet.numbers = [list(_numbers_in(sheet, at, line)) for at, line in lines]
    return sheet.numbers


def _numbers_in(sheet: Sheet, at: int, line: Line) -> Iterator[Hit[str]]:
    taken = [(one.start, one.end) for one in sheet.dates[at]]
    taken += [(one.start, one.end) for one in sheet.amounts[at] if one.value.symbol]
    taken += [match.span() for match in _CODE_IN_BRACKETS.finditer(line.text)]
    found = [*_PREFIXED.finditer(line.text), *_NUMBER.finditer(line.text)]
    for match in sorted(found, key=lambda one: one.start()):
        inside = any(start < match.end() and match.start() < end for start, end in taken)
        if not inside and not _NO_NUMBER.fullmatch(match[0]):
            yield Hit(match[0], match.start(), match.end())


def _invoice_numbers(sheet: Sheet, search: Search[str]) -> list[Candidate[str]]:
    found = labelled(sheet, "invoice_number", search)
    found += labelled(sheet, "number", search)
    return sorted((_judged(one) for one in found), key=lambda one: -one.score)


def _judged(one: Candidate[str]) -> Candidate[str]:
    factor = SHORT_FACTOR if _DIGITS_ONLY_SHORT.fullmatch(one.value) else 1.0
    if one.span.page > 1:
        factor *= 0.97
    return weighed(one, factor)
