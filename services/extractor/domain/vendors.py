"""What earlier invoices of the same issuer were like, for one owner.

It raises or lowers the trust in a value, never replaces one; and it notices what a fraud
changes first: the account that is to be paid. Only what stood on readings is kept, so it can be
looked at and forgotten with the documents it came from.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice

from services.extractor.domain.invoice import places
from services.extractor.domain.reading import MISSING, Field, Finding, Reading
from services.extractor.domain.words import Span

NEW_ACCOUNT = "new_iban"
# An issuer is known by so many earlier documents.
KNOWN_AFTER = 2
# Below this a value is too doubtful to be remembered by.
SURE_ENOUGH = 0.6
SEEN_BEFORE, UNLIKE_BEFORE = 1.0, 0.0
_BY_ID = ("seller.vat_id", "seller.legal_id", "seller.tax_number")
_EXAMPLES_MAX = 3
# Of one document: whatever it holds, it is remembered in a few words.
_REMEMBERED_MAX = 20
_NUMBER_CHARS_MAX = 64
# What a model is told was written by strangers: nothing that could be a sentence, and few.
_TELLABLE = {
    "number_shape": re.compile(r"(?=[^<]*<)(?!(?:[^A-Z]*[A-Z]){9})[A-Z0-9<>/._#-]{3,32}"),
    "rates": re.compile(r"\d{1,2}(?:\.\d{1,3})?"),
    "currency": re.compile(r"[A-Z]{3}"),
    "language": re.compile(r"[a-z]{2}(?:-[A-Z]{2})?"),
}
_TOLD_MAX = 5
_PLACED = ("invoice_number", "issue_date", "total")
# Of the page: a table above it that is longer this time moves a total further than that.
_NEAR = 0.04
Place = tuple[int, float, float]


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one document tells of its issuer."""

    number_shape: str | None = None
    ibans: tuple[str, ...] = ()
    rates: tuple[str, ...] = ()
    currency: str | None = None
    language: str | None = None
    # Where on its page a field stood: the page, and the middle of its box.
    places: Mapping[str, Place] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Memory:
    """What was seen of an issuer, the latest first."""

    sightings: Sequence[Sighting] = ()

    @property
    def is_known(self) -> bool:
        return len(self.sightings) >= KNOWN_AFTER

    def seen(self, name: str) -> set[str]:
        return {value for one in self.sightings for value in _values(one, name)}


NOTHING = Memory()


def vendor_key(reading: Reading) -> str | None:
    """None when nothing tells whose invoice it is. Never the account: that is what changes."""
    for path in _BY_ID:
        one = reading.fields.get(path, MISSING)
        if one.value and _is_sure(one):
            return f"{path.removeprefix('seller.')}:{_bare(one.value)}"
    name = reading.fields.get("seller.name", MISSING)
    if name.value is None or not _is_sure(name) or not _bare(name.value):
        return None
    return f"name:{_bare(name.value)}"


def sighting(reading: Reading) -> Sighting:
    sure = {path: one for path, one in reading.fields.items() if one.value and _is_sure(one)}
    number = sure.get("invoice_number", MISSING).value
    # An account that nobody has vouched for would vouch for itself the next time.
    doubted = {
        path for one in reading.findings if one.code == NEW_ACCOUNT for path in one.touches
    }
    vouched = {path: one for path, one in sure.items() if path not in doubted}
    return Sighting(
        number_shape=number_shape(number) if number else None,
        ibans=_first(_members(vouched, "payment.accounts", "iban")),
        rates=_first(_members(sure, "taxes", "rate")),
        currency=sure.get("currency", MISSING).value,
        language=sure.get("document.language", MISSING).value,
        places={
            path: _place(sure[path].evidence[0]) for path in _PLACED if _is_placed(sure, path)
        },
    )


def number_shape(number: str) -> str:
    """`RE-2024-0117` and `RE-2025-0003` have one shape: letters stay, figures are counted."""
    return re.sub(
        r"\d+", lambda match: f"<{len(match[0])}>", number[:_NUMBER_CHARS_MAX].upper()
    )


def _first(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(values), _REMEMBERED_MAX))


