"""An e-invoice says one thing to machines and shows another to people: is it the same?

A value of the XML that is printed gets its place on the page as evidence. One that is not,
where the page says something else, is the blocker `xml_differs_from_page`: whoever pays by
the page and whoever books by the XML would do different things.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from services.extractor.domain.reading import (
    MISSING,
    Alternative,
    Field,
    Finding,
    Reading,
)
from services.extractor.domain.trust.printed import Printed
from services.extractor.domain.trust.sameness import DIFFERENT, agreement
from shared.invoice.paths import kind_of

DIFFERS = "xml_differs_from_page"
CHECKED = (
    "invoice_number",
    "issue_date",
    "subtotal",
    "tax_total",
    "total",
    "amount_due",
    "seller.vat_id",
    "payment.accounts.0.iban",
)
# What the page says is only held against the XML when it is read with some certainty.
SURE_ENOUGH = 0.6


def checked_against_page(xml: Reading, page: Reading) -> Reading:
    printed = Printed.on(page.words)
    fields = {path: _placed(path, one, printed) for path, one in xml.fields.items()}
    differing = dict(_differing(fields, page.fields))
    for path, seen in differing.items():
        fields[path] = _doubted(fields[path], seen)
    findings = (*xml.findings, *page.findings, *_findings(fields, differing))
    return replace(
        xml,
        fields=fields,
        findings=tuple(dict.fromkeys(findings)),
        page_count=page.page_count,
        pages=page.pages,
        words=page.words,
        versions={**page.versions, **xml.versions},
    )


def _placed(path: str, one: Field, printed: Printed) -> Field:
    span = printed.find(kind_of(path), one.value) if one.value else None
    if span is None:
        return one
    return replace(one, evidence=(span,), signals={**one.signals, "grounded": 1.0})


def _differing(
    fields: Mapping[str, Field], page: Mapping[str, Field]
) -> Iterator[tuple[str, Field]]:
    for path in CHECKED:
        stated, seen = fields.get(path, MISSING), page.get(path, MISSING)
        if stated.value is None or seen.value is None or stated.evidence:
            continue
        differs = agreement(kind_of(path), stated.value, seen.value) == DIFFERENT
        if differs and seen.confidence >= SURE_ENOUGH:
            yield path, seen


def _doubted(stated: Field, seen: Field) -> Field:
    assert seen.value is not None and seen.source is not None  # noqa: S101 -- it differs
    other = Alternative(seen.value, seen.raw, seen.source, seen.confidence)
    return replace(
        stated,
        evidence=seen.evidence,
        alternatives=(other, *stated.alternatives)[:3],
        signals={**stated.signals, "agree": 0.0},
    )


def _findings(fields: Mapping[str, Field], differing: Mapping[str, Field]) -> Iterator[Finding]:
    for path, seen in differing.items():
        pages = tuple(sorted({span.page for span in seen.evidence}))
        detail = f"{path} is {fields[path].value} in the XML, and {seen.value} on the page"
        yield Finding(DIFFERS, "block", detail, (path,), pages)
