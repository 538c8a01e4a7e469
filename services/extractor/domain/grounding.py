"""Where on the page a quote stands: a model says what it read, and only our words say where.

A value that nobody can point at was perhaps never printed. Spaces, punctuation and case do not
count, since a text layer, an OCR and a model all set them differently. Of several places the
one beside a label of the field is meant; the cells of a row are looked for in one row.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from services.extractor.domain.offline.phrases import Tag
from services.extractor.domain.offline.sheet import Sheet
from services.extractor.domain.reading import Field, Reading
from services.extractor.domain.words import Line, Span, fold, lines_of, span_of
from shared.invoice.fields import Box
from shared.pages.words import Word

# What `signals["grounded"]` says.
BESIDE_A_LABEL, ELSEWHERE, NOWHERE = 1.0, 0.6, 0.0
# Of one place for a value that needs no label, a name or the text of a row.
ALONE = 1.0

# In heights of a line: how far a label may stand above its value, or a cell beside its row.
ABOVE_LINES, ROW_LINES = 3.0, 2.5
LOOK_ALIKE = str.maketrans("o|lisbz", "0111582")
OCCURRENCES_MAX = 200
_MEMBER = re.compile(r"(?P<row>lines\.\d+)\.")
# By the last part of a path, what its labels are called where that is something else.
_KINDS: Mapping[str, frozenset[str]] = {
    "invoice_number": frozenset({"invoice_number", "number"}),
    "issue_date": frozenset({"issue_date", "date"}),
    "total": frozenset({"total", "amount_due"}),
    "amount_due": frozenset({"amount_due", "total"}),
    "reference": frozenset({"payment_reference"}),
    "start": frozenset({"service_period"}),
    "end": frozenset({"service_period"}),
}
_LABELLED = frozenset(
    (
        *("due_date", "delivery_date", "purchase_order", "customer_number", "contract_ref"),
        *("project_ref", "sales_order", "delivery_note", "buyer_reference"),
        *("subtotal", "tax_total", "lines_total", "prepaid", "rounding", "shipping"),
        *("previous_balance", "allowances_total", "charges_total"),
        *("vat_id", "tax_number", "legal_id", "iban", "bic"),
    )
)


def kinds_of(path: str) -> frozenset[str]:
    """The labels that say a value is this field. None for a name, which needs none."""
    name = path.rpartition(".")[2]
    return _KINDS.get(name, frozenset({name}) if name in _LABELLED else frozenset())


@dataclass(frozen=True, slots=True)
class Found:
    span: Span
    # How sure it is that this place is meant.
    signal: float


def grounded(reading: Reading, words: Sequence[Word]) -> Reading:
    """Each field with the place of its quote, in the words of another engine's reading."""
    ground = Ground(words)
    rows = _rows(reading.fields, ground)
    fields = {
        path: _with_place(
            field,
            ground.find(field.raw, path, _row_of(path, rows))
            if _is_quoted(path, field)
            else None,
        )
        for path, field in reading.fields.items()
    }
    return replace(reading, fields=fields)


def _is_quoted(path: str, field: Field) -> bool:
    """An account is what its quote says: beside another's quote it was made up."""
    return not path.endswith(".iban") or _bare(field.value or "") in _bare(field.raw or "")


def _with_place(field: Field, found: Found | None) -> Field:
    signals = {**field.signals, "grounded": found.signal if found else NOWHERE}
    evidence = (found.span,) if found else field.evidence
    return replace(field, signals=signals, evidence=evidence)


def _rows(fields: Mapping[str, Field], ground: "Ground") -> dict[str, Span]:
    """Each row's place: where the longest of its quotes stands, the most telling one."""
    longest: dict[str, str] = {}
    for path, field in fields.items():
        member = _MEMBER.match(path)
        if member and field.raw and len(field.raw) > len(longest.get(member["row"], "")):
            longest[member["row"]] = field.raw
    found = {row: ground.find(quote, row) for row, quote in longest.items()}
    return {row: one.span for row, one in found.items() if one}


def _row_of(path: str, rows: Mapping[str, Span]) -> Span | None:
    member = _MEMBER.match(path)
    return rows.get(member["row"]) if member else None


