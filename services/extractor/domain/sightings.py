"""What one document tells of its issuer, and everything by which that issuer is found again.

An issuer may be looked for by any of its identities, since who leaves his VAT id out is not
somebody else for it. They are not worth the same: what the authorities gave out names one
issuer, a name is anybody's to print. What nobody vouched for yet is no identity at all.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from services.extractor.domain.reading import MISSING, Field, Reading
from services.extractor.domain.words import Span, fold
from shared.contracts.extraction import ExtractionV1
from shared.invoice.paths import places

NEW_ACCOUNT = "new_iban"
# Below this a value is too doubtful to be remembered by.
SURE_ENOUGH = 0.6
PLACED = ("invoice_number", "issue_date", "total")
OFFICIAL = ("vat_id", "legal_id", "tax_number")
ACCOUNT, NAME = "iban", "name"
# A name whose country is not known may be of an issuer of any.
ANY, UNKNOWN = "any", "unknown"
# What the paths begin with that anything here asks for.
_TELLING = (*PLACED, "currency", "document.", "payment.accounts.", "seller.", "taxes.")
_COUNTRY = re.compile(r"[A-Za-z]{2}")
_IDENTITY_CHARS_MAX = 200
# Of one document: whatever it holds, it is remembered in a few words.
_REMEMBERED_MAX = 20
_NUMBER_CHARS_MAX = 64
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
    # Whose it is; the surest first. Without any, it is nobody's.
    identities: tuple[str, ...] = ()
    # A person has looked at it and found it right.
    is_approved: bool = False

    @property
    def is_official(self) -> bool:
        return any(kind_of(one) in OFFICIAL for one in self.identities)

    @property
    def weight(self) -> int:
        """Only so many are recalled: those that cost a stranger nothing must not be able to
        push out those that a person has seen, or that tell accounts."""
        return 4 * self.is_approved + 2 * bool(self.ibans) + self.is_official


def kind_of(identity: str) -> str:
    return identity.partition(":")[0]


def identities(reading: Reading) -> tuple[str, ...]:
    """By which its issuer is looked for, the surest first."""
    fields = _sure(reading.fields)
    country = _country(fields)
    # Where a name is at home is told by a number of its own. An address is as easily printed
    # as the name, and who moves abroad with it would be asked for nothing.
    is_at_home = any(fields.get(f"seller.{kind}", MISSING).value for kind in OFFICIAL)
    under = (country, UNKNOWN) if country and is_at_home else (ANY,)
    return _first((*_numbers(fields), *_names(fields, under)))


def sighting(reading: Reading) -> Sighting:
    # What has to be looked at by a person first would vouch for itself the next time, and be
    # found under the name of whom it claims to be.
    is_doubted = any(one.code == NEW_ACCOUNT for one in reading.findings)
    return _sighting({} if is_doubted else _sure(reading.fields), is_approved=False)


def kept_sighting(extraction: ExtractionV1) -> Sighting:
    """The same, of an answer that was kept before its reader was interrupted."""
    is_doubted = any(one.code == NEW_ACCOUNT for one in extraction.findings)
    fields = {} if is_doubted else _fields_of(extraction)
    return _sighting(_sure(fields), is_approved=False)


def approved_sighting(extraction: ExtractionV1) -> Sighting:
    """What a person has found right, or made right, is as sure as anything will ever be."""
    return _sighting(_fields_of(extraction), is_approved=True)


def number_shape(number: str) -> str:
    """`RE-2024-0117` and `RE-2025-0003` have one shape: letters stay, figures are counted."""
    return re.sub(
        r"\d+", lambda match: f"<{len(match[0])}>", number[:_NUMBER_CHARS_MAX].upper()
    )


def place_of(one: Field) -> Place:
    left, top, right, bottom = one.evidence[0].box
    return one.evidence[0].page, round((left + right) / 2, 3), round((top + bottom) / 2, 3)


def _sighting(sure: Mapping[str, Field], *, is_approved: bool) -> Sighting:
    number = sure.get("invoice_number", MISSING).value
    under = (ANY, _country(sure) or UNKNOWN)
    return Sighting(
        number_shape=number_shape(number) if number else None,
        ibans=_first(_members(sure, "payment.accounts", "iban")),
        rates=_first(_members(sure, "taxes", "rate")),
        currency=sure.get("currency", MISSING).value,
        language=sure.get("document.language", MISSING).value,
        places={
            path: place_of(sure[path])
            for path in PLACED
            if path in sure and sure[path].evidence
        },
        identities=_first((*_numbers(sure), *_names(sure, under))),
        is_approved=is_approved,
    )


def _fields_of(extraction: ExtractionV1) -> dict[str, Field]:
    return {
        path: Field(
            one.value,
            one.raw,
            one.confidence,
            "computed" if one.status == "computed" else "extracted",
            tuple(Span(at.text, at.page, at.bbox) for at in one.evidence),
            signals=one.signals,
        )
        for path, one in extraction.fields.items()
        if one.value
    }


def _numbers(sure: Mapping[str, Field]) -> Iterator[str]:
    for kind in OFFICIAL:
        yield from _identity(kind, sure.get(f"seller.{kind}", MISSING).value)
    for iban in _members(sure, "payment.accounts", "iban"):
        yield from _identity(ACCOUNT, iban)


def _names(sure: Mapping[str, Field], under: Iterable[str]) -> Iterator[str]:
    name = sure.get("seller.name", MISSING).value
    for country in under:
        yield from _identity(f"{NAME}:{country}", name)


def _identity(kind: str, value: str | None) -> Iterator[str]:
    bare = "".join(one for one in fold(value or "") if one.isalnum())
    if bare:
        yield f"{kind}:{bare}"[:_IDENTITY_CHARS_MAX]


def _country(sure: Mapping[str, Field]) -> str | None:
    told = sure.get("seller.address.country", MISSING).value
    vat_id = sure.get("seller.vat_id", MISSING).value or ""
    for one in (told or "", vat_id[:2]):
        if _COUNTRY.fullmatch(one):
            # Greece has a prefix of its own for VAT ids.
            return {"el": "gr"}.get(one.lower(), one.lower())
    return None


def _sure(fields: Mapping[str, Field]) -> dict[str, Field]:
    """Of those that tell of an issuer; most fields are of lines."""
    return {
        path: one
        for path, one in fields.items()
        if path.startswith(_TELLING) and one.value and _is_sure(one)
    }


def _is_sure(one: Field) -> bool:
    """And read: what a model invents, or was worked out, would vouch for itself later."""
    is_read = one.status != "computed" and one.signals.get("grounded") != 0
    return is_read and one.confidence >= SURE_ENOUGH


def _members(fields: Mapping[str, Field], name: str, cell: str) -> Iterator[str]:
    for place in places(fields, name):
        value = fields.get(f"{name}.{place}.{cell}", MISSING).value
        if value is not None:
            yield value


def _first(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(islice(dict.fromkeys(values), _REMEMBERED_MAX))
