"""What the evaluation prints: tables for people, and the same as one JSON object."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from deploy.evaluation.corpus import Document, Truth
from deploy.evaluation.counting import Counts, count_fields, count_rows, interval, together
from deploy.evaluation.reading import Answered
from deploy.evaluation.trust import (
    COVERAGES,
    Claim,
    accuracy_at,
    brier,
    calibration_error,
    separation,
)

P95 = 0.95


@dataclass(frozen=True, slots=True)
class Scored:
    """One document: what was true, what was read, and how that counts."""

    document: Document
    truth: Truth
    answer: Answered
    fields: Mapping[str, Counts]
    rows: Counts | None


def scored(
    documents: Sequence[Document],
    truths: Mapping[str, Truth],
    answers: Mapping[str, Answered],
) -> list[Scored]:
    return [_scored(one, truths[one.document], answers[one.document]) for one in documents]


def _scored(document: Document, truth: Truth, answer: Answered) -> Scored:
    rows = count_rows(truth.rows, answer.rows) if truth.rows else None
    return Scored(document, truth, answer, count_fields(truth, answer.fields), rows)


def lines(scores: Sequence[Scored], groups: Sequence[str]) -> Iterator[str]:
    yield from _fields(scores)
    yield ""
    yield from _groups(scores, groups)
    yield ""
    yield from _trust(scores)
    yield ""
    yield from _outcomes(scores)


def errors(scores: Sequence[Scored], count: int) -> Iterator[str]:
    wrong = (
        f"  {one.document.document:24} {name:15} truth {' | '.join(true) or 'nothing'}; "
        f"read {one.answer.fields.get(name) or 'nothing'}"
        for one in scores
        for name, true in one.truth.fields.items()
        if one.fields[name].false or one.fields[name].missed
    )
    for line, _ in zip(wrong, range(count), strict=False):
        yield line


def _fields(scores: Sequence[Scored]) -> Iterator[str]:
    counted = f"{'F1':>8}{'right':>7}{'false':>7}{'missed':>7}"
    yield f"  {'field':16}{'precision':>22}{'recall':>22}{counted}"
    for name, counts in by_field(scores).items():
        yield _row(name, counts)
    yield _row("all fields", header(scores))
    rows = [one.rows for one in scores if one.rows is not None]
    if rows:
        yield _row("line items", together(rows))


def by_field(scores: Sequence[Scored]) -> dict[str, Counts]:
    names = dict.fromkeys(name for one in scores for name in one.fields)
    return {
        name: together(one.fields[name] for one in scores if name in one.fields)
        for name in names
    }


def header(scores: Sequence[Scored]) -> Counts:
    return together(counts for one in scores for counts in one.fields.values())


def _row(name: str, counts: Counts) -> str:
    found, true = counts.right + counts.false, counts.right + counts.missed
    return (
        f"  {name:16}{_rate(counts.precision, counts.right, found):>22}"
        f"{_rate(counts.recall, counts.right, true):>22}{counts.f1:8.3f}"
        f"{counts.right:7}{counts.false:7}{counts.missed:7}"
    )


def _rate(rate: float, right: int, of: int) -> str:
    low, high = interval(right, of)
    return f"{rate:.3f} [{low:.3f}, {high:.3f}]"


def _groups(scores: Sequence[Scored], traits: Sequence[str]) -> Iterator[str]:
    titles = f"{'documents':>10}{'answered':>9}{'F1':>8}{'total F1':>10}{'items F1':>10}"
    yield f"  {'by':34}{titles}"
    for trait in traits:
        values = sorted({_trait(one, trait) for one in scores})
        for value in values:
            yield _group(
                f"{trait} {value}", [one for one in scores if _trait(one, trait) == value]
            )
        mean = sum(
            header([one for one in scores if _trait(one, trait) == value]).f1
            for value in values
        )
        if len(values) > 1:
            yield f"  {f'mean over {trait}':34}{'':19}{mean / len(values):8.3f}"


def _trait(one: Scored, trait: str) -> str:
    if trait == "engine":
        return one.answer.engine or "none"
    return one.truth.traits.get(trait, "-")


def _group(name: str, scores: Sequence[Scored]) -> str:
    total = by_field(scores).get("total", Counts())
    rows = [one.rows for one in scores if one.rows is not None]
    items = f"{together(rows).f1:10.3f}" if rows else f"{'-':>10}"
    answered = sum(one.answer.engine is not None for one in scores)
    f1 = f"{header(scores).f1:8.3f}{total.f1:10.3f}{items}"
    return f"  {name:34}{len(scores):10}{answered:9}{f1}"


def claims_of(scores: Sequence[Scored]) -> list[Claim]:
    """Every value that was read where the truth is known."""
    return [
        Claim(one.answer.confidences[name], bool(counts.right))
        for one in scores
        for name, counts in one.fields.items()
        if one.answer.fields.get(name) is not None
    ]


def _trust(scores: Sequence[Scored]) -> Iterator[str]:
    claims = claims_of(scores)
    if not claims:
        return
    surest = ", ".join(
        f"{_percent(accuracy_at(claims, share))} of the surest {share:.0%}"
        for share in COVERAGES
    )
    area = separation(claims)
    yield f"  right: {surest}"
    yield (
        f"  confidence: calibration error {calibration_error(claims):.3f}, "
        f"Brier {brier(claims):.3f}, AUROC {'-' if area is None else f'{area:.3f}'}"
    )


def _percent(share: tuple[int, int]) -> str:
    right, of = share
    return f"{right / of:.1%}" if of else "-"


def _outcomes(scores: Sequence[Scored]) -> Iterator[str]:
    times = [1000 * one.answer.seconds for one in scores]
    pages = [
        1000 * one.answer.seconds / one.answer.page_count
        for one in scores
        if one.answer.page_count
    ]
    if pages:
        slow = sorted(times)[int(P95 * (len(times) - 1))]
        yield (
            f"  time: {median(pages):.0f} ms a page (median), {median(times):.0f} ms a "
            f"document, 95 % within {slow:.0f} ms"
        )
    for reason, count in _refusals(scores).items():
        yield f"  not read: {count} {reason}"


def _refusals(scores: Sequence[Scored]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in scores:
        if one.answer.engine is None:
            reason = one.answer.refused or "held nothing for this engine"
            found[reason] = found.get(reason, 0) + 1
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def as_json(scores: Sequence[Scored]) -> dict[str, Any]:
    rows = [one.rows for one in scores if one.rows is not None]
    return {
        "documents": len(scores),
        "fields": {name: _figures(one) for name, one in by_field(scores).items()},
        "all_fields": _figures(header(scores)),
        "line_items": _figures(together(rows)) if rows else None,
        "not_read": _refusals(scores),
    }


def _figures(counts: Counts) -> dict[str, float]:
    return {
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "right": counts.right,
        "false": counts.false,
        "missed": counts.missed,
    }
