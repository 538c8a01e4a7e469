"""A drawn page, and what its table was read as: rows by their cells."""

from collections.abc import Sequence

from services.extractor.domain.offline.rules import read_invoice
from shared.pages.words import Word

Row = dict[str, str]


def rows_of(words: Sequence[Word], name: str = "lines") -> list[Row]:
    fields = read_invoice(words, max(word.page for word in words), "pdf_text").fields
    rows: dict[int, Row] = {}
    for path, field in fields.items():
        if path.startswith(f"{name}.") and field.value is not None:
            place, cell = path.removeprefix(f"{name}.").split(".", 1)
            rows.setdefault(int(place), {})[cell] = field.value
    return [rows[place] for place in sorted(rows)]


def cells(words: Sequence[Word], *names: str) -> list[tuple[str | None, ...]]:
    return [tuple(row.get(name) for name in names) for row in rows_of(words)]


CORE = ("description", "quantity", "unit_price", "net_amount")
