"""Bank accounts: known by their form and their check digits, the sender's before others.

A number that has the form of its country needs no label; what only looks like one is kept with
little confidence, because it may still be what a person looks for.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from services.extractor.domain.offline.blocks import BUYERS, party_at
from services.extractor.domain.offline.candidates import Candidate
from services.extractor.domain.offline.fields import made
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field

IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?:[ .-]?[A-Z0-9]{1,4}){2,9}(?![A-Za-z0-9])")
IBAN_CHARS = {
    **{
        "AT": 20,
        "BE": 16,
        "BG": 22,
        "CH": 21,
        "CY": 28,
        "CZ": 24,
        "DE": 22,
        "DK": 18,
        "EE": 20,
    },
    **{
        "ES": 24,
        "FI": 18,
        "FR": 27,
        "GB": 22,
        "GR": 27,
        "HR": 21,
        "HU": 28,
        "IE": 22,
        "IS": 26,
    },
    **{
        "IT": 27,
        "LI": 21,
        "LT": 20,
        "LU": 20,
        "LV": 21,
        "MC": 27,
        "MT": 31,
        "NL": 18,
        "NO": 15,
    },
    **{
        "PL": 28,
        "PT": 25,
        "RO": 24,
        "SE": 24,
        "SI": 19,
        "SK": 24,
        "SM": 27,
        "TR": 26,
        "AE": 23,
    },
    **{"SA": 24, "IL": 23, "RS": 22, "BA": 20, "AD": 24, "GI": 23},
}
_IBAN_CHARS = range(15, 35)
_BIC = re.compile(r"(?<![A-Z0-9])[A-Z]{4}[A-Z]{2}[A-Z0-9]{2}(?:[A-Z0-9]{3})?(?![A-Za-z0-9])")
_SPLIT_BIC = re.compile(
    r"[ \t:.]*([A-Z]{4} ?[A-Z]{2} ?[A-Z0-9]{2}(?: ?[A-Z0-9]{3})?)(?![A-Za-z0-9])"
)
ACCOUNTS_MAX = 4
LABEL_ONLY = 0.55


@dataclass(frozen=True, slots=True)
class Account:
    iban: Candidate[str]
    bic: Candidate[str] | None


def accounts(sheet: Sheet) -> dict[str, Field]:
    fields: dict[str, Field] = {}
    known: set[str] = set()
    for account in sorted(_accounts(sheet), key=lambda one: -one.iban.score):
        if account.iban.value in known or len(known) >= ACCOUNTS_MAX:
            continue
        # Beside a real one, what only looks like one is a misprint or somebody else's.
        if known and account.iban.score < LABEL_ONLY:
            continue
        path = f"payment.accounts.{len(known)}"
        known.add(account.iban.value)
        fields[f"{path}.iban"] = made(account.iban, account.iban.value, account.iban.score)
        if account.bic:
            fields[f"{path}.bic"] = made(account.bic, account.bic.value, account.bic.score)
    return fields


def _accounts(sheet: Sheet) -> Iterator[Account]:
    for at, line in enumerate(sheet.lines):
        for match in IBAN.finditer(line.text):
            shaped = _shaped(match[0])
            label = _labelled_as_iban(sheet, at, match.start())
            if shaped is None or not (label or is_iban(shaped)):
                continue
            party = party_at(sheet, at, line.span(match.start(), match.end()))
            score = 0.95 if is_iban(shaped) else 0.5
            score *= 0.5 if party in BUYERS else 1.0
            score *= 1.0 if label else 0.85
            span = line.span(match.start(), match.end())
            yield Account(Candidate(shaped, score, span, label, at), _bic_near(sheet, at))


def _shaped(text: str) -> str | None:
    """Without what follows it: the country says how long it is."""
    value = re.sub(r"[ .-]", "", text)
    length = IBAN_CHARS.get(value[:2])
    if length and len(value) > length and is_iban(value[:length]):
        return value[:length]
    digits = sum(map(str.isdigit, value))
    plausible = length is None or len(value) == length or digits >= len(value) - 2
    return value if len(value) in _IBAN_CHARS and plausible else None


def _labelled_as_iban(sheet: Sheet, at: int, start: int) -> float:
    tags = [one for one in sheet.tags[at] if one.end <= start]
    if at and not any(one.kind == "iban" for one in tags):
        tags = [*sheet.tags[at - 1], *tags]
    return max((one.strength for one in tags if one.kind in ("iban", "bank")), default=0.0)


def is_iban(value: str) -> bool:
    value = re.sub(r"[ .-]", "", value)
    if len(value) != IBAN_CHARS.get(value[:2], len(value)) or len(value) not in _IBAN_CHARS:
        return False
    digits = "".join(str(int(one, 36)) for one in value[4:] + value[:4])
    return int(digits) % 97 == 1


def _bic_near(sheet: Sheet, at: int) -> Candidate[str] | None:
    """On its line or one of the next: a bank is written on two lines at most."""
    for place in (at, at + 1, at - 1, at + 2):
        if not 0 <= place < len(sheet.lines):
            continue
        line = sheet.lines[place]
        for tag in sheet.tags[place]:
            match = tag.kind == "bic" and (
                _BIC.search(line.text, tag.end) or _SPLIT_BIC.match(line.text, tag.end)
            )
            if match:
                value = re.sub(r"[ \t:.]", "", match[0])
                span = line.span(match.start(), match.end())
                return Candidate(value, 0.9, span, tag.strength, place)
    return None
