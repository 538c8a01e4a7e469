"""Where a place is written: post code, city and country, as the countries of the world do it.

A post code alone is any number; with a city beside it, and in the order of its country, it is
a place. The country is only told where it is printed, or where the form leaves no other.
"""

import re
from dataclasses import dataclass

from services.extractor.domain.words import fold

_CITY = r"[^\W\d_](?:[^\W\d_]|\. |[ .'’()/-](?! )|, (?=[A-Z]{2}\b)){1,38}(?: \d{1,2})?"
_LETTERS = r"(?P<letter>[A-Z]{1,3})[- –]{1,3}"
# The first that fits. Each with the country that it gives away, if any.
_FORMS: tuple[tuple[str | None, re.Pattern[str]], ...] = tuple(
    (country, re.compile(pattern))
    for country, pattern in (
        (
            "NL",
            rf"(?:NL[- ])?(?P<code>[1-9]\d{{3}} ?(?!SA|SD|SS)[A-Z]{{2}}),? +(?P<city>{_CITY})",
        ),
        ("PT", rf"(?:P-|PT-)?(?P<code>\d{{4}}-\d{{3}}),? +(?P<city>{_CITY})"),
        ("PL", rf"(?:PL-)?(?P<code>\d{{2}}-\d{{3}}),? +(?P<city>{_CITY})"),
        (
            "IE",
            rf"(?:(?P<city>{_CITY}),? +)?(?P<code>(?:[AC-FHKNPRTV-Y]\d{{2}}|D6W) "
            r"?[0-9AC-FHKNPRTV-Y]{4})",
        ),
        (
            "GB",
            rf"(?:(?P<city>{_CITY}),? +)?(?P<code>(?:[A-PR-UWYZ][A-HK-Y]?\d[A-Z\d]?|GIR) "
            r"?\d[ABD-HJLNP-UW-Z]{2})",
        ),
        (
            "CA",
            rf"(?P<city>{_CITY}),? +\(?(?P<region>[A-Z]{{2}})\)?,? +"
            r"(?P<code>[ABCEGHJ-NPRSTVXY]\d[A-Z][ -]?\d[A-Z]\d)",
        ),
        (
            "US",
            rf"(?P<city>{_CITY}),? +(?P<region>[A-Z]{{2}}),? +(?P<code>\d{{5}}(?:-\d{{4}})?)",
        ),
        (
            "AU",
            rf"(?P<city>{_CITY}),? +(?P<region>NSW|VIC|QLD|WA|SA|TAS|ACT|NT),? +"
            r"(?P<code>\d{4})",
        ),
        (
            "GB",
            r"(?:GB )?(?P<code>[A-PR-UWYZ][A-HK-Y]?\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2}),? +"
            rf"(?P<city>{_CITY})",
        ),
        (None, rf"(?P<letter>[A-Z]{{2}}) (?P<code>\d{{4,6}}),? +(?P<city>{_CITY})"),
        (None, rf"{_LETTERS}(?P<code>\d{{4,6}}|\d{{3}} \d{{2}}),? +(?P<city>{_CITY})"),
        (None, rf"(?P<code>\d{{3}} \d{{2}}),? +(?P<city>{_CITY})"),
        (None, rf"(?P<code>\d{{4,6}}),? +(?P<city>{_CITY})"),
        (None, rf"(?P<city>{_CITY})(?:,| -|  |) ?[- ]?(?P<code>\d{{5,6}}|\d{{3}} \d{{3}})"),
    )
)
_ALONE = re.compile(
    r"(?P<gb>[A-PR-UWYZ][A-HK-Y]?\d[A-Z\d]? ?\d[ABD-HJLNP-UW-Z]{2})|"
    r"(?:(?:[AC-FHKNPRTV-Y]\d{2}|D6W) ?[0-9AC-FHKNPRTV-Y]{4})"
)
# What is behind the city: the letters of a province, or a country in brackets.
_PROVINCE = re.compile(r"(?: *\((?P<bracket>[^()]{2,24})\)|[ ,]+(?P<letters>[A-Z]{2}))$")
_LETTER_COUNTRIES = {
    **{"D": "DE", "A": "AT", "F": "FR", "B": "BE", "I": "IT", "E": "ES", "L": "LU", "S": "SE"},
    **{"FL": "LI", "FIN": "FI", "N": "NO", "CH": "CH", "DE": "DE", "AT": "AT", "FR": "FR"},
    **{"BE": "BE", "NL": "NL", "IT": "IT", "ES": "ES", "LU": "LU", "DK": "DK", "SE": "SE"},
    **{"SI": "SI", "CZ": "CZ", "SK": "SK", "HR": "HR", "HU": "HU", "RO": "RO", "FI": "FI"},
    **{"GB": "GB", "IE": "IE", "PT": "PT", "PL": "PL", "US": "US", "MC": "MC", "SM": "SM"},
    **{"LI": "LI", "NO": "NO", "GR": "GR", "BG": "BG", "LT": "LT", "LV": "LV", "EE": "EE"},
}
_NAMED = {
    name: code
    for code, names in (
        ("DE", "germany deutschland allemagne alemania germania duitsland"),
        ("AT", "austria osterreich autriche oostenrijk"),
        ("CH", "switzerland schweiz suisse suiza svizzera zwitserland"),
        ("FR", "france frankreich francia frankrijk"),
        ("BE", "belgium belgien belgique belgica belgio belgie"),
        ("NL", "netherlands niederlande pays-bas holanda paesi_bassi nederland holland"),
        ("NL", "the_netherlands paises_bajos olanda"),
        ("LU", "luxembourg luxemburg luxemburgo lussemburgo"),
        ("ES", "spain spanien espagne espana spagna spanje"),
        ("IT", "italy italien italie italia"),
        ("PT", "portugal portogallo"),
        ("GB", "united_kingdom uk great_britain england scotland wales grossbritannien"),
        ("GB", "vereinigtes_konigreich royaume-uni reino_unido regno_unito u.k. gb"),
        ("GB", "verenigd_koninkrijk northern_ireland"),
        ("IE", "ireland irland irlande irlanda ierland eire"),
        ("US", "usa u.s.a. united_states united_states_of_america us u.s. etats-unis"),
        ("US", "vereinigte_staaten estados_unidos stati_uniti verenigde_staten"),
        ("CA", "canada kanada"),
        ("AU", "australia australien"),
        ("NZ", "new_zealand"),
        ("IN", "india indien inde"),
        ("DK", "denmark danmark danemark dinamarca danimarca denemarken"),
        ("SE", "sweden schweden sverige suede suecia svezia zweden"),
        ("NO", "norway norwegen norge norvege noruega norvegia noorwegen"),
        ("FI", "finland finnland suomi finlande finlandia"),
        ("PL", "poland polen polska pologne polonia"),
        ("CZ", "czech_republic czechia tschechien ceska_republika tsjechie"),
        ("SK", "slovakia slowakei slovensko"),
        ("HU", "hungary ungarn magyarorszag hongrie"),
        ("SI", "slovenia slowenien slovenija"),
        ("HR", "croatia kroatien hrvatska"),
        ("RO", "romania rumanien roumanie"),
        ("BG", "bulgaria bulgarien"),
        ("GR", "greece griechenland grece grecia"),
        ("LI", "liechtenstein"),
        ("MC", "monaco"),
        ("SG", "singapore singapur"),
        ("HK", "hong_kong"),
        ("CN", "china p.r._china"),
        ("JP", "japan"),
        ("MY", "malaysia"),
        ("AE", "united_arab_emirates uae"),
        ("ZA", "south_africa"),
        ("MX", "mexico"),
        ("BR", "brazil brasil"),
        ("IL", "israel"),
        ("TR", "turkey turkei turkiye"),
    )
    for name in (one.replace("_", " ") for one in names.split())
}
_CITY_WORDS_MAX = 5
# `1100 Robson Street` has the form of a place, and is none.
_STREET = re.compile(
    r"(?<![a-z])(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|way|court|close|"
    r"highway|parkway|crescent|suite|floor|unit|square|strasse|weg|rue|calle|via|laan|straat)$"
)


