"""Where the parties live: the lines between a name and its place, wherever the name stands.

A letter says who sends it several times: large at the top, small above the window, in full at
the foot. The occurrence counts that has a street and a place under it or behind it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.names import letters_of
from services.extractor.domain.offline.places import (
    Place,
    code_alone,
    country_named,
    place_in,
)
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Span, fold

LINES_MAX = 7
# Of lines of the block, in heights of one.
GAP_HEIGHTS = 2.6
ALIGNED = 0.012
STREETS_MAX = 4
CHARS_MAX = 60
SURE, FURTHER_AWAY, WITHOUT_STREET = 0.9, 0.8, 0.6
NAMED, BY_FORM = 0.92, 0.6
_PARTS = re.compile(r"\s+[·•●|–—*/-]\s+|\t|\s{3,}|[·•●|]")
_CITY_FIRST = re.compile(r"[^\W\d_][^\d,·|]* - ?\d{5,6}")
_COMMAS = re.compile(r",\s+")
_NO_STREET = re.compile(
    r"@|www\.|https?:|(?<![a-z])(?:tel|telefon|telefoon|telefono|telephone|phone|fax|mobil\w*|"
    r"fon|tfno|e-?mail|mail|courriel|correo|web|internet|vat|tva|iva|btw|ust|uid|nif|cif|siret|"
    r"siren|rcs|kvk|iban|bic|swift|hrb|steuer\w*|p\.? ?iva|partita|cod\.? ?fisc\w*|gstin|abn|"
    r"ein|company (?:no|reg)\w*|reg\.? ?no|capital|bank|konto|geschaftsfuhr\w*)(?![a-z])"
)
_TO_WHOM = re.compile(
    r"(?:attn|att|attention|c/o|z\. ?hd|zu handen|z\. ?h\.|a l'attention|t\. ?a\. ?v|"
    r"alla c\. ?a|ala att|herrn?|frau|mr|mrs|ms|monsieur|madame|"
    r"sig(?:\.ra|nora?)?|d\.|dna)(?![a-z])"
)
_HOUSE = re.compile(
    r"(?<![a-z])(?:\w*house|hall|court|building|cent(?:re|er)|park|\w*haus|\w*hof|\w*zentrum|"
    r"zone|z\.?[ai]\.?|poligono|industrial|edificio|palazzo|tower|mill|farm|estate|immeuble|"
    r"bat(?:iment|\.)|residence|gebouw|parc|yard|works|cascina|localita|floor|suite)(?![a-z])"
)
_LABEL = re.compile(
    r"^(?:anschrift|address|adresse|direccion|indirizzo|adres|domicilio|sede(?: legale)?|"
    r"siege(?: social)?|sitz|registered office)\s*:?\s+"
)


@dataclass(frozen=True, slots=True)
class Part:
    text: str
    span: Span
    at: int


@dataclass(frozen=True, slots=True)
class Address:
    streets: tuple[Part, ...]
    place: Place
    where: Part
    country: tuple[str, Part] | None

    @property
    def sure(self) -> float:
        return SURE if self.streets else WITHOUT_STREET


def addresses(sheet: Sheet, names: Mapping[str, Field]) -> dict[str, Field]:
    """By the names that were found. No name, no address: it might be anybody's."""
    fields: dict[str, Field] = {}
    for party, name in names.items():
        found = _address_of(sheet, name)
        if found is not None:
            fields.update(_fields(f"{party}.address", found))
    return fields


def _address_of(sheet: Sheet, name: Field) -> Address | None:
    if not (name.value and name.evidence):
        return None
    best: Address | None = None
    for at, phrase, is_read in _occurrences(sheet, name):
        found = _under(sheet, at, phrase, name)
        if found is not None and (best is None or found.sure > best.sure):
            best = found
        if best is not None and best.streets and is_read:
            break
    return best


def _occurrences(sheet: Sheet, name: Field) -> Iterator[tuple[int, Span, bool]]:
    """Where the name was read first, then wherever it stands again."""
    wanted, [read, *_] = letters_of(name.value or ""), name.evidence
    others = []
    for at, line in enumerate(sheet.lines):
        for phrase in line.phrases:
            if wanted and letters_of(phrase.text).startswith(wanted):
                is_read = phrase.page == read.page and _overlap(phrase, read)
                if is_read:
                    yield at, phrase, True
                else:
                    others.append((at, phrase))
    if not any(_overlap(phrase, read) for _, phrase in others):
        yield from (
            (at, read, True)
            for at, line in enumerate(sheet.lines)
            if line.page == read.page and abs(line.top - read.box[1]) < line.height / 2
        )
    yield from ((at, phrase, False) for at, phrase in others)


def _overlap(one: Span, other: Span) -> bool:
    return one.page == other.page and all(
        one.box[low] < other.box[high] and other.box[low] < one.box[high]
        for low, high in ((0, 2), (1, 3))
    )


def _under(sheet: Sheet, at: int, phrase: Span, name: Field) -> Address | None:
    streets: list[Part] = []
    parts = list(_parts(sheet, at, phrase, name))
    for place, part in enumerate(parts):
        found = _place_at(parts, place)
        if found is not None:
            town, used = found
            country = _country_after(parts[place + used :])
            if town.city is None and streets:
                town, streets = _with_city(town, streets)
            if not streets and town.country is None:
                # A number and a word, and nothing that makes an address of them.
                return None
            return Address(tuple(_from_the_street(streets)), town, part, country)
        if _is_a_street(part, name):
            streets.append(part)
        elif _NO_STREET.search(fold(part.text)):
            return None
    return None