def remembered(reading: Reading, memory: Memory) -> Reading:
    """The reading in the light of what is known of its issuer."""
    if not memory.is_known:
        return reading
    fields = dict(reading.fields)
    familiar = dict.fromkeys(_familiar_places(fields, memory), SEEN_BEFORE)
    # Of a value that is unlike any before, its place is no excuse.
    for path, likeness in (familiar | dict(_likenesses(reading.fields, memory))).items():
        signals = {**fields[path].signals, "history": likeness}
        fields[path] = replace(fields[path], signals=signals)
    findings = (*reading.findings, *_new_accounts(reading.fields, memory))
    return replace(reading, fields=fields, findings=findings)


def as_hint(memory: Memory) -> str:
    """For a model that is to read the next one."""
    if not memory.is_known:
        return ""
    told = {
        "shapes of invoice numbers": _tellable(memory, "number_shape"),
        "VAT rates": _tellable(memory, "rates"),
        "currency": _tellable(memory, "currency"),
        "language": _tellable(memory, "language"),
    }
    lines = (f"{name}: {', '.join(sorted(values))}" for name, values in told.items() if values)
    return "\n".join(lines)


def _tellable(memory: Memory, name: str) -> list[str]:
    """The most frequent, of those that cannot be an instruction."""
    seen = Counter(value for one in memory.sightings for value in _values(one, name))
    return [one for one, _ in seen.most_common() if _TELLABLE[name].fullmatch(one)][:_TOLD_MAX]


def _likenesses(fields: Mapping[str, Field], memory: Memory) -> Iterator[tuple[str, float]]:
    number = fields.get("invoice_number", MISSING).value
    shapes = Counter(one.number_shape for one in memory.sightings if one.number_shape)
    if number and shapes:
        common = {shape for shape, _ in shapes.most_common(_EXAMPLES_MAX)}
        yield "invoice_number", _likeness(number_shape(number), common)
    currency = fields.get("currency", MISSING).value
    if currency and memory.seen("currency"):
        yield "currency", _likeness(currency, memory.seen("currency"))
    for name, path in (("ibans", "payment.accounts.{}.iban"), ("rates", "taxes.{}.rate")):
        known = memory.seen(name)
        for place in places(fields, path.partition(".{}")[0]):
            value = fields.get(path.format(place), MISSING).value
            if value and known:
                yield path.format(place), _likeness(value, known)


def _familiar_places(fields: Mapping[str, Field], memory: Memory) -> Iterator[str]:
    """Fields that stand where they stood before. Elsewhere proves nothing."""
    for path in _PLACED:
        if _is_placed(fields, path):
            page, x, y = _place(fields[path].evidence[0])
            known = (one.places[path] for one in memory.sightings if path in one.places)
            if any(
                page == p and abs(x - a) < _NEAR and abs(y - b) < _NEAR for p, a, b in known
            ):
                yield path


def _is_placed(fields: Mapping[str, Field], path: str) -> bool:
    return bool(fields.get(path, MISSING).evidence)


def _place(span: Span) -> Place:
    left, top, right, bottom = span.box
    return span.page, round((left + right) / 2, 3), round((top + bottom) / 2, 3)


def _new_accounts(fields: Mapping[str, Field], memory: Memory) -> Iterator[Finding]:
    known = memory.seen("ibans")
    for place in places(fields, "payment.accounts"):
        path = f"payment.accounts.{place}.iban"
        iban = fields.get(path, MISSING).value
        if iban and known and iban not in known:
            earlier = ", ".join(sorted(known)[:_EXAMPLES_MAX])
            detail = f"this issuer was paid to {earlier} before, and never to {iban}"
            yield Finding(NEW_ACCOUNT, "block", detail, (path,))


def _likeness(value: str, known: Iterable[str]) -> float:
    return SEEN_BEFORE if value in known else UNLIKE_BEFORE


def _values(one: Sighting, name: str) -> tuple[str, ...]:
    value: str | tuple[str, ...] | None = getattr(one, name)
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value


def _members(fields: Mapping[str, Field], name: str, cell: str) -> Iterator[str]:
    for place in places(fields, name):
        value = fields.get(f"{name}.{place}.{cell}", MISSING).value
        if value is not None:
            yield value


def _is_sure(one: Field) -> bool:
    """And read: what a model invents, or was worked out, would vouch for itself later."""
    is_read = one.status != "computed" and one.signals.get("grounded") != 0
    return is_read and one.confidence >= SURE_ENOUGH


def _bare(text: str) -> str:
    return re.sub(r"[^0-9a-z]", "", text.casefold())
