"""Pages drawn as text: each line of words at its place, as a text layer would give them."""

from shared.pages.words import Word

CHAR = 0.01
LINE = 0.02


def page(*lines: str, number: int = 1) -> list[Word]:
    """Two spaces or more leave a gap, so columns stand where they were typed."""
    words: list[Word] = []
    for row, line in enumerate(lines):
        at = 0
        for piece in line.split(" "):
            if piece:
                words.append(_word(piece, at, row, number))
            at += len(piece) + 1
    return words


def _word(text: str, column: int, row: int, number: int) -> Word:
    left, top = 0.02 + column * CHAR, 0.05 + row * LINE
    return Word(text, number, left, top, left + len(text) * CHAR, top + 0.015)
