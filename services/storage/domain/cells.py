"""What stands in a cell: text that no spreadsheet runs, and numbers that stay numbers.

A document may say anything, also `=HYPERLINK(…)`: as text of a CSV such a cell gets an
apostrophe in front, by which spreadsheets know text. Amounts are numbers and never get one,
so a negative total stays a number. Some spreadsheets divide a line where we do not, so what
would begin a cell there gets one too.
"""

import re
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal

Cell = str | int | float | Decimal | date | datetime | bool | None

# Also in the full width that some keyboards write and some spreadsheets take for the same.
_STARTS = frozenset("=+-@\t\r\n\x00＝＋－＠")  # noqa: RUF001 -- these are meant
# Shown as nothing, so what follows is what a spreadsheet sees first.
_UNSEEN = "\ufeff\u200b\u200c\u200d\u2060"
# Behind these others see a further cell or line, whether or not the text is in quotes; a quote
# that such a cell begins with is not part of it.
_INSIDE = re.compile(f'(?<=[;\t\r\n])(?=["\x00{_UNSEEN}]*[-=+@＝＋－＠])')  # noqa: RUF001 -- meant
_TO_QUOTE = re.compile('[",;\t\r\n]')


def csv_cell(cell: Cell) -> str:
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case str():
            return safe_text(cell)
        case datetime() | date():
            return cell.isoformat()
        case Decimal():
            return f"{cell:f}"
        case _:
            return str(cell)


def safe_text(text: str) -> str:
    first = text.lstrip(_UNSEEN)[:1]
    # No reader of a CSV takes a NUL.
    guarded = _INSIDE.sub("'", text).replace("\x00", "\ufffd")
    return ("'" if first in _STARTS and first else "") + guarded


def csv_line(cells: Iterable[Cell]) -> str:
    """RFC 4180. In quotes is also what others divide at."""
    return ",".join(map(_quoted, map(csv_cell, cells))) + "\r\n"


def _quoted(text: str) -> str:
    if not _TO_QUOTE.search(text):
        return text
    return '"' + text.replace('"', '""') + '"'
