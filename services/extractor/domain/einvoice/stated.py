"""What a document states, path by path, in the one form that each kind of value has.

The text as it stood is kept beside the value. What is no value of its kind keeps only the text,
so that a person sees what was there and nothing is made up.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from services.extractor.domain.einvoice.trees import Node
from shared.invoice.paths import kind_of

# An answer has an end: what does not fit is not stated, and that is said.
FIELDS_MAX = 40_000
CHARS_MAX = 1_000_000

_NUMBER = re.compile(r"[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30})(?:[eE][+-]?\d{1,2})?")
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?:$|[T Z+-].*)")
# Year, month and day first: 102, and with a time of day behind it 203 to 205.
_DIGITS = re.compile(r"(\d{4})(\d\d)(\d\d)(?:\d{4}(?:\d\d)?)?(?:[Z+-].*)?")
_FLAGS = {"true": "true", "1": "true", "false": "false", "0": "false"}
# Written in groups by some, and as one by others.
_ONE_WORD = frozenset({"vat_id", "iban", "bic", "routing"})
_MANY_LINES = frozenset({"text", "terms_text", "description", "lines"})


@dataclass(frozen=True, slots=True)
class Stated:
    value: str | None
    # None of what was put together from several texts.
    raw: str | None


@dataclass(slots=True)
class Sheet:
    """Filled in by whoever reads a syntax. What is put twice is said by the first."""

    stated: dict[str, Stated] = field(default_factory=dict)
    is_full: bool = False
    _chars: int = 0

    def put(self, path: str, found: Node | str | None, form: str = "") -> None:
        """An empty text states nothing. `form` is the code that a date may carry."""
        text = found.text if isinstance(found, Node) else found or ""
        if text.strip():
            self._add(path, Stated(canonical(path, text, form), text))

    def put_value(self, path: str, value: str | None, raw: str | None = None) -> None:
        """What was concluded. `raw` is the one text that it was concluded from."""
        if value is not None:
            self._add(path, Stated(value, raw))

    def _add(self, path: str, one: Stated) -> None:
        if path in self.stated:
            return
        size = len(one.value or "") + (len(one.raw or "") if one.raw != one.value else 0)
        if len(self.stated) >= FIELDS_MAX or self._chars + size > CHARS_MAX:
            self.is_full = True
            return
        self._chars += size
        self.stated[path] = one


def canonical(path: str, text: str, form: str = "") -> str | None:
    """None when it is no value of the path's kind."""
    text = text.strip()
    match kind_of(path):
        case "money" | "number":
            return plain(text)
        case "date":
            return iso(text, form)
        case "code":
            one_word = path.rpartition(".")[2] in _ONE_WORD
            return ("" if one_word else " ").join(text.upper().split()) or None
        case "flag":
            return _FLAGS.get(text.lower())
        case _:
            many = path.rpartition(".")[2] in _MANY_LINES
            lines = [" ".join(line.split()) for line in text.splitlines()]
            return ("\n" if many else " ").join(line for line in lines if line) or None


def plain(text: str) -> str | None:
    """A decimal with the digits it was given, without exponent, plus or a negative zero."""
    if not _NUMBER.fullmatch(text) or not text.isascii():
        return None
    value = Decimal(text)
    return f"{abs(value) if value.is_zero() else value:f}"


def iso(text: str, form: str = "") -> str | None:
    """A date of which the day is known; a week or a month is none."""
    pattern = _ISO if "-" in text[:8] else _DIGITS
    match = pattern.fullmatch(text) if form in ("", "102", "203", "204", "205") else None
    if match is None or not match[0][:4].isascii():
        return None
    try:
        return date(int(match[1]), int(match[2]), int(match[3])).isoformat()
    except ValueError:
        return None


def joined(found: Iterable[Node], separator: str = "\n") -> str:
    """Their texts, each once."""
    return separator.join(dict.fromkeys(one.text for one in found if one.text))
