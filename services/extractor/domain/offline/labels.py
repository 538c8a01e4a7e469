"""The labels on one line of a table's head, told apart where their columns nearly touch.

Words of one label are a space apart and labels of two columns mostly far more; in between it
is their meaning that decides, because a narrow column leaves its label no room.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from services.extractor.domain.offline.columns import Roles, roles_of
from services.extractor.domain.words import Line, fold
from shared.pages.words import Word

# Labels stand closer together than columns of prose, and a space is half a character.
LABEL_GAP_CHARS = 1.2
LABEL_WORDS_MAX = 6
LABELS_MIN = 2
# More words without a gap are prose.
HEAD_WORDS_MAX = 60
# Labels of two columns, however close they stand.
_NEVER_ONE = (
    (("code",), ("description",)),
    (("position",), ("description",)),
    (("quantity",), ("unit",)),
)
# Of the space between two words: a wider one parts two labels, if they are two.
WIDE_SPACES = 1.4


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    left: float
    right: float
    roles: Roles
    line: int


def labels_on(line: Line, at: int, space: float) -> list[Piece]:
    return _counted(
        [
            piece
            for words in parted(line.words, LABEL_GAP_CHARS)
            for piece in _apart(words, at, space * line.height)
        ]
    )


def usual_space(lines: Sequence[Line]) -> float:
    """Between two words of a phrase, in heights of a line."""
    gaps = sorted(
        gap / line.height
        for line in lines
        if line.height
        for word, following in pairwise(line.words)
        if 0 < (gap := following.left - word.right) < LABEL_GAP_CHARS * word.char_width
    )
    return gaps[len(gaps) // 2] if gaps else 0.0


def _apart(words: Sequence[Word], at: int, space: float) -> list[Piece]:
    """Labels of narrow columns nearly touch, but stand wider apart than words of one label."""
    wide = [
        place
        for place, (word, following) in enumerate(pairwise(words), 1)
        if space and following.left - word.right > WIDE_SPACES * space
    ]
    cuts = [0, *wide, len(words)]
    parts = [_labelled(words[start:end], at) for start, end in pairwise(cuts)]
    pieces = _counted([piece for part in parts for piece in part])
    kinds = [piece.roles[0] for piece in pieces if piece.roles]
    whole = _labelled(words, at)
    told = len({one.roles[0] for one in whole if one.roles})
    if wide and len(set(kinds)) == len(kinds) >= max(told, LABELS_MIN):
        return pieces
    # What is unknown beside what is known is a label too, of a column that nobody asks for.
    unknown = wide and kinds and not any(piece.roles for piece in whole)
    return pieces if unknown else whole


def parted(words: Sequence[Word], gap_chars: float) -> Iterator[list[Word]]:
    """Words of a line, parted where the gap is wider than so many characters."""
    part: list[Word] = []
    right, width = 0.0, 0.0
    for word in words:
        own = word.char_width
        if part and word.left - right > gap_chars * (width if width > own else own):
            yield part
            part = []
        part.append(word)
        right, width = word.right, own
    if part:
        yield part


def _counted(pieces: Sequence[Piece]) -> list[Piece]:
    """`Item` before `Description` counts the rows; alone it would be what was sold."""
    return [
        replace(piece, roles=("position", "code"))
        if "position" in piece.roles and following and following.roles[:1] == ("description",)
        else piece
        for piece, following in zip_longest(pieces, pieces[1:])
    ]


def _labelled(words: Sequence[Word], at: int) -> list[Piece]:
    """One label, or several without a gap between them: then the longest ones that fit."""
    whole = _piece(words, at)
    if len(words) == 1 or len(words) > HEAD_WORDS_MAX:
        return [whole]
    first, last = _piece(words[:-1], at), _piece(words[-1:], at)
    if (first.roles[:1], last.roles[:1]) in _NEVER_ONE and len(last.roles) == 1:
        return [*_labelled(words[:-1], at), last]
    if whole.roles:
        return [whole]
    return _segmented(words, at) or [whole]


def _segmented(words: Sequence[Word], at: int) -> list[Piece]:
    """The fewest labels that make up the words; of as many those with the widest gaps."""
    best: dict[int, tuple[int, float, list[Piece]]] = {0: (0, 0.0, [])}
    for end in range(1, len(words) + 1):
        for start in range(max(0, end - LABEL_WORDS_MAX), end):
            label = _piece(words[start:end], at) if start in best else None
            if label is None or not label.roles:
                continue
            count, gaps, before = best[start]
            gap = words[start].left - words[start - 1].right if start else 0.0
            found = (count + 1, gaps - gap, [*before, label])
            if end not in best or found[:2] < best[end][:2]:
                best[end] = found
    return _of_one_text(best[len(words)][2]) if len(words) in best else []


def _of_one_text(labels: Sequence[Piece]) -> list[Piece]:
    pieces: list[Piece] = []
    for label in labels:
        if pieces and pieces[-1].roles[0] == label.roles[0] == "description":
            pieces[-1] = replace(label, left=pieces[-1].left, roles=("description",))
        else:
            pieces.append(label)
    return pieces


def _piece(words: Sequence[Word], at: int) -> Piece:
    text = " ".join(fold(word.text) for word in words)
    short = len(words) <= LABEL_WORDS_MAX and not any(map(str.isdigit, text))
    roles = roles_of(text) if short else ()
    return Piece(text, words[0].left, words[-1].right, roles, at)
