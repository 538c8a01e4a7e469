"""From lines to the fields of an invoice, for issuers never seen before.

Each field says how sure it is, and never more than its evidence allows: a weak label, a
contradiction or a second reading lowers it, so that a person looks where a person is needed.
"""

from collections.abc import Sequence

from services.extractor.domain.offline.credits import normalised
from services.extractor.domain.offline.fields import sourced
from services.extractor.domain.offline.header import header_of
from services.extractor.domain.offline.line_items import line_items
from services.extractor.domain.offline.several import several_invoices
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.offline.taxes import taxes
from services.extractor.domain.reading import Reading, Source
from services.extractor.domain.words import lines_of
from shared.pages.words import Word

ENGINE = "offline"


def read_invoice(words: Sequence[Word], page_count: int, source: Source) -> Reading:
    sheet = Sheet(lines_of(words), page_count)
    header = header_of(sheet)
    items = line_items(sheet.lines, header)
    breakdown = taxes(sheet.lines, header, items)
    fields = sourced(normalised({**items.fields, **breakdown, **header}), source)
    several = several_invoices(sheet)
    return Reading(
        ENGINE,
        page_count,
        fields,
        findings=(*((several,) if several else ()), *items.findings),
        words=tuple(words),
    )
