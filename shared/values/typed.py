"""A value as a person types it, in the one form that an invoice keeps it in.

What cannot be read as its kind is refused, never guessed at: `1.234` of money is a thousand,
since coins have two decimals; of a quantity it depends on how the document writes the others.
Whether the value is right is for the rules to say.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal

from shared.values.currencies import CODES, SYMBOLS
from shared.values.dates import dates_in
from shared.values.folding import fold
from shared.values.numbers import THOUSAND, number_of

FormKind = Literal[
    "text", "code", "date", "money", "number", "flag", "currency", "country", "iban", "vat_id"
]

TEXT_CHARS_MAX = 10_000
SHORT_CHARS_MAX = 100
COINS = 2
WANTED: dict[FormKind, str] = {
    "text": "a text of at most 10,000 characters",
    "code": "a code without spaces",
    "date": "one day, such as 2026-03-31, 31.3.2026 or 31 March 2026",
    "money": "an amount, such as 1234.50 or 1.234,50 €",
    "number": "a number, such as 12, 0,5 or 19 %",
    "flag": "yes or no",
    "currency": "a currency, such as EUR or €",
    "country": "a country's two letters, such as DE",
    "iban": "an account number that begins with a country's two letters",
    "vat_id": "a VAT id that begins with a country's two letters",
}
_SPACES = re.compile(r"[\s\u00a0\u202f]+")
_GROUP_SPACE = re.compile(r"(?<=\d)[\s\u00a0\u202f](?=\d{3}(?!\d))")
_MONEY_SIGN = "|".join(
    [CODES, *map(re.escape, sorted(SYMBOLS, key=len, reverse=True)), "(?:EURO?|euro)s?"]
)
_BEFORE = re.compile(rf"^([-−–+]?)\s*(?:{_MONEY_SIGN})(?![A-Za-z])\s*", re.IGNORECASE)
_BEHIND = re.compile(rf"\s*(?<![A-Za-z])(?:{_MONEY_SIGN})\.?$", re.IGNORECASE)
_PLAIN = re.compile(r"[-+−–]?([0-9]{1,15})(?:\.([0-9]{1,10}))?")
_KEPT = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,10})?")
_PREFIXED = re.compile(r"[A-Z]{2}[0-9A-Z]{2,32}")
_TRUTH = {
    **dict.fromkeys(("true", "yes", "ja", "oui", "si", "sim", "y", "1"), "true"),
    **dict.fromkeys(("false", "no", "nein", "non", "nee", "n", "0"), "false"),
}
_NAMES = {
    **{"euro": "EUR", "euros": "EUR", "dollar": "USD", "dollars": "USD", "us dollars": "USD"},
    **{"pound": "GBP", "pounds": "GBP", "pounds sterling": "GBP", "swiss francs": "CHF"},
    **{"franken": "CHF", "schweizer franken": "CHF", "yen": "JPY", "zloty": "PLN"},
}
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


@dataclass(frozen=True, slots=True)
class Habits:
    """How the document at hand writes: its decimal mark, its dates, its currency's coins."""

    mark: str | None = None
    month_first: bool = False
    minor_units: int = COINS


def typed(kind: FormKind, text: str, habits: Habits) -> str | None:
    """None for what is no value of that kind."""
    told = seen(text)
    longest = TEXT_CHARS_MAX if kind == "text" else SHORT_CHARS_MAX
    if not told or len(told) > longest:
        return None
    reader = _READERS.get(kind)
    return _code(told, kind) if reader is None else reader(told, habits)


def seen(text: str) -> str:
    """Without what nobody sees (controls, zero-width characters), on one line."""
    shown = (
        " " if one.isspace() else one
        for one in unicodedata.normalize("NFC", text[: TEXT_CHARS_MAX + 1])
        if one.isspace() or unicodedata.category(one) not in _UNSEEN
    )
    return re.sub(r" {2,}", " ", "".join(shown)).strip()


def _money(told: str, habits: Habits) -> str | None:
    bare = _BEHIND.sub("", _BEFORE.sub(r"\1", told))
    value = _decimal(
        bare, "" if habits.minor_units < THOUSAND else habits.mark or ".", money=True
    )
    if value is None:
        return None
    exponent = value.as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    return _kept(value.quantize(Decimal("0.01")) if places < COINS else value)


def _number(told: str, habits: Habits) -> str | None:
    value = _decimal(told, habits.mark or ".", money=False)
    return None if value is None else _kept(value)


def _decimal(told: str, mark: str, *, money: bool) -> Decimal | None:
    joined = _GROUP_SPACE.sub("", told)
    if re.search(r"\d\s\d", joined):
        return None
    bare = _SPACES.sub("", joined)
    plain = _PLAIN.fullmatch(bare)
    if plain and not (money and mark == "" and _is_grouped(plain[1], plain[2] or "")):
        return Decimal(bare.translate(_MINUS))
    if not bare.isascii() and any(one.isdigit() and not one.isascii() for one in bare):
        return None
    found = number_of(bare, mark)
    if found is None or (money and (found.percent or found.unit)):
        return None
    return found.value


def _is_grouped(whole: str, behind: str) -> bool:
    return len(behind) == THOUSAND and len(whole) <= THOUSAND


_MINUS = str.maketrans("−–", "--")


def _kept(value: Decimal) -> str | None:
    text = f"{value + 0:f}"
    return text if _KEPT.fullmatch(text) else None


def _date(told: str, habits: Habits) -> str | None:
    try:
        return date.fromisoformat(told).isoformat()
    except ValueError:
        pass
    found = list(dates_in(told, month_first=habits.month_first))
    if len(found) != 1:
        return None
    rest = told[: found[0].start] + told[found[0].end :]
    return None if re.search(r"\d", rest) else found[0].value.isoformat()


def _currency(told: str) -> str | None:
    code = SYMBOLS.get(told) or _NAMES.get(fold(told)) or told.upper()
    return code if re.fullmatch(r"[A-Z]{3}", code) else None


def _code(told: str, kind: FormKind) -> str | None:
    code = _SPACES.sub("", told).upper()
    if kind == "country":
        return code if re.fullmatch(r"[A-Z]{2}", code) else None
    if kind in ("iban", "vat_id"):
        code = re.sub(r"[./-]", "", code)
        return code if _PREFIXED.fullmatch(code) else None
    return code


_READERS: Mapping[FormKind, Callable[[str, Habits], str | None]] = {
    "text": lambda told, _: told,
    "money": _money,
    "number": _number,
    "date": _date,
    "flag": lambda told, _: _TRUTH.get(fold(told)),
    "currency": lambda told, _: _currency(told),
}
