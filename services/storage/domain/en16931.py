"""The core rules of EN 16931, on an invoice that is to leave as UBL.

By their official ids, as far as the invoice can break them: what a person approved may still
lack what the standard asks for. They are told all at once, so that nobody mends one after the
other. The rules of the tax categories and of code lists stand apart, for they have tables.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from services.storage.domain.code_rules import COUNTRIES, code_rules
from services.storage.domain.invoice import Invoice
from services.storage.domain.tax_rules import tax_rules

CENT = Decimal("0.01")
# The official test of a tax allows less than one unit of the currency.
TAX_OFF_MAX = Decimal(1)
TRANSFERS = frozenset({"30", "58"})
# Greece is another one where its taxes are.
VAT_PREFIXES = COUNTRIES | {"EL"}


@dataclass(frozen=True, slots=True)
class Broken:
    """A rule that does not hold, and where: a path of the result."""

    rule: str
    says: str
    at: str = ""


Rules = Iterator[Broken]


def broken_rules(invoice: Invoice) -> list[Broken]:
    found: dict[tuple[str, str], Broken] = {}
    for group in GROUPS:
        for one in group(invoice):
            found.setdefault((one.rule, one.at), one)
    return list(found.values())


def _missing(invoice: Invoice) -> Rules:
    totals, seller, buyer = invoice.totals, invoice.seller, invoice.buyer
    wanted = (
        ("BR-02", "an invoice number", "invoice_number", invoice.text("invoice_number")),
        ("BR-03", "a date of issue", "issue_date", invoice.issued),
        ("BR-04", "a type code", "document.type_code", invoice.type_code),
        ("BR-05", "a currency", "currency", invoice.currency),
        ("BR-06", "the seller's name", "seller.name", seller.name),
        ("BR-07", "the buyer's name", "buyer.name", buyer.name),
        ("BR-09", "the seller's country", "seller.address.country", seller.country),
        ("BR-11", "the buyer's country", "buyer.address.country", buyer.country),
        ("BR-12", "the total of the lines", "lines_total", totals.lines),
        ("BR-13", "the total without tax", "subtotal", totals.net),
        ("BR-14", "the total with tax", "total", totals.gross),
        ("BR-15", "the amount due", "amount_due", totals.due),
        ("BR-16", "a line", "lines", invoice.lines or None),
        ("BR-CO-18", "a breakdown of the tax", "taxes", invoice.taxes or None),
        (
            "BR-CO-26",
            "a number that identifies the seller",
            "seller.vat_id",
            seller.vat_id or seller.legal_id,
        ),
    )
    for rule, what, at, value in wanted:
        if value is None:
            yield Broken(rule, f"The invoice lacks {what}.", at)


def _parties(invoice: Invoice) -> Rules:
    representative, payee = invoice.parties["tax_representative"], invoice.parties["payee"]
    ship_to, acts = invoice.parties["ship_to"], representative.is_there
    wanted = (
        ("BR-18", acts, representative.name, "tax_representative", "name"),
        ("BR-19", acts, representative.has_address, "tax_representative", "postal address"),
        (
            "BR-20",
            representative.has_address,
            representative.country,
            "tax_representative",
            "country",
        ),
        ("BR-56", acts, representative.vat_id, "tax_representative", "VAT id"),
        ("BR-57", ship_to.has_address, ship_to.country, "ship_to", "country"),
        ("BR-17", payee.legal_id, payee.name, "payee", "name"),
    )
    for rule, is_there, needed, role, what in wanted:
        if is_there and not needed:
            yield Broken(rule, f"The party is there and has no {what}.", role)
    for role in ("seller", "buyer", "tax_representative"):
        number = invoice.parties[role].vat_id
        if number and number[:2] not in VAT_PREFIXES:
            says = "The VAT id does not begin with a country."
            yield Broken("BR-CO-09", says, f"{role}.vat_id")


def _dates(invoice: Invoice) -> Rules:
    spans = [("BR-29", "service_period")]
    spans += [("BR-30", f"lines.{place}.period") for place in invoice.members("lines")]
    for rule, at in spans:
        starts, ends = invoice.date(f"{at}.start"), invoice.date(f"{at}.end")
        if starts and ends and ends < starts:
            yield Broken(rule, "The period ends before it begins.", at)
    due = invoice.totals.due
    terms = invoice.due or invoice.text("payment.terms_text")
    # The official test asks invoices only: who gives money back sets nobody a date.
    asks = due is not None and due > 0 and not invoice.is_credit_note
    if asks and not terms:
        says = "There is an amount due and neither a date nor terms of payment."
        yield Broken("BR-CO-25", says, "due_date")
    for place in invoice.members("preceding_invoices"):
        at = f"preceding_invoices.{place}.number"
        if not invoice.text(at):
            yield Broken("BR-55", "A preceding invoice has no number.", at)


def _payment(invoice: Invoice) -> Rules:
    if invoice.means_code in TRANSFERS and not invoice.accounts:
        yield Broken("BR-61", "A transfer is asked for, and to no account.", "payment.accounts")
    foreign = invoice.text("accounting_currency")
    if foreign and foreign != invoice.currency and invoice.totals.tax_accounting is None:
        says = f"There is no total of the tax in {foreign}."
        yield Broken("BR-53", says, "tax_total_accounting")


def _lines(invoice: Invoice) -> Rules:
    for place, line in zip(invoice.members("lines"), invoice.lines, strict=True):
        at = f"lines.{place}"
        wanted = (
            ("BR-22", "quantity", "quantity", line.quantity),
            ("BR-24", "net amount", "net_amount", line.net),
            ("BR-25", "name of what was sold", "description", line.description),
            ("BR-26", "price", "unit_price", line.price),
            ("BR-CO-04", "tax category", "tax_category", line.category),
        )
        for rule, what, path, value in wanted:
            if value is None:
                yield Broken(rule, f"The line has no {what}.", f"{at}.{path}")
        if line.price is not None and line.price < 0:
            yield Broken("BR-27", "The price is negative.", f"{at}.unit_price")


def _changes(invoice: Invoice) -> Rules:
    for place, one in enumerate(invoice.changes):
        at, kind = f"allowances.{place}", "charge" if one.is_charge else "allowance"
        rules = ("BR-36", "BR-37", "BR-38") if one.is_charge else ("BR-31", "BR-32", "BR-33")
        wanted = (
            ("amount", one.amount),
            ("tax category", one.category),
            ("reason", one.reason),
        )
        for rule, (what, value) in zip(rules, wanted, strict=True):
            if value is None:
                yield Broken(rule, f"The {kind} has no {what}.", f"{at}.{what.split()[0]}")


def _taxes(invoice: Invoice) -> Rules:
    for place, tax in enumerate(invoice.taxes):
        at = f"taxes.{place}"
        wanted = (
            ("BR-45", "base", tax.base),
            ("BR-46", "amount", tax.amount),
            ("BR-47", "category", tax.category),
            ("BR-48", "rate", Decimal(0) if tax.category == "O" else tax.rate),
        )
        for rule, what, value in wanted:
            if value is None:
                yield Broken(rule, f"The tax has no {what}.", f"{at}.{what}")
        if tax.base is None or tax.amount is None:
            continue
        owed = tax.base * (tax.rate or 0) / 100
        if abs(owed.quantize(CENT, ROUND_HALF_UP) - tax.amount) >= TAX_OFF_MAX:
            says = f"{tax.rate} percent of {tax.base} is not {tax.amount}."
            yield Broken("BR-CO-17", says, f"{at}.amount")


def _sums(invoice: Invoice) -> Rules:
    totals = invoice.totals
    allowances = [one.amount for one in invoice.changes if not one.is_charge]
    charges = [one.amount for one in invoice.changes if one.is_charge]
    sums: tuple[tuple[str, str, list[Decimal | None], Decimal | None], ...] = (
        ("BR-CO-10", "lines_total", [one.net for one in invoice.lines], totals.lines),
        ("BR-CO-11", "allowances_total", allowances, totals.allowances or Decimal(0)),
        ("BR-CO-12", "charges_total", charges, totals.charges or Decimal(0)),
        (
            "BR-CO-13",
            "subtotal",
            [totals.lines, _negative(totals.allowances), totals.charges or Decimal(0)],
            totals.net,
        ),
        ("BR-CO-14", "tax_total", [one.amount for one in invoice.taxes], totals.tax),
        ("BR-CO-15", "total", [totals.net, totals.tax], totals.gross),
        (
            "BR-CO-16",
            "amount_due",
            [totals.gross, _negative(totals.prepaid), totals.rounding or Decimal(0)],
            totals.due,
        ),
    )
    for rule, at, parts, stated in sums:
        known = [one for one in parts if one is not None]
        # What is missing has a rule of its own.
        if stated is None or len(known) < len(parts):
            continue
        if (added := sum(known, Decimal(0))) != stated:
            yield Broken(rule, f"It adds up to {added:f} and is stated as {stated:f}.", at)


def _decimals(invoice: Invoice) -> Rules:
    totals = invoice.totals
    amounts = [
        ("BR-DEC-09", "lines_total", totals.lines),
        ("BR-DEC-10", "allowances_total", totals.allowances),
        ("BR-DEC-11", "charges_total", totals.charges),
        ("BR-DEC-12", "subtotal", totals.net),
        ("BR-DEC-13", "tax_total", totals.tax),
        ("BR-DEC-14", "total", totals.gross),
        ("BR-DEC-15", "tax_total_accounting", totals.tax_accounting),
        ("BR-DEC-16", "prepaid", totals.prepaid),
        ("BR-DEC-17", "rounding", totals.rounding),
        ("BR-DEC-18", "amount_due", totals.due),
    ]
    for place, tax in enumerate(invoice.taxes):
        amounts.append(("BR-DEC-19", f"taxes.{place}.base", tax.base))
        amounts.append(("BR-DEC-20", f"taxes.{place}.amount", tax.amount))
    for place, line in enumerate(invoice.lines):
        amounts.append(("BR-DEC-23", f"lines.{place}.net_amount", line.net))
        amounts.append(("BR-DEC-24", f"lines.{place}.discount.amount", line.discount))
    for place, change in enumerate(invoice.changes):
        rule = "BR-DEC-05" if change.is_charge else "BR-DEC-01"
        amounts.append((rule, f"allowances.{place}.amount", change.amount))
    for rule, at, amount in amounts:
        if amount is not None and amount != amount.quantize(CENT):
            yield Broken(rule, "An amount has at most two decimals.", at)


def _categories(invoice: Invoice) -> Rules:
    for rule, says, at in tax_rules(invoice):
        yield Broken(rule, says, at)


def _codes(invoice: Invoice) -> Rules:
    for rule, says, at in code_rules(invoice):
        yield Broken(rule, says, at)


def _negative(amount: Decimal | None) -> Decimal:
    return -(amount or Decimal(0))


GROUPS: tuple[Callable[[Invoice], Rules], ...] = (
    _missing,
    _parties,
    _dates,
    _payment,
    _lines,
    _changes,
    _taxes,
    _sums,
    _decimals,
    _categories,
    _codes,
)
