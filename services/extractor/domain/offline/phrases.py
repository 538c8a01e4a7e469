"""Labels found as phrases of words, so that spelling and compounding do not matter.

`Rechnungs-Nr.`, `Rechnungsnummer` and `Rechnung Nr.` are one phrase of two words; so are `date
de la facture` and `Date facture`. The longest phrase wins: within `Invoice date` no `Invoice`
is seen, and so no date is taken for the number. Patterns would need a row for every spelling.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from services.extractor.domain.words import COLUMN, fold

# What the wording writes for every way to say "number".
NUMBER = "no"
_NUMBER_WORDS = frozenset(
    ("no", "nr", "n", "num", "numero", "number", "nummer", "nro", "nos", "nbr", "numer")
)
# Words that only join others.
_JOINING = frozenset(
    (
        *(
            "de",
            "d",
            "la",
            "le",
            "l",
            "les",
            "des",
            "du",
            "of",
            "the",
            "der",
            "die",
            "das",
            "dem",
        ),
        *("den", "del", "della", "delle", "dello", "dei", "degli", "dell", "di", "van", "het"),
        *("een", "el", "los", "las", "a", "al", "alla", "your", "our"),
    )
)
# Words that are the same to every phrase.
_SAME = {
    word: name
    for name, words in (
        (
            "tax",
            "vat tax taxes gst mwst ust tva iva btw mehrwertsteuer umsatzsteuer "
            "impuestos hst moms taxe igic",
        ),
        (
            "without",
            "excl excluding exclusive exkl ohne hors exclusief sin esclusa escl before "
            "without ex exc zonder exclusa senza",
        ),
        (
            "with",
            "incl including inclusive inkl mit inclus inclusief con inclusa inc met "
            "inklusive compris comprise incluido incluidos",
        ),
    )
    for word in words.split()
}
_SUFFIXES = (
    *("rechnung", "nummer", "datum", "betrag", "bedrag", "summe", "total", "totaal", "nr"),
    *("adresse", "adres", "anschrift"),
)
_PLAIN = str.maketrans({".": "", " ": "", "ß": "ss"})
_STEM_CHARS_MIN = 3
_TOKEN = re.compile(
    # T.V.A.; W A R E N R E C H N U N G; a word; №, n°, #.
    r"[^\W\d_](?:\.[^\W\d_])+(?![^\W\d_])\.?|(?<![^\W\d_])[^\W\d_](?: [^\W\d_]){4,}(?![^\W\d_])"
    r"|n°|[^\W\d_]+|#"
)
# A number in brackets may stand inside a label, another value may not.
_GAP_CHARS_MAX = 10
_SKIPPED_MAX = 3

_End = tuple[str, float]
_Trie = dict[str, Any]
_END = ""


@dataclass(frozen=True, slots=True)
class Tag:
    """A label of this kind. Strength says how seldom it stands beside something else."""

    kind: str
    strength: float
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Token:
    text: str
    start: int
    end: int


def tokens_of(folded: str) -> Iterator[Token]:
    for match in _TOKEN.finditer(folded):
        for part in _parts_of(match[0]):
            yield Token(part, match.start(), match.end())


@lru_cache(4096)
def _parts_of(text: str) -> tuple[str, ...]:
    return tuple(_parts(text.translate(_PLAIN)))


def _parts(text: str) -> Iterator[str]:
    """The parts of a compound word: `rechnungsdatum` is a `datum` of a `rechnung`."""
    if text in _NUMBER_WORDS or text in ("#", "n°"):
        yield NUMBER
        return
    for suffix in _SUFFIXES:
        stem = text.removesuffix(suffix)
        if stem != text and len(stem) >= _STEM_CHARS_MIN:
            yield from _parts(stem)
            yield NUMBER if suffix in _NUMBER_WORDS else suffix
            return
    stem = text[:-1] if text.endswith(("ungs", "trags")) else text
    yield _SAME.get(stem, stem)


class Phrases:
    """A dictionary of phrases that reads each line once."""

    def __init__(self, rows: Iterable[tuple[str, float, str]]) -> None:
        self._trie: _Trie = {}
        for kind, strength, phrases in rows:
            for phrase in phrases.split("|"):
                for words in _spelled(phrase):
                    self._learn(words, (kind, strength))

    def _learn(self, words: Sequence[str], end: _End) -> None:
        node = self._trie
        for word in words:
            node = node.setdefault(word, {})
        node[_END] = end

    def tags(self, folded: str) -> tuple[Tag, ...]:
        found: list[Tag] = []
        start = 0
        for cell in folded.split(COLUMN):
            found += self._within(list(tokens_of(cell)), start)
            start += len(cell) + 1
        return tuple(found)

    def _within(self, tokens: Sequence[Token], offset: int) -> Iterator[Tag]:
        at = 0
        while at < len(tokens):
            end, after = self._longest(self._trie, tokens, at)
            if end is None or tokens[at].text not in self._trie:
                at += 1
                continue
            first, last = tokens[at], tokens[after - 1]
            yield Tag(*end, offset + first.start, offset + last.end)
            at = after

    def _longest(
        self, node: Mapping[str, Any], tokens: Sequence[Token], at: int, skipped: int = 0
    ) -> tuple[_End | None, int]:
        """Joining words may be skipped, unless the phrase names them (`facture a`)."""
        best: tuple[_End | None, int] = (node.get(_END), at)
        if at == len(tokens) or (
            at and _far(tokens[at - 1], tokens[at]) and node is not self._trie
        ):
            return best
        text = tokens[at].text
        if text in node:
            found = self._longest(node[text], tokens, at + 1)
            if found[0] is not None:
                best = found
        # A page may be nothing but joining words.
        if node is not self._trie and text in _JOINING and skipped < _SKIPPED_MAX:
            found = self._longest(node, tokens, at + 1, skipped + 1)
            if found[0] is not None and found[1] > best[1] and found[1] > at + 1:
                best = found
        return best


def _far(before: Token, token: Token) -> bool:
    return token.start - before.end > _GAP_CHARS_MAX


def _spelled(phrase: str) -> Iterator[list[str]]:
    """`total -/amount due` is `total due` and `total amount due`."""
    for words in product(*(word.split("/") for word in phrase.split())):
        written = " ".join(word for word in words if word != "-")
        yield [one.text for one in tokens_of(fold(written))]
