"""Several invoices in one file: a person has to split them, or all but one are never paid.

Each page says which invoice it belongs to, in its head. Pages that say nothing belong to the
one before. Only a number that is labelled beyond doubt counts, on a page with a sum.
"""

from collections.abc import Sequence

from services.extractor.domain.offline.candidates import Candidate, Search, labelled
from services.extractor.domain.offline.references import RIVALS, STRONG, numbers
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Finding

SUMS = frozenset(("total", "amount_due", "subtotal"))
SUM_STRENGTH_MIN = 0.8
_CODE = "several_invoices"


def several_invoices(sheet: Sheet) -> Finding | None:
    if sheet.page_count == 1:
        return None
    ranges = _ranges(sheet)
    if len({number for number, _ in ranges}) < 2 or not all(  # noqa: PLR2004 -- several
        _has_a_sum(sheet, pages) for _, pages in ranges
    ):
        return None
    detail = "; ".join(f"{_named(pages)}: {number}" for number, pages in ranges)
    starts = tuple(pages[0] for _, pages in ranges)
    return Finding(_CODE, "block", detail, ("invoice_number", "total"), starts)


def _ranges(sheet: Sheet) -> list[tuple[str, list[int]]]:
    titles = _titles(labelled(sheet, "invoice_number", Search(numbers(sheet), RIVALS)))
    found: list[tuple[str, list[int]]] = []
    for page in range(1, sheet.page_count + 1):
        number = titles.get(page)
        if number and (not found or found[-1][0] != number):
            found.append((number, [page]))
        elif found:
            found[-1][1].append(page)
    return found


def _titles(found: Sequence[Candidate[str]]) -> dict[int, str]:
    """The topmost number of each page that is labelled beyond doubt."""
    titles: dict[int, str] = {}
    strong = [one for one in found if one.score >= STRONG]
    for one in sorted(strong, key=lambda other: (other.span.page, other.span.box[1])):
        titles.setdefault(one.span.page, one.value)
    return titles


def _has_a_sum(sheet: Sheet, pages: Sequence[int]) -> bool:
    return any(
        tag.kind in SUMS and tag.strength >= SUM_STRENGTH_MIN and sheet.amounts[at]
        for at, tags in enumerate(sheet.tags)
        if sheet.lines[at].page in pages
        for tag in tags
    )


def _named(pages: Sequence[int]) -> str:
    return f"page {pages[0]}" if len(pages) == 1 else f"pages {pages[0]}-{pages[-1]}"