@dataclass(frozen=True, slots=True)
class Place:
    code: str
    city: str | None
    region: str | None = None
    # As its form, or a letter before it, gives it away.
    country: str | None = None
    # Whether that was printed.
    is_named: bool = False


def country_named(text: str) -> str | None:
    """The code of a country that is all that stands there."""
    return _NAMED.get(" ".join(fold(text).strip(" .,()").split()))


def place_in(text: str) -> Place | None:
    """What the whole of a line, or of a part of it, says."""
    text = text.strip(" ,;·•|–-")
    rest, _, last = text.rpartition(",")
    named = country_named(last) if rest else None
    text = rest.strip() if named else text
    for country, form in _FORMS:
        match = form.fullmatch(text)
        if match is None:
            continue
        place = _place(match, country)
        if place is not None:
            return _named(place, named) if named else place
    return None


def code_alone(text: str) -> Place | None:
    """British and Irish codes may have a line of their own, under the city."""
    match = _ALONE.fullmatch(text.strip(" ,."))
    if match is None:
        return None
    return Place(" ".join(match[0].split()), None, None, "GB" if match["gb"] else "IE")


def _place(match: re.Match[str], country: str | None) -> Place | None:
    found = match.groupdict()
    city, region, named = found.get("city"), found.get("region"), False
    letter = found.get("letter")
    if letter is not None:
        country = _LETTER_COUNTRIES.get(letter)
        if country is None:
            return None
        named = True
    if city:
        tail = _PROVINCE.search(city)
        if tail and not region:
            inside = tail["bracket"] or tail["letters"]
            abroad = country_named(inside) if tail["bracket"] else None
            city, region = city[: tail.start()], None if abroad else inside
            country, named = (abroad, True) if abroad else (country, named)
        city = city.strip(" ,-")
        if not _may_be_a_city(city):
            return None
    return Place(" ".join(found["code"].split()), city or None, region, country, named)


def _may_be_a_city(text: str) -> bool:
    words = text.split()
    short = len(text) > 1 and len(words) <= _CITY_WORDS_MAX
    return short and text[:1].isupper() and not _STREET.search(fold(text).strip(" ."))


def _named(place: Place, country: str) -> Place:
    return Place(place.code, place.city, place.region, country, True)
