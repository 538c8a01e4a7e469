"""What it means that a document holds text which nobody is shown.

Mostly a program's mark, which only the audit need know of. But a number or an instruction that
a machine reads and a person does not see is how somebody lies to one of them.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from services.extractor.domain.reading import Finding
from services.extractor.domain.words import fold
from shared.pages.words import Word

HIDDEN_TEXT = "hidden_text"
EXCERPT_CHARS = 120
NUMBER_DIGITS = 3
OTHER_SHARE = 0.5
# So many words in a row, none of which is seen: no recogniser overlooks a whole sentence.
UNSEEN_WORDS = 4
TOLD_CHARS = 3
_NUMBER = re.compile(r"\d")
# "Page 1/2", cut off with the margin it stood in.
_PAGE_NUMBER = re.compile(r"\d{1,2}([/.]\d{1,2})?[.:]?")
# Folded. What would steer a reader: to forget, to decide, to pay, to answer in some way.
_INSTRUCTION = re.compile(
    r"\b(?:ignor\w*|disregard\w*|overrid\w*|overwrit\w*|forget|instruct\w*|prompt\w*|system"
    r"|assistant|chatgpt|gpt|llm|ai|approv\w*|reject\w*|pay|transfer|respond|answer|output|json"
    r"|must|iban|account|konto\w*|compte|cuenta|conto|rekening\w*"
    r"|vergiss\w*|vergesse\w*|anweisung\w*|genehmig\w*|freigeb\w*|uberweis\w*|zahle\w*|antworte\w*"
    r"|oublie\w*|consigne\w*|approuve\w*|payez|virement|repond\w*"
    r"|olvid\w*|instruccion\w*|aprueb\w*|aprob\w*|pague|transfier\w*|respond\w*"
    r"|dimentic\w*|istruzion\w*|approva\w*|paga\w*|bonific\w*|rispond\w*"
    r"|negeer\w*|vergeet|instructie\w*|keur\w*|betaal\w*|antwoord\w*)\b"
)


def hidden_text(hidden: Iterable[tuple[Word, str]]) -> tuple[Finding, ...]:
    """One finding for each way of hiding, in their order on the pages."""
    ordered = sorted(hidden, key=lambda one: one[1])
    return tuple(
        _finding(why, [word for word, _ in same])
        for why, same in groupby(ordered, key=lambda one: one[1])
    )


def other_layer(layer: Sequence[Word], seen: Sequence[Word]) -> tuple[Finding, ...]:
    """A scan's own layer is not read, but should say about what the scan shows. Recognising
    errs on both sides, so only a layer that mostly holds other numbers is told of, and one that
    tells a reader what to do where nothing of the kind is shown."""
    shown = _digits(" ".join(word.text for word in seen))
    numbers = [word for word in layer if len(_digits(word.text)) >= NUMBER_DIGITS]
    others = [word for word in numbers if _digits(word.text) not in shown]
    told = others if len(others) > OTHER_SHARE * len(numbers) else []
    told = told or [word for run in _unseen_runs(layer, seen) for word in run]
    return (_finding("scan_layer", told),) if told else ()


def _unseen_runs(layer: Sequence[Word], seen: Sequence[Word]) -> Iterator[list[Word]]:
    shown = "".join(_plain(word.text) for word in seen)
    words = [word for word in layer if len(_plain(word.text)) >= TOLD_CHARS]
    for is_shown, run in groupby(words, key=lambda word: _plain(word.text) in shown):
        unseen = list(run)
        if not is_shown and len(unseen) >= UNSEEN_WORDS and _instructs(unseen):
            yield unseen


def _plain(text: str) -> str:
    return "".join(character for character in fold(text) if character.isalnum())


def _digits(text: str) -> str:
    return "".join(character for character in text if character.isdigit())


def _finding(why: str, words: Sequence[Word]) -> Finding:
    text = " ".join(word.text for word in words)
    excerpt = text if len(text) <= EXCERPT_CHARS else text[:EXCERPT_CHARS] + "…"
    return Finding(
        HIDDEN_TEXT,
        "block" if _could_mislead(words) else "info",
        f"{why}: {excerpt}",
        pages=tuple(sorted({word.page for word in words})),
    )


def _could_mislead(words: Sequence[Word]) -> bool:
    if any(
        _NUMBER.search(word.text) and not _PAGE_NUMBER.fullmatch(word.text) for word in words
    ):
        return True
    return _instructs(words)


def _instructs(words: Sequence[Word]) -> bool:
    return _INSTRUCTION.search(fold(" ".join(word.text for word in words))) is not None
