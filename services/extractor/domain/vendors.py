"""What earlier invoices of the same issuer were like, for one owner.

It raises or lowers the trust in a value, never replaces one; and it notices what a fraud
changes first: the account that is to be paid. Any identity is enough to ask a question, and
only an official one, or a person, is enough to answer it: an account has to be known to
everybody that the document claims to be from, so printing a name, or a number, wins nothing.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from services.extractor.domain.reading import MISSING, Field, Finding, Reading
from services.extractor.domain.sightings import (
    ACCOUNT,
    NAME,
    NEW_ACCOUNT,
    OFFICIAL,
    PLACED,
    Sighting,
    kind_of,
    number_shape,
    place_of,
)
from shared.invoice.paths import places

# An issuer is known by so many earlier documents, or by one that a person approved.
KNOWN_AFTER = 2
SEEN_BEFORE, UNLIKE_BEFORE = 1.0, 0.0
_EXAMPLES_MAX = 3
# What a model is told was written by strangers: nothing that could be a sentence, and few.
_TELLABLE = {
    "number_shape": re.compile(r"(?=[^<]*<)(?!(?:[^A-Z]*[A-Z]){9})[A-Z0-9<>/._#-]{3,32}"),
    "rates": re.compile(r"\d{1,2}(?:\.\d{1,3})?"),
    "currency": re.compile(r"[A-Z]{3}"),
    "language": re.compile(r"[a-z]{2}(?:-[A-Z]{2})?"),
}
_TOLD_MAX = 5
# Of the page: a table above it that is longer this time moves a total further than that.
_NEAR = 0.04


@dataclass(frozen=True, slots=True)
class Acquaintance:
    """Whom a document claims to be from by one of its identities, as far as that one is known:
    the latest first, but for what weighs more."""

    kind: str
    sightings: Sequence[Sighting]

    @property
    def is_known(self) -> bool:
        approved = any(one.is_approved for one in self.sightings)
        return approved or len(self.sightings) >= KNOWN_AFTER

    @property
    def accounts(self) -> set[str]:
        """What was noted by a name alone counts only where nobody knows better: it may be the
        forger who came first."""
        vouched = {
            iban
            for one in self.sightings
            if one.is_approved or one.is_official
            for iban in one.ibans
        }
        return vouched or {iban for one in self.sightings for iban in one.ibans}

    def seen(self, name: str) -> set[str]:
        return {value for one in self.sightings for value in _values(one, name)}


NOBODY = Acquaintance("", ())


@dataclass(frozen=True, slots=True)
class Memory:
    """What was seen of whoever bears one of the identities of a document."""

    sightings: Sequence[Sighting] = ()
    # The document's own, the surest first.
    identities: Sequence[str] = ()

    @property
    def known(self) -> list[Acquaintance]:
        """The surest first. An issuer has several official numbers and is one. By his accounts
        he is looked for when nothing else is known of him: those who lend money collect the
        bills of many."""
        known = [one for one in self._claimed() if one.is_known]
        official = [one for one in known if one.kind in OFFICIAL][:1]
        named = [one for one in known if one.kind == NAME]
        return [*official, *named] or [one for one in known if one.kind == ACCOUNT]

    @property
    def closest(self) -> Acquaintance:
        return next(iter(self.known), NOBODY)

    def _claimed(self) -> Iterator[Acquaintance]:
        """One for each identity, and one for a name, whatever country it is noted under."""
        names = {one for one in self.identities if kind_of(one) == NAME}
        for identity in self.identities:
            if identity not in names:
                yield self._bearing(kind_of(identity), {identity})
        yield self._bearing(NAME, names)

    def _bearing(self, kind: str, identities: set[str]) -> Acquaintance:
        bearers = [one for one in self.sightings if not identities.isdisjoint(one.identities)]
        return Acquaintance(kind, bearers)


NOTHING = Memory()


def remembered(reading: Reading, memory: Memory) -> Reading:
    """The reading in the light of what is known of its issuer."""
    known = memory.known
    if not known:
        return reading
    fields = dict(reading.fields)
    familiar = dict.fromkeys(_familiar_places(fields, known[0]), SEEN_BEFORE)
    likenesses = (*_likenesses(fields, known[0]), *_account_likenesses(fields, known))
    # Of a value that is unlike any before, its place is no excuse.
    for path, likeness in (familiar | dict(likenesses)).items():
        signals = {**fields[path].signals, "history": likeness}
        fields[path] = replace(fields[path], signals=signals)
    findings = (*reading.findings, *_new_accounts(reading.fields, known))
    return replace(reading, fields=fields, findings=findings)


def as_hint(memory: Memory) -> str:
    """For a model that is to read the next one."""
    told = {
        "shapes of invoice numbers": _tellable(memory.closest, "number_shape"),
        "VAT rates": _tellable(memory.closest, "rates"),
        "currency": _tellable(memory.closest, "currency"),
        "language": _tellable(memory.closest, "language"),
    }
    lines = (f"{name}: {', '.join(sorted(values))}" for name, values in told.items() if values)
    return "\n".join(lines)


def _tellable(issuer: Acquaintance, name: str) -> list[str]:
    """The most frequent, of those that cannot be an instruction."""
    seen = Counter(value for one in issuer.sightings for value in _values(one, name))
    return [one for one, _ in seen.most_common() if _TELLABLE[name].fullmatch(one)][:_TOLD_MAX]


def _likenesses(
    fields: Mapping[str, Field], issuer: Acquaintance
) -> Iterator[tuple[str, float]]:
    number = fields.get("invoice_number", MISSING).value
    shapes = Counter(one.number_shape for one in issuer.sightings if one.number_shape)
    if number and shapes:
        common = {shape for shape, _ in shapes.most_common(_EXAMPLES_MAX)}
        yield "invoice_number", _likeness(number_shape(number), common)
    currency = fields.get("currency", MISSING).value
    if currency and issuer.seen("currency"):
        yield "currency", _likeness(currency, issuer.seen("currency"))
    known = issuer.seen("rates")
    for path, value in _each(fields, "taxes", "rate"):
        if known:
            yield path, _likeness(value, known)


def _account_likenesses(
    fields: Mapping[str, Field], known: Sequence[Acquaintance]
) -> Iterator[tuple[str, float]]:
    tellers = [one.accounts for one in known if one.accounts]
    for path, iban in _each(fields, "payment.accounts", "iban"):
        if tellers:
            yield path, min(_likeness(iban, accounts) for accounts in tellers)


def _familiar_places(fields: Mapping[str, Field], issuer: Acquaintance) -> Iterator[str]:
    """Fields that stand where they stood before. Elsewhere proves nothing."""
    for path in PLACED:
        if fields.get(path, MISSING).evidence:
            page, x, y = place_of(fields[path])
            known = (one.places[path] for one in issuer.sightings if path in one.places)
            if any(
                page == p and abs(x - a) < _NEAR and abs(y - b) < _NEAR for p, a, b in known
            ):
                yield path


def _new_accounts(
    fields: Mapping[str, Field], known: Sequence[Acquaintance]
) -> Iterator[Finding]:
    for path, iban in _each(fields, "payment.accounts", "iban"):
        strangers = (one for one in known if one.accounts and iban not in one.accounts)
        one = next(strangers, None)
        if one is not None:
            earlier = ", ".join(sorted(one.accounts)[:_EXAMPLES_MAX])
            who = "an issuer of this name" if one.kind == NAME else "this issuer"
            detail = f"{who} was paid to {earlier} before, and never to {iban}"
            yield Finding(NEW_ACCOUNT, "block", detail, (path,))


def _each(fields: Mapping[str, Field], name: str, cell: str) -> Iterator[tuple[str, str]]:
    for place in places(fields, name):
        path = f"{name}.{place}.{cell}"
        if value := fields.get(path, MISSING).value:
            yield path, value


def _likeness(value: str, known: Iterable[str]) -> float:
    return SEEN_BEFORE if value in known else UNLIKE_BEFORE


def _values(one: Sighting, name: str) -> tuple[str, ...]:
    value: str | tuple[str, ...] | None = getattr(one, name)
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value
