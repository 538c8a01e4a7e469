"""Two readers of one page, a model and our own rules: where they agree, and where they don't.

The model's value is taken unless it is nowhere on the page while ours is; the other one stays
as an alternative. Rows are not mixed: one reader's table is taken whole, the one that adds up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal

from services.extractor.domain.grounding import ELSEWHERE, grounded
from services.extractor.domain.reading import MISSING, Alternative, Field, Reading
from services.extractor.domain.trust.sameness import DIFFERENT, agreement, as_decimal
from shared.invoice.paths import LISTS, kind_of, places

ONLY_ONE = 0.3
ALTERNATIVES_MAX = 3
_STARTS = tuple((name, f"{name}.") for name in LISTS)
Fields = Mapping[str, Field]


def agreed(model: Reading, ours: Reading) -> Reading:
    """The model's reading, with what ours has to say about each of its fields."""
    fields = grounded(model, ours.words).fields
    lists = {path: _list_of(path) for path in dict.fromkeys([*fields, *ours.fields])}
    header = {
        path: _together(path, fields.get(path, MISSING), ours.fields.get(path, MISSING))
        for path, name in lists.items()
        if name is None
    }
    rows: dict[str, Field] = {}
    named = set(lists.values())
    for name in (one for one in LISTS if one in named):
        rows |= _rows(name, fields, ours.fields)
    rows |= _contested(rows, ours.fields)
    return replace(
        model,
        fields=header | rows,
        findings=tuple(dict.fromkeys((*model.findings, *ours.findings))),
        page_count=ours.page_count,
        pages=ours.pages,
        words=ours.words,
        versions={**ours.versions, **model.versions},
    )


def _together(path: str, model: Field, ours: Field) -> Field:
    if model.value is None and ours.value is None:
        return model if model is not MISSING else ours
    if model.value is None or ours.value is None:
        only = ours if model.value is None else model
        return replace(only, signals={**only.signals, "agree": ONLY_ONE})
    alike = agreement(kind_of(path), model.value, ours.value)
    chosen, other = model, ours
    if alike == DIFFERENT and not model.signals.get("grounded") and ours.evidence:
        chosen, other = ours, model
    # Our own evidence is words that were seen; a model's quote may stand in several places.
    evidence = ours.evidence if alike != DIFFERENT and ours.evidence else chosen.evidence
    # Where a rival's quote is not to be found says nothing about the value that is taken.
    others = {} if alike == DIFFERENT and chosen is ours else model.signals
    signals = {**ours.signals, **others, "agree": alike}
    if alike != DIFFERENT and ours.evidence and "grounded" in signals:
        # However the model words its quote: the value was seen where we read it.
        signals["grounded"] = max(ELSEWHERE, signals["grounded"])
    return replace(
        chosen,
        evidence=evidence,
        signals=signals,
        alternatives=_alternatives(chosen, other, alike),
    )


def _alternatives(chosen: Field, other: Field, alike: float) -> tuple[Alternative, ...]:
    known = (*chosen.alternatives, *other.alternatives)
    if alike == 1.0 or other.value is None or other.source is None:
        return known[:ALTERNATIVES_MAX]
    rival = Alternative(other.value, other.raw, other.source, other.confidence)
    return (rival, *known)[:ALTERNATIVES_MAX]


def _rows(name: str, model: Fields, ours: Fields) -> dict[str, Field]:
    chosen, other = (model, ours) if _speaks_for(name, model, ours) else (ours, model)
    counterparts = _by_key(name, other)
    cells = _cells(name, chosen)
    found = {}
    for place in places(chosen, name):
        prefix = f"{name}.{place}."
        twin = counterparts.get(_key(name, place, chosen))
        for path in cells.get(prefix, ()):
            same_cell = path if twin is None else f"{name}.{twin}.{path.removeprefix(prefix)}"
            seen = MISSING if twin is None else other.get(same_cell, MISSING)
            found[path] = _together(path, chosen[path], seen)
    return found


def _contested(rows: Fields, ours: Fields) -> Fields:
    """What a document talks the model into leaves out the account that is printed: one that we
    alone saw may be the one to be paid, and puts each of the others in doubt."""
    named = {field.value for path, field in rows.items() if _is_account(path)}
    left_out = [
        Alternative(field.value, field.raw, field.source, field.confidence)
        for path, field in ours.items()
        if _is_account(path) and field.value not in named and field.value and field.source
    ]
    return {
        path: replace(
            field,
            signals={**field.signals, "agree": DIFFERENT},
            alternatives=(*left_out, *field.alternatives)[:ALTERNATIVES_MAX],
        )
        for path, field in rows.items()
        if left_out and _is_account(path)
    }


def _is_account(path: str) -> bool:
    return path.startswith("payment.accounts.") and path.endswith(".iban")


def _cells(name: str, fields: Fields) -> Mapping[str, Sequence[str]]:
    """By row. Looked up once: a long table has thousands of each."""
    found: dict[str, list[str]] = {}
    for path in fields:
        if path.startswith(f"{name}."):
            row = path[len(name) + 1 :].partition(".")[0]
            found.setdefault(f"{name}.{row}.", []).append(path)
    return found


def _speaks_for(name: str, model: Fields, ours: Fields) -> bool:
    if name != "lines" or not places(ours, name):
        return bool(places(model, name))
    if not places(model, name):
        return False
    net = _value(model, "subtotal") or _value(ours, "subtotal")
    theirs_fit, ours_fit = (_sum(one) == net for one in (model, ours))
    return theirs_fit or not ours_fit


def _sum(fields: Fields) -> Decimal:
    amounts = (_value(fields, f"lines.{one}.net_amount") for one in places(fields, "lines"))
    return sum((one for one in amounts if one is not None), Decimal(0))


def _value(fields: Fields, path: str) -> Decimal | None:
    value = fields.get(path, MISSING).value
    return None if value is None else as_decimal(value)


def _by_key(name: str, fields: Fields) -> dict[object, int]:
    return {_key(name, place, fields): place for place in reversed(places(fields, name))}


def _key(name: str, place: int, fields: Fields) -> object:
    """What tells the members of a list apart, in both readings alike."""
    for cell in _TELLING.get(name, ()):
        value = fields.get(f"{name}.{place}.{cell}", MISSING).value
        if value is not None:
            return cell, as_decimal(value) if kind_of(f"{name}.0.{cell}") == "money" else value
    return "place", place


_TELLING: Mapping[str, Iterable[str]] = {
    "lines": ("net_amount", "description"),
    "taxes": ("rate", "amount"),
    "payment.accounts": ("iban", "account_no"),
}


def _list_of(path: str) -> str | None:
    return next((name for name, start in _STARTS if path.startswith(start)), None)
