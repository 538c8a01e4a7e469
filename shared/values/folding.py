"""Letters as they are compared: lower case, without accents, one for one."""

import unicodedata
from functools import cache


def fold(text: str) -> str:
    """Lower case without accents, character by character: the length stays."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_character, text))


@cache
def _fold_character(character: str) -> str:
    return unicodedata.normalize("NFKD", character)[0].lower()[:1] or character