class Ground:
    """The words of a document, ready to be searched many times."""

    def __init__(self, words: Sequence[Word]) -> None:
        self._lines = lines_of(words)
        self._words = [word for line in self._lines for word in line.words]
        # Letters and digits only, and where each word of the text begins in it.
        self._text = ""
        self._starts: list[int] = []
        for word in self._words:
            self._starts.append(len(self._text))
            self._text += _bare(word.text)
        # So that every word has a next, which begins where it ends.
        self._starts.append(len(self._text))
        self._look_alike = self._text.translate(LOOK_ALIKE)
        # A line's labels are looked for when somebody asks for them, and once.
        self._tags: dict[str, tuple[Tag, ...]] = {}

    def find(self, quote: str | None, path: str = "", row: Span | None = None) -> Found | None:
        wanted = _bare(quote or "")
        if not wanted:
            return None
        places = list(self._places(self._text, wanted))
        if not places:
            # An OCR takes 0 for O and 1 for l, and so does a model that reads its picture.
            alike = self._places(self._look_alike, wanted.translate(LOOK_ALIKE))
            return _weaker(self._best(list(alike), path, row))
        return self._best(places, path, row)

    def _best(self, places: Sequence[Span], path: str, row: Span | None) -> Found | None:
        if not places:
            return None
        if row is not None:
            nearest = min(places, key=lambda one: _rows_apart(one, row))
            near = _rows_apart(nearest, row) <= ROW_LINES
            return Found(nearest, BESIDE_A_LABEL if near else ELSEWHERE)
        kinds = kinds_of(path)
        if not kinds:
            return Found(places[0], ALONE)
        beside = [
            (distance, one)
            for one in places
            for label in self._labels_near(one, kinds)
            if (distance := _distance(label, one)) is not None
        ]
        if not beside:
            return Found(places[0], ELSEWHERE)
        return Found(min(beside, key=lambda one: one[0])[1], BESIDE_A_LABEL)

    def _labels_near(self, value: Span, kinds: frozenset[str]) -> Iterator[Span]:
        reach = (ABOVE_LINES + 1) * _height(value.box)
        for line in self._lines:
            if line.page == value.page and value.box[1] - reach < line.top < value.box[3]:
                for tag in self._tags_of(line):
                    if tag.kind in kinds:
                        yield line.span(tag.start, tag.end)

    def _tags_of(self, line: Line) -> tuple[Tag, ...]:
        if line.folded not in self._tags:
            self._tags[line.folded] = Sheet([line]).tags[0]
        return self._tags[line.folded]

    def _places(self, text: str, wanted: str) -> Iterator[Span]:
        at, count = text.find(wanted), 0
        while at >= 0 and count < OCCURRENCES_MAX:
            first, last = self._word_at(at), self._word_at(at + len(wanted) - 1)
            if self._is_whole(at, at + len(wanted), first, last):
                count += 1
                yield span_of(self._words[first : last + 1])
            at = text.find(wanted, at + 1)

    def _word_at(self, position: int) -> int:
        # Words of punctuation alone share their start with the next: the last one holds it.
        return bisect_right(self._starts, position) - 1

    def _is_whole(self, start: int, end: int, first: int, last: int) -> bool:
        """Not the 12 of 2012: it begins and ends where a word does, or at its punctuation."""
        begins = start == self._starts[first] or _is_edge(
            self._words[first].text, start - self._starts[first]
        )
        return begins and (
            end == self._starts[last + 1]
            or _is_edge(self._words[last].text, end - self._starts[last])
        )


def _is_edge(text: str, bare_position: int) -> bool:
    """Whether something that is neither a letter nor a digit stands there, or nothing."""
    seen = 0
    for position, character in enumerate(text):
        if seen == bare_position:
            return position == 0 or not character.isalnum() or not text[position - 1].isalnum()
        seen += len(_bare(character))
    return True


def _bare(text: str) -> str:
    folded = fold(text)
    return folded if folded.isalnum() else "".join(filter(str.isalnum, folded))


def _weaker(found: Found | None) -> Found | None:
    return None if found is None else Found(found.span, min(found.signal, ELSEWHERE))


def _height(box: Box) -> float:
    return max(box[3] - box[1], 1e-6)


def _rows_apart(one: Span, row: Span) -> float:
    """In heights of a line; another page is far away."""
    if one.page != row.page:
        return 1e6
    between = abs((one.box[1] + one.box[3]) / 2 - (row.box[1] + row.box[3]) / 2)
    return between / min(_height(one.box), _height(row.box))


def _distance(label: Span, value: Span) -> float | None:
    """None when the label does not belong to it: it stands neither before nor above it."""
    if label.page != value.page:
        return None
    if _rows_apart(label, value) < 1 and label.box[0] < value.box[2]:
        return max(0.0, value.box[0] - label.box[2])
    below = (value.box[1] - label.box[3]) / _height(label.box)
    if below + 1 >= 0 and below <= ABOVE_LINES and value.shares_column_with(label):
        # A label beside a value is meant before one above it.
        return 1.0 + below
    return None


def printed_in(quote: str, value: str, *, number: bool) -> str | None:
    """The part of a row's quote that says this value; None when no part does."""
    if not number:
        at = fold(quote).find(fold(value))
        return quote[at : at + len(value)] if at >= 0 else None
    for match in re.finditer(r"[-−]?\d(?:[\d.,'’\u00a0\u202f ]*\d)?", quote):
        for piece in _numbers_of(match[0]):
            if _same_number(piece, value):
                return piece
    return None


def _numbers_of(text: str) -> Iterator[str]:
    """A space may group digits or part two cells: the whole first, then the pieces."""
    yield text
    pieces = re.split(r"[\u00a0\u202f ]", text)
    for width in range(len(pieces) - 1, 0, -1):
        for at in range(len(pieces) - width + 1):
            yield " ".join(pieces[at : at + width])


def _same_number(printed: str, value: str) -> bool:
    whole, _, decimals = value.lstrip("-").partition(".")
    wanted = {f"{whole}{decimals}", f"{whole}{decimals.rstrip('0')}", f"{whole}{decimals}0"}
    digits = re.sub(r"\D", "", printed)
    if digits not in wanted:
        return False
    last = re.search(r"[.,](\d+)$", printed)
    kept = decimals.rstrip("0")
    # 1.234 is one thousand and more, or one and a bit: both may be meant by these digits.
    return digits == whole or (last is not None and last[1].rstrip("0") == kept)
