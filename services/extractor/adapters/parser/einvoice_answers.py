"""E-invoices on their way out of the parser's child: only what they state, not yet judged.

A long invoice states tens of thousands of values; each takes a few bytes here, where a field
with all its parts would make the answer larger than an answer may be.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from services.extractor.adapters.parser.answers import Answer
from services.extractor.domain.einvoice.documents import EInvoice, read_xml
from services.extractor.domain.einvoice.stated import Stated
from services.extractor.domain.einvoice.trees import XmlRefused
from shared.errors import Rejected
from shared.invoice.paths import kind_of
from shared.pages.outcomes import Unreadable


def read_bare(content: bytes) -> EInvoice:
    """Of a document that is XML itself."""
    try:
        return read_xml(content)
    except XmlRefused as error:
        raise Unreadable(error.reason, str(error)) from error


def told_einvoices(
    invoices: Sequence[EInvoice], refused: Sequence[tuple[str, str]], page_count: int
) -> Answer:
    return {
        "page_count": page_count,
        "invoices": [
            {
                "syntax": one.syntax,
                "profile": one.profile,
                "remarks": one.remarks,
                "stated": {path: _told(value) for path, value in one.stated.items()},
            }
            for one in invoices
        ],
        "refused": list(refused),
    }


def heard_einvoices(
    answer: Mapping[str, Any],
) -> tuple[list[EInvoice], list[tuple[str, str]], int]:
    """The child has seen the file, so its words are checked like a stranger's."""
    try:
        invoices = [_heard(one) for one in answer["invoices"]]
        refused = [(str(reason), str(detail)) for reason, detail in answer["refused"]]
        return invoices, refused, int(answer["page_count"])
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Rejected("parser_crashed", "the answer has another shape") from error


def _told(one: Stated) -> str | list[str | None]:
    return one.value if one.value is not None and one.value == one.raw else [one.value, one.raw]


def _heard(one: Mapping[str, Any]) -> EInvoice:
    return EInvoice(
        syntax=str(one["syntax"]),
        profile=str(one["profile"]),
        remarks=tuple(map(str, one["remarks"])),
        stated={path: _value(value) for path, value in one["stated"].items() if kind_of(path)},
    )


def _value(value: object) -> Stated:
    match value:
        case str():
            return Stated(value, value)
        case [None | str() as read, None | str() as raw]:
            return Stated(read, raw)
        case _:
            raise ValueError("a value is text")
