"""From what the e-invoices of one document state to a reading of it.

Usually there is one. The same invoice in two syntaxes is one invoice; two that differ are never
settled here: the first is shown, with the other beside it, and a person has to look.
"""

from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from services.extractor.domain.einvoice.documents import EInvoice
from services.extractor.domain.einvoice.stated import Stated
from services.extractor.domain.reading import Alternative, Field, Finding, Reading, Status
from shared.invoice.paths import kind_of

ENGINE = "einvoice"
# Raise it with every change of what is read, or old answers live on.
READER_VERSION = "1"
# What the issuer's own program states about its own invoice.
CONFIDENCE = 0.995
# Of a value about which two invoices in one document disagree.
DISPUTED = 0.4
PATHS_SHOWN = 20

_COMPARED_TEXTS = frozenset({"invoice_number", "seller.name", "buyer.name"})


def reading_of(
    invoices: Sequence[EInvoice], page_count: int, findings: Sequence[Finding] = ()
) -> Reading:
    """Without an invoice it holds the findings only, and no field."""
    versions = {ENGINE: READER_VERSION}
    if not invoices:
        return Reading(ENGINE, page_count, findings=tuple(findings), versions=versions)
    shown = invoices[0]
    others = [one for one in invoices[1:] if any(_differences(shown, one))]
    if not others:
        # Of the same invoice, the one that says most.
        shown = max(invoices, key=lambda one: len(one.stated))
    fields = {path: _field(one) for path, one in shown.stated.items()}
    for other in others:
        for path in _differences(shown, other):
            fields[path] = _disputed(fields[path], other.stated[path])
    said = (*findings, *_several(shown, others), *_remarks(shown), *_unclear(shown))
    versions |= {"syntax": shown.syntax, "profile": shown.profile}
    return Reading(ENGINE, page_count, fields, said, versions=versions)


def _field(one: Stated) -> Field:
    if one.value is None:
        return Field(None, one.raw, source="einvoice_xml")
    status: Status = "computed" if one.raw is None else "extracted"
    return Field(one.value, one.raw, CONFIDENCE, status, source="einvoice_xml")


def _disputed(shown: Field, other: Stated) -> Field:
    others = list(shown.alternatives)
    if other.value is not None and other.value not in {one.value for one in others}:
        others.append(Alternative(other.value, other.raw, "einvoice_xml", DISPUTED))
    return Field(
        shown.value,
        shown.raw,
        min(shown.confidence, DISPUTED),
        shown.status,
        source=shown.source,
        alternatives=tuple(others[:3]),
    )


def _differences(one: EInvoice, other: EInvoice) -> Iterator[str]:
    """Where both say something and not the same. A small profile says less than a large one."""
    for path, stated in one.stated.items():
        against = other.stated.get(path)
        if (
            against is not None
            and _is_compared(path)
            and _key(path, stated) != _key(path, against)
        ):
            yield path


def _is_compared(path: str) -> bool:
    if path.startswith("document."):
        return path == "document.type"
    # Two profiles may list lines and charges in more or less detail; their sums are compared.
    if path.startswith(("lines.", "allowances.", "taxes.", "notes.")):
        return False
    return path in _COMPARED_TEXTS or kind_of(path) in ("money", "date", "code")


def _key(path: str, stated: Stated) -> str | Decimal | None:
    if stated.value is not None and kind_of(path) == "money":
        return Decimal(stated.value)
    return " ".join((stated.value or "").casefold().split())


def _several(shown: EInvoice, others: Sequence[EInvoice]) -> Iterator[Finding]:
    if others:
        paths = {path: None for other in others for path in _differences(shown, other)}
        detail = f"{1 + len(others)} different e-invoices are in one document"
        yield Finding("several_einvoices", "block", detail, tuple(paths)[:PATHS_SHOWN])


def _remarks(shown: EInvoice) -> Iterator[Finding]:
    if "turned" in shown.remarks:
        detail = "The credit note states negative amounts; they are shown positive."
        yield Finding("einvoice_amounts_turned", "info", detail)
    if "cut" in shown.remarks:
        detail = "The e-invoice states more than is read: lines are missing at its end."
        yield Finding("einvoice_cut", "block", detail)


def _unclear(shown: EInvoice) -> Iterator[Finding]:
    paths = [path for path, one in shown.stated.items() if one.value is None]
    if paths:
        detail = f"{len(paths)} values have another form than they should"
        yield Finding("einvoice_value_unclear", "warn", detail, tuple(paths)[:PATHS_SHOWN])


def unreadable_findings(refused: Iterable[tuple[str, str]]) -> tuple[Finding, ...]:
    """About those that are there and cannot be read: the reason of each, and its detail."""
    return tuple(
        Finding("einvoice_unreadable", "warn", f"{reason}: {detail}"[:300])
        for reason, detail in refused
    )
