"""Under which number the sender is registered: commercial register, SIRET, KvK, company number.

The label says which register it is. Of several numbers the most telling one is kept: that of an
establishment before that of its court.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.extractor.domain.offline.blocks import BUYERS, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import chosen, made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Line

SURE, FURTHER = 0.88, 0.97


@dataclass(frozen=True, slots=True)
class Register:
    pattern: re.Pattern[str]
    # As ISO 6523 numbers those who give the numbers; none of a court's register.
    scheme: str | None
    # Between what is one number: a register's letters stay, spaces do not.
    keeps: str = ""


_LABEL_END = r"(?:[ -]?(?:no|nr|number|nummer|numero|n°|nº|num)\.?)?[ \t]*[:.]?[ \t]*"
_REGISTERS = tuple(
    Register(
        re.compile(rf"(?<![a-z])(?:{label}){_LABEL_END}(?P<id>{number})(?![\da-z])"),
        scheme,
        keeps,
    )
    for label, number, scheme, keeps in (
        ("siret", r"\d{3} ?\d{3} ?\d{3} ?\d{5}", "0009", ""),
        ("siren", r"\d{3} ?\d{3} ?\d{3}", "0002", ""),
        (r"r\.?c\.?s\.?(?: [a-z-]{3,24}){0,3}(?: [ab])?", r"\d{3} ?\d{3} ?\d{3}", "0002", ""),
        (r"k\.?v\.?k\.?|kamer van koophandel|coc|chamber of commerce", r"\d{8}", "0106", ""),
        (
            r"(?:\w{1,20} ){0,2}compan(?:y|ies) (?:reg\w*\.?|house)?|"
            r"registered in [a-z ]{3,24}|company|registered|crn|registration",
            r"(?:[a-z]{2})?\d{6,8}",
            None,
            "",
        ),
        (r"cin", r"[lu]\d{5}[a-z]{2}\d{4}[a-z]{3}\d{6}", None, ""),
        (r"fn|firmenbuch(?: fn)?", r"\d{5,6} ?[a-z]", None, ""),
        (r"r\.?e\.?a\.?", r"[a-z]{2} ?-? ?\d{5,7}", None, "-"),
        (r"org|organisations", r"\d{6}-?\d{4}|\d{3} ?\d{3} ?\d{3}", None, ""),
        (r"cvr", r"\d{8}", "0184", ""),
        (r"ondernemings|rpr|bce|kbo|numero d'entreprise", r"\d{4}\.?\d{3}\.?\d{3}", "0208", ""),
    )
)
# `HRB 4711`: the register's letters are part of the number.
_HRB = re.compile(r"(?<![A-Za-z])HR ?(?P<kind>[AB])(?:-?Nr\.?)?[ \t:.]*(?P<id>\d[\d ]{1,6}\d)")


def registration(sheet: Sheet) -> dict[str, Field]:
    found: list[tuple[Candidate[str], str | None]] = []
    for at, line in enumerate(sheet.lines):
        for value, start, end, scheme, rank in _in_line(line):
            span = line.span(start, end)
            if party_at(sheet, at, span) not in BUYERS:
                one = Candidate(value, SURE * FURTHER**rank, span, SURE, at)
                found.append((one, scheme))
    if not found:
        return {}
    fields = {"seller.legal_id": chosen([one for one, _ in found])}
    best, scheme = max(found, key=lambda pair: pair[0].score)
    if scheme is not None:
        fields["seller.legal_id_scheme"] = made(best, scheme, SURE, status="computed")
    return fields


def _in_line(line: Line) -> Iterator[tuple[str, int, int, str | None, int]]:
    for rank, register in enumerate(_REGISTERS):
        for match in register.pattern.finditer(line.folded):
            raw = line.text[match.start("id") : match.end("id")]
            value = re.sub(rf"[^0-9A-Za-z{register.keeps}]", "", raw).upper()
            yield value, match.start("id"), match.end("id"), register.scheme, rank
    for match in _HRB.finditer(line.text):
        value = f"HR{match['kind']} {match['id'].replace(' ', '')}"
        yield value, match.start(), match.end(), None, 3
