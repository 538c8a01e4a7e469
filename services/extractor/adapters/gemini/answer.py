"""From the model's answer to a reading with canonical paths, value by value.

The answer is data from outside, like the document it was made of: a value that has not the form
of its kind is not one, a path that no invoice has is dropped, and characters that nobody sees
are taken out. What the model thinks of itself is a signal among others and no confidence.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation

from pydantic import ValidationError

from services.extractor.adapters.gemini.schema import (
    FIELDS_MAX,
    INSTRUCTIONS_MAX,
    LINES_MAX,
    TEXT_CHARS_MAX,
    CitedField,
    CitedLine,
    GeminiInvoiceSchema,
)
from services.extractor.domain.grounding import printed_in
from services.extractor.domain.reading import Alternative, Field, Finding, Reading, Source
from shared.invoice.paths import Kind, kind_of
from shared.strict_json import NotJson, read_json

ENGINE = "gemini"
SOURCE: Source = "gemini"
ANSWER_CHARS_MAX = 2_000_000
# What one reader alone is believed before anybody checked: the cap of an ungrounded field.
UNCHECKED = 0.6
SELF: Mapping[str, float] = {"high": 0.9, "medium": 0.6, "low": 0.3}
ALTERNATIVES_MAX = 3
PLACES_MAX = 99
LOWER_CASE = frozenset({"document.type", "document.language"})
TRUTH = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false"}
_DIGITS_MAX = 24
_PLACE = re.compile(r"\.(\d+)\.")
_PLAIN = re.compile(r"[-+−]?\d+(?:\.\d+)?")
_GROUPED = re.compile(r"[-+−]?\d{1,3}(?:[,' ]\d{3})+(?:\.\d+)?|[-+−]?\d+(?:,\d{1,2})")
# By the name of the schema, the path behind `lines.N.`.
_CELLS = {
    "position": "position",
    "code": "code",
    "description": "description",
    "quantity": "quantity",
    "unit": "unit",
    "unit_price": "unit_price",
    "discount_percent": "discount.percent",
    "discount_amount": "discount.amount",
    "tax_rate": "tax_rate",
    "tax_amount": "tax_amount",
    "net_amount": "net_amount",
}


def understood(text: str) -> GeminiInvoiceSchema | None:
    """None for what is not what was asked for."""
    if len(text) > ANSWER_CHARS_MAX:
        return None
    try:
        # A document may have talked it into saying something twice, for two readers.
        read_json(text)
        return GeminiInvoiceSchema.model_validate_json(text)
    except (NotJson, ValidationError):
        return None


def reading_of(answer: GeminiInvoiceSchema, page_count: int) -> Reading:
    """Without evidence: where a quote stands is for `domain/grounding.py` to say."""
    fields = _header(answer)
    for place, line in enumerate(answer.lines[:LINES_MAX]):
        fields.update(_cells(line, f"lines.{place}"))
    return Reading(ENGINE, page_count, fields, findings=tuple(_findings(answer)))


def _header(answer: GeminiInvoiceSchema) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for cited in answer.fields[:FIELDS_MAX]:
        path = cited.path.strip()
        kind = _wanted(path)
        if kind is None:
            continue
        field = _field(path, kind, cited)
        if field is not None:
            found[path] = _beside(found[path], field) if path in found else field
    return found


def _wanted(path: str) -> Kind | None:
    """Rows come by themselves; a list that never ends is a model in a loop."""
    place = _PLACE.search(path)
    if path.startswith("lines.") or (place and int(place[1][:4]) > PLACES_MAX):
        return None
    return kind_of(path)


def _field(path: str, kind: Kind, cited: CitedField) -> Field | None:
    raw, value = cleaned(cited.quote), canonical(path, kind, cited.value)
    if value is None and not raw:
        return None
    signals = {"self": SELF[cited.certainty]}
    if value is None:
        # Seen and not understood: a person gets the quote, and nothing is claimed.
        return Field(None, raw, 0.0, "missing", source=SOURCE, signals=signals)
    return Field(value, raw or None, UNCHECKED, "extracted", source=SOURCE, signals=signals)


def _beside(first: Field, second: Field) -> Field:
    """Named twice: the first stays, and a different one is for a person to pick."""
    if second.value is None or second.value == first.value:
        return first
    if first.value is None:
        return second
    others = (
        *first.alternatives,
        Alternative(second.value, second.raw, SOURCE, second.confidence / 2),
    )
    return replace(first, alternatives=others[:ALTERNATIVES_MAX])


def _cells(line: CitedLine, row: str) -> Iterator[tuple[str, Field]]:
    quote = cleaned(line.quote)
    for name, path in _CELLS.items():
        kind = kind_of(f"{row}.{path}")
        value = canonical(path, kind, getattr(line, name)) if kind else None
        if value is not None:
            raw = printed_in(quote, value, number=kind in ("money", "number"))
            yield f"{row}.{path}", Field(value, raw, UNCHECKED, "extracted", source=SOURCE)


def _findings(answer: GeminiInvoiceSchema) -> Iterator[Finding]:
    count = cleaned(answer.invoices)
    if count.isascii() and count.isdigit() and int(count[:4]) > 1:
        yield Finding("several_invoices", "block", f"the model counts {count[:4]}")
    for text in answer.instructions[:INSTRUCTIONS_MAX]:
        if told := cleaned(text):
            yield Finding("instructions_in_document", "block", told[:300])
    if len(answer.lines) > LINES_MAX or len(answer.fields) > FIELDS_MAX:
        yield Finding("model_answer_capped", "warn", f"{len(answer.lines)} rows")


def canonical(path: str, kind: Kind, text: str) -> str | None:
    """The one form of its kind; None for what has not got it."""
    told = cleaned(text)
    if not told:
        return None
    if kind in ("money", "number"):
        return _decimal(told, money=kind == "money")
    if kind == "date":
        return _date(told)
    if kind == "flag":
        return TRUTH.get(told.lower())
    if kind == "code":
        code = re.sub(r"\s", "", told)
        return code.lower() if path in LOWER_CASE else code.upper()
    return told


def _decimal(text: str, *, money: bool) -> str | None:
    told = text.rstrip("%").strip()
    if _PLAIN.fullmatch(told) is None and _GROUPED.fullmatch(told) is None:
        return None
    if len(told) > _DIGITS_MAX:
        return None
    plain = told.replace("−", "-").replace("'", "").replace(" ", "")
    # Against its orders; "1,5" can only be one and a half, "1,500" only a group.
    plain = re.sub(r",(?=\d{1,2}$)", ".", plain).replace(",", "")
    try:
        value = Decimal(plain)
    except InvalidOperation:
        return None
    exponent = value.as_tuple().exponent
    if money and isinstance(exponent, int) and exponent > -len("00"):
        value = value.quantize(Decimal("0.01"))
    return f"{value:f}"


def _date(text: str) -> str | None:
    if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) is None:
        return None
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        return None


def cleaned(text: str) -> str:
    """Without what nobody sees: controls, zero-width and tag characters, surrogates."""
    if text.isascii() and text.isprintable() and "  " not in text:
        # Nearly every one: all of it is seen.
        return text.strip()[:TEXT_CHARS_MAX]
    seen = (
        " " if character.isspace() else character
        for character in unicodedata.normalize("NFC", text[: 4 * TEXT_CHARS_MAX])
        if character.isspace() or unicodedata.category(character) not in _UNSEEN
    )
    return re.sub(r" {2,}", " ", "".join(seen)).strip()[:TEXT_CHARS_MAX]


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