def _from_the_street(lines: Sequence[Part]) -> Sequence[Part]:
    """Without the person or department before it: they have no number, and are no house."""
    numbered = [at for at, one in enumerate(lines) if any(map(str.isdigit, one.text))]
    houses = [at for at, one in enumerate(lines) if _HOUSE.search(fold(one.text))]
    first = min([*numbered, *houses], default=0)
    return lines[first : first + STREETS_MAX]


def _place_at(parts: Sequence[Part], at: int) -> tuple[Place, int] | None:
    found = code_alone(parts[at].text) or place_in(parts[at].text)
    if found is not None:
        return found, 1
    return None


def _with_city(place: Place, streets: list[Part]) -> tuple[Place, list[Part]]:
    city = streets[-1].text.strip(" ,")
    named = Place(place.code, city, place.region, place.country, place.is_named)
    return named, streets[:-1]


def _country_after(parts: Sequence[Part]) -> tuple[str, Part] | None:
    for part in parts[:1]:
        code = country_named(part.text)
        if code:
            return code, part
    return None


def _is_a_street(part: Part, name: Field) -> bool:
    folded = fold(part.text)
    return (
        2 < len(part.text) <= CHARS_MAX  # noqa: PLR2004 -- shorter is no street
        and ":" not in part.text
        and not _TO_WHOM.match(folded)
        and not _NO_STREET.search(folded)
        and letters_of(part.text) not in letters_of(name.value or "")
    )


def _parts(sheet: Sheet, at: int, phrase: Span, name: Field) -> Iterator[Part]:
    """What stands behind the name on its line, then what stands under it, line by line."""
    _, _, behind = phrase.text.partition(name.value or "")
    yield from _split(behind, phrase, at)
    above, column = sheet.lines[at], phrase
    for place in range(at + 1, min(len(sheet.lines), at + 1 + LINES_MAX * 2)):
        line = sheet.lines[place]
        gap = line.top - (above.top + above.height)
        if line.page != phrase.page or gap > GAP_HEIGHTS * max(line.height, above.height):
            return
        below = next((one for one in line.phrases if _in_column(one, column)), None)
        if below is None:
            continue
        above = line
        yield from _split(below.text, below, place)


def _in_column(one: Span, column: Span) -> bool:
    (left, _, right, _), (other_left, _, other_right, _) = one.box, column.box
    return (
        abs(left - other_left) < ALIGNED
        or abs(right - other_right) < ALIGNED
        or abs(left + right - other_left - other_right) < 2 * ALIGNED
    )


def _split(text: str, span: Span, at: int) -> Iterator[Part]:
    # `City - 400051` is one part.
    for piece in (text,) if _CITY_FIRST.fullmatch(text.strip()) else _PARTS.split(text):
        bare = _without_label(piece.strip(" ,;:·•|–-"))
        if not bare:
            continue
        commas = [one.strip() for one in _COMMAS.split(bare) if one.strip()]
        # `Street 1, 12345 City` is two; `Unit 3, Mill Yard` and `City, ST 12345` are one.
        if place_in(bare) is None and len(commas) > 1 and any(map(_ends_it, commas[1:])):
            yield from (Part(one, span, at) for one in _joined(commas))
        else:
            yield Part(bare, span, at)


def _without_label(text: str) -> str:
    match = _LABEL.match(fold(text))
    return text[match.end() :] if match else text


def _ends_it(text: str) -> bool:
    return bool(place_in(text) or code_alone(text) or country_named(text))


def _joined(commas: Sequence[str]) -> Iterator[str]:
    """Streets may have commas too; a state and its code belong to the city before."""
    at = 0
    while at < len(commas):
        pair = ", ".join(commas[at : at + 2])
        if at + 1 < len(commas) and not _ends_it(commas[at]) and place_in(pair) is not None:
            yield pair
            at += 2
        else:
            yield commas[at]
            at += 1


def _fields(prefix: str, found: Address) -> Iterator[tuple[str, Field]]:
    sure = found.sure
    if found.streets:
        text = "\n".join(dict.fromkeys(one.text for one in found.streets))
        yield f"{prefix}.lines", _field(found.streets[0], text, sure)
    yield f"{prefix}.post_code", _field(found.where, found.place.code, sure)
    if found.place.city:
        yield f"{prefix}.city", _field(found.where, found.place.city, sure)
    if found.place.region:
        yield f"{prefix}.region", _field(found.where, found.place.region, sure)
    if found.country is not None:
        code, part = found.country
        yield f"{prefix}.country", _field(part, code, NAMED)
    elif found.place.country is not None and found.place.is_named:
        yield f"{prefix}.country", _field(found.where, found.place.country, NAMED)
    elif found.place.country is not None:
        code = found.place.country
        span = found.where.span
        yield f"{prefix}.country", Field(code, None, BY_FORM, "computed", (span,))


def _field(part: Part, value: str, sure: float) -> Field:
    return made(Candidate(value, sure, part.span, 0.0, part.at), value, sure)
