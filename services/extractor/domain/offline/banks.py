"""What is printed about an account beside its IBAN: whose it is, and at which bank."""

import re
from collections.abc import Iterator, Mapping

from services.extractor.domain.offline.blocks import BUYERS, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.names import first_part, may_be_a_name
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field
from services.extractor.domain.words import Span, fold

_BANK = re.compile(
    r"(?:[^\W\d_]{0,24}bank|\w{0,24}sparkasse|banque|banco|banca|caisse|caixa|cassa|caja|credit|"
    r"raiffeisen\w*|volksbank\w*|postfinance|building society|cooperativa|kreditbank)(?![a-z])"
)
_ENDS = re.compile(
    r"[,;|\t]|\s[-–·•/]\s|(?<![A-Za-z])(?:IBAN|BIC|SWIFT|Kto|Konto|BLZ|Account|Sort|Acc)"
    r"(?![a-z])|\d"
)
# Lines around the account that are still about it.
NEAR_LINES = 4
CHARS_MAX = 48
LABELLED, LOOKS = 0.85, 0.7
_PATH = re.compile(r"payment\.accounts\.(\d+)\.iban")


def banks(sheet: Sheet, fields: Mapping[str, Field]) -> dict[str, Field]:
    """Of each account that was read the nearest name of a bank."""
    found: dict[str, Field] = {}
    named = list(_banks(sheet))
    for path, iban in fields.items():
        match = _PATH.fullmatch(path)
        if match and iban.evidence:
            at = _line_of(sheet, iban.evidence[0])
            near = [one for one in named if abs(one.at - at) <= NEAR_LINES]
            # A bank is named before its numbers.
            best = min(near, key=lambda one: (-one.score, abs(one.at - at)), default=None)
            if best is not None:
                prefix = f"payment.accounts.{match[1]}"
                found[f"{prefix}.bank_name"] = made(best, best.value, best.score)
    return found | _holder(sheet, fields)


def _banks(sheet: Sheet) -> Iterator[Candidate[str]]:
    for at, line in enumerate(sheet.lines):
        labels = [one for one in sheet.tags[at] if one.kind == "bank"]
        for tag in labels:
            name, start = _name(line.text, tag.end)
            if name and _is_apart(line.text, tag.end, name):
                span = line.span(start, start + len(name))
                if party_at(sheet, at, span) not in BUYERS:
                    yield Candidate(name, LABELLED, span, tag.strength, at)
        for phrase in line.phrases:
            name = _ENDS.split(phrase.text.strip(), maxsplit=1)[0].strip(" :.-")
            name = name.rpartition(": ")[2]
            if _BANK.search(fold(name)) and may_be_a_name(name) and len(name.split()) > 1:
                yield Candidate(name, LOOKS, phrase, 0.0, at)


def _is_apart(text: str, end: int, name: str) -> bool:
    """`Banco Meseta` is a name that begins like a label; `Bank Talbank AG` is both."""
    return text[end : end + 1] != " " or bool(_BANK.search(fold(name)))


def _name(text: str, start: int) -> tuple[str, int]:
    while start < len(text) and not text[start].isalnum():
        start += 1
    name = _ENDS.split(text[start : start + 2 * CHARS_MAX], maxsplit=1)[0].strip(" :.-")
    good = 2 < len(name) <= CHARS_MAX and may_be_a_name(name)  # noqa: PLR2004 -- shorter is a sign
    return (name, start) if good else ("", start)


def _line_of(sheet: Sheet, span: Span) -> int:
    here = [at for at, line in enumerate(sheet.lines) if line.page == span.page]
    return min(here, key=lambda at: abs(sheet.lines[at].top - span.box[1]), default=0)


def _holder(sheet: Sheet, fields: Mapping[str, Field]) -> dict[str, Field]:
    if "payment.accounts.0.iban" not in fields:
        return {}
    for at, line in enumerate(sheet.lines):
        for tag in sheet.tags[at]:
            if tag.kind != "holder":
                continue
            rest = re.split(r"\t(?=\S)|[,;|]\s", line.text[tag.end :].lstrip(" :\t"))[0]
            name = first_part(rest)
            if may_be_a_name(name):
                start = line.text.index(rest, tag.end)
                best = Candidate(
                    name, LABELLED, line.span(start, start + len(name)), tag.strength, at
                )
                return {"payment.accounts.0.holder": made(best, name, LABELLED)}
    return {}
