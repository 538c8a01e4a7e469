"""From lines to the fields of an invoice, for issuers never seen before.

Each field says how sure it is, and never more than its evidence allows: a weak label, a
contradiction or a second reading lowers it, so that a person looks where a person is needed.
"""

from collections.abc import Mapping, Sequence

from services.extractor.domain.offline.credits import normalised
from services.extractor.domain.offline.currencies import currency
from services.extractor.domain.offline.days import days
from services.extractor.domain.offline.fields import sourced
from services.extractor.domain.offline.identifiers import accounts, tax_number, vat_ids
from services.extractor.domain.offline.kinds import document_type, language
from services.extractor.domain.offline.line_items import line_items
from services.extractor.domain.offline.parties import parties
from services.extractor.domain.offline.references import payment_reference, references
from services.extractor.domain.offline.several import several_invoices
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.offline.sums import sums
from services.extractor.domain.offline.taxes import taxes
from services.extractor.domain.offline.totals import totals
from services.extractor.domain.reading import Field, Reading, Source
from services.extractor.domain.words import Word, lines_of

ENGINE = "offline"


def read_invoice(words: Sequence[Word], page_count: int, source: Source) -> Reading:
    sheet = Sheet(lines_of(words), page_count)
    header = _header(sheet)
    items = line_items(sheet.lines, header)
    breakdown = taxes(sheet.lines, header, items.rows)
    fields = sourced(normalised({**items.fields, **breakdown, **header}), source)
    several = several_invoices(sheet)
    return Reading(
        ENGINE,
        page_count,
        fields,
        findings=(*((several,) if several else ()), *items.findings),
        words=tuple(words),
    )


def _header(sheet: Sheet) -> Mapping[str, Field]:
    money = totals(sheet)
    fields = {
        **parties(sheet),
        **references(sheet),
        **days(sheet),
        "currency": currency(sheet),
        **money,
        **sums(sheet, money["total"]),
        **vat_ids(sheet),
        **accounts(sheet),
    }
    optional = {
        "document.type": document_type(
            sheet, has_a_number=fields["invoice_number"].value is not None
        ),
        "document.language": language(sheet),
        "seller.tax_number": tax_number(sheet),
        "payment.reference": payment_reference(sheet),
    }
    return {**fields, **{path: one for path, one in optional.items() if one}}
