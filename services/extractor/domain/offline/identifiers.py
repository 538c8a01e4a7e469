"""VAT ids and tax numbers: known by their form, given to a party by their place.

A value that has the form of its country needs no label; one that has only a label is kept with
little confidence, because what is printed there may still be what a person looks for.
"""

import re
from collections.abc import Iterator, Sequence

from services.extractor.domain.offline.accounts import IBAN, is_iban
from services.extractor.domain.offline.blocks import BUYERS, SLACK, above_in_block, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import chosen, made
from services.extractor.domain.offline.phrases import Tag
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field

VAT_FORMS = {
    **{"AT": r"U\d{8}", "BE": r"[01]?\d{9}", "BG": r"\d{9,10}", "CY": r"\d{8}[A-Z]"},
    **{"CHE": r"\d{9}(?:MWST|TVA|IVA)?", "CZ": r"\d{8,10}", "DE": r"\d{9}", "DK": r"\d{8}"},
    **{"EE": r"\d{9}", "EL": r"\d{9}", "GR": r"\d{9}", "ES": r"[A-Z0-9]\d{7}[A-Z0-9]"},
    **{"FI": r"\d{8}", "FR": r"[A-Z0-9]{2}\d{9}", "GB": r"\d{9}(?:\d{3})?", "HR": r"\d{11}"},
    **{
        "HU": r"\d{8}",
        "IE": r"\d[A-Z0-9+*]\d{5}[A-Z]{1,2}",
        "IT": r"\d{11}",
        "LT": r"\d{9}|\d{12}",
    },
    **{"LU": r"\d{8}", "LV": r"\d{11}", "MT": r"\d{8}", "NL": r"\d{9}B\d{2}", "PL": r"\d{10}"},
    **{
        "NO": r"\d{9}(?:MVA)?",
        "PT": r"\d{9}",
        "RO": r"\d{2,10}",
        "SE": r"\d{12}",
        "SI": r"\d{8}",
    },
    **{"SK": r"\d{10}", "XI": r"\d{9}(?:\d{3})?"},
}
_COUNTRIES = "|".join(sorted(VAT_FORMS, key=len, reverse=True))
_VAT = re.compile(
    rf"(?<![A-Z0-9])(?P<country>{_COUNTRIES})(?P<rest>[ .-]{{0,2}}[A-Z0-9][A-Z0-9 "
    rf".+*-]{{4,20}})"
)
# At home it is written without a country: EIN and ITIN, partita IVA, NIF, ABN, GSTIN.
_NATIONAL = re.compile(
    r"\d{9}|\d{11}|[A-Z]\d{7}[A-Z0-9]|\d{8}[A-Z]|\d{2}[A-Z]{5}\d{4}[A-Z][A-Z0-9]Z[A-Z0-9]"
)
_LABELLED_ID = re.compile(
    r"[ \t:.#]*(?P<id>[A-Z]{0,3}[ -]?\d[A-Z0-9]*(?:[ ./-]?[A-Z0-9]+){0,6})"
)
_ID_DIGITS = range(7, 16)
_OF_THE_BUYER = re.compile(
    r"(?<![a-z])(?:ihre?|uw|votre|vos|client|customer|kunden?|buyer|kaufer|cliente|klant|"
    r"acheteur|"
    r"your|su|vostra|empfanger|recipient)(?![a-z])"
)
_TAX_NUMBER = re.compile(r"[ \t:.#]*(?P<id>[A-Z0-9](?:[ ./-]?[A-Z0-9]+){1,6})")
WELL_FORMED, NATIONAL, UNLABELLED, LABEL_ONLY = 0.92, 0.85, 0.7, 0.55
IN_THE_SELLER, NOWHERE = 1.0, 0.92


def vat_ids(sheet: Sheet, buyer: Field) -> dict[str, Field]:
    """`buyer` is its name: what stands in the block under it is its own, label or not."""
    found = [
        ("buyer" if not party and _is_under(sheet, one, buyer) else party, one)
        for party, one in _vat_candidates(sheet)
    ]
    buyers = [one for party, one in found if party == "buyer"]
    own = {one.value for party, one in found if party == "seller"}
    buyers = [one for one in buyers if one.value not in own]
    foreign = {one.value for one in buyers}
    sellers = [one for party, one in found if party != "buyer" and one.value not in foreign]
    found_by_party = {"seller.vat_id": sellers, "buyer.vat_id": buyers}
    return {path: chosen(some) for path, some in found_by_party.items() if some}


