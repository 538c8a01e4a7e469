"""How the parties are reached: e-mail, telephone, website, and who answers.

Both may print theirs. What stands in the buyer's block is the buyer's, all else the sender's.
"""

import re
from collections.abc import Iterator

from services.extractor.domain.offline.blocks import BUYERS, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import chosen
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Line, fold

_EMAIL = re.compile(
    r"(?<![\w.@-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){0,4}\.[a-zA-Z]{2,24}"
)
_WEBSITE = re.compile(
    r"(?<![\w@.])(?:https?://[\w./-]{4,120}|www\.[\w-]{1,63}(?:\.[\w-]{1,63})*\.[a-z]{2,24})"
)
_PHONE_LABEL = re.compile(
    r"(?:(?<![a-z.])(?:tel|telefon|telephone|telefono|telefoon|telephon|phone|fon|tfno|tlf|mobil|"
    r"mobile|gsm|call us|hotline|ph)|(?:^|(?<=\t)|(?<=[,|·] ))[tp])"
    r"(?:\.|\b)(?: ?(?:no|nr|number|n°)\.?)?[ \t]*[:.]?[ \t]*"
    r"(?=[+(\d])"
)
_NUMBER = re.compile(r"\+?\(?\d[\d ()/.–-]{5,22}\d")
_CONTACT = re.compile(r"[ \t:.]*(?P<name>[^\W\d_][^\t:;|@\d]{2,40})")
_DIGITS = range(7, 16)
WORDS = range(1, 5)
SURE, UNLABELLED, CONTACT = 0.9, 0.85, 0.75
FURTHER = 0.98


def contacts(sheet: Sheet) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    found: dict[str, list[Candidate[str]]] = {}
    for path, one in _candidates(sheet):
        found.setdefault(path, []).append(one)
    for path, some in found.items():
        # Of several the first on the page, which stands under the name.
        fields[path] = chosen([_ranked(one, at) for at, one in enumerate(some)])
    return fields


def _ranked(one: Candidate[str], at: int) -> Candidate[str]:
    score = one.score * (1.0 if at == 0 else 0.9 * FURTHER**at)
    return Candidate(one.value, score, one.span, one.label, one.at)


def _candidates(sheet: Sheet) -> Iterator[tuple[str, Candidate[str]]]:
    for at, line in enumerate(sheet.lines):
        for name, value, start, end, sure in _in_line(line):
            span = line.span(start, end)
            party = "buyer" if party_at(sheet, at, span) in BUYERS else "seller"
            yield f"{party}.{name}", Candidate(value, sure, span, sure, at)
        yield from _people(sheet, at)


def _in_line(line: Line) -> Iterator[tuple[str, str, int, int, float]]:
    for match in _EMAIL.finditer(line.text):
        yield "email", match[0].strip("."), match.start(), match.end(), SURE
    for match in _WEBSITE.finditer(line.text):
        yield "website", match[0].rstrip("./"), match.start(), match.end(), UNLABELLED
    for label in _PHONE_LABEL.finditer(line.folded):
        number = _NUMBER.match(line.text, label.end())
        if number and sum(map(str.isdigit, number[0])) in _DIGITS:
            yield "phone", number[0].strip(), number.start(), number.end(), SURE


def _people(sheet: Sheet, at: int) -> Iterator[tuple[str, Candidate[str]]]:
    line = sheet.lines[at]
    for tag in sheet.tags[at]:
        match = tag.kind == "contact" and _CONTACT.match(line.text, tag.end)
        if not match or any(tag.end <= one.start < match.end() for one in sheet.tags[at]):
            continue
        name = match["name"].strip(" ,-–")
        capitals = [word for word in name.split() if word[0].isupper()]
        if len(name.split()) in WORDS and len(capitals) > 1 and fold(name) not in _TITLES:
            span = line.span(match.start("name"), match.start("name") + len(name))
            party = "buyer" if party_at(sheet, at, span) in BUYERS else "seller"
            yield f"{party}.contact", Candidate(name, CONTACT, span, tag.strength, at)


_TITLES = frozenset(("herr", "frau", "mr", "ms"))