def _vat_candidates(sheet: Sheet) -> Iterator[tuple[str, Candidate[str]]]:
    for at, line in enumerate(sheet.lines):
        tags = [one for one in sheet.tags[at] if one.kind == "vat_id"]
        ibans = [match.span() for match in IBAN.finditer(line.text) if is_iban(match[0])]
        for value, start, end in [*_well_formed(line.text), *_behind(line.text, tags)]:
            if any(a < end and start < b for a, b in ibans):
                continue
            label = next((one for one in reversed(tags) if one.end <= start), None)
            if label is None and not _is_vat_id(value):
                continue
            begin = label.start if label else start
            party = _party(sheet, at, begin, start, end)
            score = _formed(value, labelled=label is not None)
            score *= IN_THE_SELLER if party == "seller" else NOWHERE
            strength = label.strength if label else 0.0
            yield party, Candidate(value, score, line.span(start, end), strength, at)


def _is_under(sheet: Sheet, one: Candidate[str], name: Field) -> bool:
    if not name.evidence or name.evidence[0].page != one.span.page:
        return False
    top = name.evidence[0].box
    # A value stands behind its label, which is what begins where the block does.
    begins = [
        phrase
        for phrase in sheet.lines[one.at].phrases
        if phrase.box[0] <= one.span.box[0] and one.span.box[2] <= phrase.box[2] + SLACK
    ]
    return any(
        abs(other.box[1] - top[1]) < SLACK / 2
        and other.box[0] < top[2]
        and top[0] < other.box[2]
        for phrase in begins
        for other in above_in_block(sheet, one.at, phrase)
    )


def _party(sheet: Sheet, at: int, begin: int, start: int, end: int) -> str:
    line = sheet.lines[at]
    cell = line.folded.rfind("\t", 0, begin) + 1
    if _OF_THE_BUYER.search(line.folded[cell:start]):
        return "buyer"
    party = party_at(sheet, at, line.span(begin, end))
    return "buyer" if party in BUYERS else party or ""


def _well_formed(text: str) -> Iterator[tuple[str, int, int]]:
    for match in _VAT.finditer(text):
        value, end = match["country"], match.start("rest")
        best: tuple[str, int] | None = None
        for part in re.finditer(r"[A-Z0-9+*]+", match["rest"]):
            value += part[0]
            end = match.start("rest") + part.end()
            if _is_vat_id(value):
                best = (value, end)
        if best and not text[best[1] : best[1] + 1].isalnum():
            yield best[0], match.start(), best[1]


def _behind(text: str, tags: Sequence[Tag]) -> Iterator[tuple[str, int, int]]:
    for tag in tags:
        match = _LABELLED_ID.match(text, tag.end)
        if match:
            value = re.sub(r"[^A-Z0-9]", "", match["id"])
            digits = sum(map(str.isdigit, value))
            if digits in _ID_DIGITS and len(value) <= max(_ID_DIGITS):
                yield value, match.start("id"), match.end("id")


def _formed(value: str, *, labelled: bool) -> float:
    if _is_vat_id(value):
        return WELL_FORMED if labelled else UNLABELLED
    return NATIONAL if _NATIONAL.fullmatch(value) else LABEL_ONLY


def _is_vat_id(value: str) -> bool:
    country = value[:3] if value.startswith("CHE") else value[:2]
    form = VAT_FORMS.get(country)
    return bool(form and re.fullmatch(form, value[len(country) :]))


def tax_number(sheet: Sheet) -> Field | None:
    for at, line in enumerate(sheet.lines):
        for tag in sheet.tags[at]:
            match = tag.kind == "tax_number" and _TAX_NUMBER.match(line.text, tag.end)
            if not match or sum(map(str.isdigit, match["id"])) not in _ID_DIGITS:
                continue
            if _party(sheet, at, tag.start, match.start("id"), match.end("id")) != "buyer":
                span = line.span(match.start("id"), match.end("id"))
                return made(
                    Candidate(match["id"], 0.8, span, tag.strength, at), match["id"], 0.8
                )
    return None
